import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CODE, RunFailure } from './end.ts';

/** A checkpoint in the server's chain; its bytes are stored in a local file named by their hash. */
export type KeptCheckpoint = {
  readonly checkpointId: string;
  readonly sha256: string;
  readonly bytes: number;
};

type Restored = { readonly checkpoint: KeptCheckpoint | null; readonly skipped: readonly string[] };

const KEPT_MAX = 20;

/**
 * Keeps the versions of the one file into which an agent writes its state. A crash can damage the file itself, so
 * each valid version is copied under its hash when it is seen. A start restores the newest copy whose bytes still
 * match the hash.
 */
export class CheckpointKeeper {
  readonly file: string;
  private readonly folder: string;
  private readonly newId: () => string;
  private chain: KeptCheckpoint[] = [];
  private seenVersion = '';
  private isJson: boolean;

  constructor(file: string, folder: string, newId: () => string) {
    this.file = file;
    this.folder = folder;
    this.newId = newId;
    this.isJson = file.endsWith('.json');
    mkdirSync(dirname(file), { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  get newest(): KeptCheckpoint | null {
    return this.chain.at(-1) ?? null;
  }

  /** Checks before the first start that the file can be read, so that a wrong path is reported early. */
  checkReadable(): void {
    if (!existsSync(this.file)) return;
    try {
      readFileSync(this.file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === 'EISDIR' ? 'it is a directory' : code;
      throw new RunFailure(CODE.usage, `the checkpoint ${this.file} can't be read: ${why}`);
    }
  }

  /** The versions that earlier runs of this agent kept, oldest first. */
  load(chain: readonly KeptCheckpoint[]): void {
    this.chain = chain.slice(-KEPT_MAX);
  }

  /** A new valid version since the last check, or null. A file that is being written is read the next time. */
  look(): KeptCheckpoint | null {
    const version = versionOf(this.file);
    if (version === null || version === this.seenVersion) return null;
    const content = readOrNull(this.file);
    // Changed while it was read, so the parts may not belong together.
    if (content === null || versionOf(this.file) !== version) return null;
    this.seenVersion = version;
    if (!this.isSound(content)) return null;
    const sha256 = hashOf(content);
    if (sha256 === this.newest?.sha256) return null;
    const copy = join(this.folder, sha256);
    writeFileSync(`${copy}.tmp`, content, { mode: 0o600 });
    renameSync(`${copy}.tmp`, copy);
    const kept = { checkpointId: this.newId(), sha256, bytes: content.length };
    this.chain.push(kept);
    for (const old of this.chain.splice(0, this.chain.length - KEPT_MAX)) this.drop(old);
    return kept;
  }

  /** Restores the newest valid version of the file, or exactly the one that was picked. */
  restore(pickedId: string | null = null): Restored {
    const skipped: string[] = [];
    const isTried = ({ checkpointId }: KeptCheckpoint): boolean =>
      pickedId === null || pickedId === checkpointId;
    for (const kept of this.chain.filter(isTried).reverse()) {
      const copy = join(this.folder, kept.sha256);
      const content = readOrNull(copy);
      if (content === null || hashOf(content) !== kept.sha256) {
        skipped.push(`${kept.checkpointId}: ${content === null ? 'it is gone' : 'its bytes have changed'}`);
        continue;
      }
      const live = readOrNull(this.file);
      if (live === null || hashOf(live) !== kept.sha256) {
        if (live !== null) this.putAside();
        copyFileSync(copy, `${this.file}.tmp`);
        renameSync(`${this.file}.tmp`, this.file);
      }
      this.seenVersion = versionOf(this.file) ?? '';
      return { checkpoint: kept, skipped };
    }
    if (pickedId !== null) return { checkpoint: null, skipped };
    // There is no valid version. The file that is there was never valid, so the agent must not find it.
    const live = readOrNull(this.file);
    if (live !== null && !this.isSound(live)) this.putAside();
    return { checkpoint: null, skipped };
  }

  /** Valid means: not empty; JSON if it was JSON before; and equal to `<file>.sha256`, if the agent writes that. */
  private isSound(content: Buffer): boolean {
    if (content.length === 0) return false;
    const promised = readOrNull(`${this.file}.sha256`)?.toString().trim().split(/\s/)[0];
    if (promised !== undefined && promised !== hashOf(content)) return false;
    const parses = canParse(content);
    if (this.isJson && !parses) return false;
    if (this.chain.length === 0 && parses) this.isJson = true;
    return true;
  }

  private putAside(): void {
    renameSync(this.file, `${this.file}.bad`);
  }

  private drop({ sha256 }: KeptCheckpoint): void {
    if (!this.chain.some((kept) => kept.sha256 === sha256))
      rmSync(join(this.folder, sha256), { force: true });
  }
}

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

function canParse(content: Buffer): boolean {
  try {
    JSON.parse(content.toString());
    return true;
  } catch {
    return false;
  }
}

function versionOf(file: string): string | null {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return null;
  }
}

function readOrNull(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}

import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type AgentFileRules,
  type FileAnswer,
  moveAgentFile,
  ownerOf,
  readAgentFile,
  removeAgentFile,
  replaceAgentFile,
  statAgentFile,
} from '@holter/server/process';
import { CODE, RunFailure } from './end.ts';

/** A checkpoint in the server's chain; its bytes are stored in a local file named by their hash. */
export type KeptCheckpoint = {
  readonly checkpointId: string;
  readonly sha256: string;
  readonly bytes: number;
};

type Restored = { readonly checkpoint: KeptCheckpoint | null; readonly skipped: readonly string[] };

type KeeperOptions = {
  readonly newId: () => string;
  /** The user of the command's process; null if it is not known. */
  readonly user?: () => number | null;
  /** Told at each look whether the file can be used. */
  readonly noted?: (answer: FileAnswer<unknown>) => void;
};

const KEPT_MAX = 20;
const BYTES_MAX = 32 * 1024 * 1024;
/** Longer JSON is not parsed, which could take seconds: its first and last characters have to do. */
const PARSED_BYTES_MAX = 1024 * 1024;
const HASHED_AT_ONCE = 1024 * 1024;

/**
 * Keeps the versions of the one file into which an agent writes its state. A crash can damage the file itself, so
 * each valid version is copied under its hash when it is seen. A start restores the newest copy whose bytes still
 * match the hash.
 */
export class CheckpointKeeper {
  readonly file: string;
  private readonly folder: string;
  private readonly options: KeeperOptions;
  private readonly rules: AgentFileRules;
  private chain: KeptCheckpoint[] = [];
  private seenVersion = '';
  private isJson: boolean;
  private looking: Promise<unknown> = Promise.resolve();

  constructor(file: string, folder: string, options: KeeperOptions) {
    this.file = file;
    this.folder = folder;
    this.options = options;
    this.isJson = file.endsWith('.json');
    makeFolderOf(file);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const realFolder = realpathSync(dirname(file));
    this.rules = { isOwner: ownerOf(options.user), bytesMax: BYTES_MAX, folder: realFolder };
  }

  get newest(): KeptCheckpoint | null {
    return this.chain.at(-1) ?? null;
  }

  /** Checks before the first start that the file can be read, so that a wrong path is reported early. */
  async checkReadable(): Promise<void> {
    const answer = await readAgentFile(this.file, this.rules);
    if (answer.kind === 'refused')
      throw new RunFailure(CODE.usage, `the checkpoint ${this.file} can't be read: it ${answer.because}`);
  }

  /** The versions that earlier runs of this agent kept, oldest first. */
  load(chain: readonly KeptCheckpoint[]): void {
    this.chain = chain.slice(-KEPT_MAX);
  }

  /** A new valid version since the last check, or null. A file that is being written is read the next time. */
  look(): Promise<KeptCheckpoint | null> {
    const looked = this.looking.then(() => this.lookNow());
    this.looking = looked.catch(() => undefined);
    return looked;
  }

  private async lookNow(): Promise<KeptCheckpoint | null> {
    const version = await this.version();
    if (version === null || version === this.seenVersion) return null;
    const content = await this.read(this.file);
    // Changed while it was read, so the parts may not belong together.
    if (content === null || (await this.version()) !== version) return null;
    this.seenVersion = version;
    if (!(await this.isSound(content))) return null;
    const sha256 = await hashOf(content);
    if (sha256 === this.newest?.sha256) return null;
    const copied = await replaceAgentFile(join(this.folder, sha256), content);
    if (copied.kind !== 'ok') return null;
    const kept = { checkpointId: this.options.newId(), sha256, bytes: content.length };
    this.chain.push(kept);
    for (const old of this.chain.splice(0, this.chain.length - KEPT_MAX)) await this.drop(old);
    return kept;
  }

  /** Restores the newest valid version of the file, or exactly the one that was picked. */
  async restore(pickedId: string | null = null): Promise<Restored> {
    const skipped: string[] = [];
    const isTried = ({ checkpointId }: KeptCheckpoint): boolean =>
      pickedId === null || pickedId === checkpointId;
    for (const kept of this.chain.filter(isTried).reverse()) {
      const obstacle = await this.putBack(kept);
      if (obstacle === null) {
        this.seenVersion = (await this.version()) ?? '';
        return { checkpoint: kept, skipped };
      }
      skipped.push(`${kept.checkpointId}: ${obstacle}`);
    }
    if (pickedId !== null) return { checkpoint: null, skipped };
    // There is no valid version. The file that is there was never valid, so the agent must not find it.
    const live = await readAgentFile(this.file, this.rules);
    const isBad = live.kind === 'ok' ? !(await this.isSound(live.value.content)) : live.kind === 'refused';
    if (isBad) await this.putAside();
    return { checkpoint: null, skipped };
  }

  /** Null when the file has the bytes of this version; else the obstacle. */
  private async putBack({ sha256 }: KeptCheckpoint): Promise<string | null> {
    const content = await this.read(join(this.folder, sha256));
    if (content === null) return 'it is gone';
    if ((await hashOf(content)) !== sha256) return 'its bytes have changed';
    const live = await readAgentFile(this.file, this.rules);
    if (live.kind === 'ok' && (await hashOf(live.value.content)) === sha256) return null;
    if (live.kind !== 'missing') await this.putAside();
    const written = await replaceAgentFile(this.file, content, this.rules.folder);
    if (written.kind === 'ok') return null;
    return `its file ${written.kind === 'missing' ? 'has lost its folder' : written.because}`;
  }

  /** Valid means: not empty; JSON if it was JSON before; and equal to `<file>.sha256`, if the agent writes that. */
  private async isSound(content: Buffer): Promise<boolean> {
    if (content.length === 0) return false;
    const promised = (await this.read(`${this.file}.sha256`))?.toString('utf8', 0, 200).trim().split(/\s/)[0];
    if (promised !== undefined && promised !== (await hashOf(content))) return false;
    const isJson = isJsonText(content);
    if (this.isJson && !isJson) return false;
    if (this.chain.length === 0 && isJson) this.isJson = true;
    return true;
  }

  private async putAside(): Promise<void> {
    await moveAgentFile(this.file, `${this.file}.bad`);
  }

  private async drop({ sha256 }: KeptCheckpoint): Promise<void> {
    if (!this.chain.some((kept) => kept.sha256 === sha256)) await removeAgentFile(join(this.folder, sha256));
  }

  private async version(): Promise<string | null> {
    const answer = await statAgentFile(this.file, this.rules);
    this.options.noted?.(answer);
    if (answer.kind !== 'ok') return null;
    const { mtimeMs, size, ino } = answer.value;
    return `${mtimeMs} ${size} ${ino}`;
  }

  private async read(file: string): Promise<Buffer | null> {
    const { isOwner, bytesMax } = this.rules;
    const answer = await readAgentFile(file, file === this.file ? this.rules : { isOwner, bytesMax });
    return answer.kind === 'ok' ? answer.value.content : null;
  }
}

function makeFolderOf(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw new RunFailure(CODE.usage, `the checkpoint ${file} can't be written: ${(error as Error).message}`);
  }
}

/** In parts, so that the hash of a large file holds nothing up. */
async function hashOf(content: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < content.length; at += HASHED_AT_ONCE) {
    if (at > 0) await new Promise(setImmediate);
    hash.update(content.subarray(at, at + HASHED_AT_ONCE));
  }
  return hash.digest('hex');
}

function isJsonText(content: Buffer): boolean {
  if (content.length > PARSED_BYTES_MAX) {
    const edges = `${content.toString('utf8', 0, 100).trimStart()[0]}${content
      .toString('utf8', content.length - 100)
      .trimEnd()
      .at(-1)}`;
    return edges === '{}' || edges === '[]';
  }
  try {
    JSON.parse(content.toString());
    return true;
  } catch {
    return false;
  }
}

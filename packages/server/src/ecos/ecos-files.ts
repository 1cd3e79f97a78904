import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { basename, join } from 'node:path';
import type { Instant } from '@holter/core';
import {
  type FileAnswer,
  makeAgentFolder,
  moveAgentFile,
  ownerOf,
  readAgentFile,
  realPath,
  replaceAgentFile,
  statAgentFile,
} from '../files/index.ts';

/** More than Holter writes; a larger file is somebody else's. */
const BYTES_MAX = 16 * 1024 * 1024;
const rules = { isOwner: ownerOf(), bytesMax: BYTES_MAX };

const SAY_AGAIN_MS = 60_000;

const HOME = '.ecos';
const SECTION = 'agent-health';
const EDITED = '.edited';

/** Where the files of seed 001 are: `DIR/.ecos/agent-health`, whether the project or its `.ecos` is named. */
export const ecosSection = (folder: string): string =>
  basename(folder) === HOME ? join(folder, SECTION) : join(folder, HOME, SECTION);

/** A file that was changed is kept beside, for `holter import ecos`. */
export const editedPath = (path: string): string => `${path}${EDITED}`;

export type EcosFileName = 'heartbeat-config.json' | 'task-tracking.json' | 'incident-log.jsonl';

/** The folder that the user named can't be used. */
export class EcosFolderError extends Error {
  override readonly name = 'EcosFolderError';
}

type Surroundings = { readonly warn: (message: string) => void; readonly now: () => Instant };
type Written = { readonly text: string; readonly mark: string | null };

/**
 * The files of seed 001 in a project. They are for reading: agents work there, so nothing in them is believed, and
 * whatever stands in their place is replaced. A file that somebody has changed is kept beside it, and reported.
 */
export class EcosFiles {
  private readonly section: string;
  private readonly warn: (message: string) => void;
  private readonly written = new Map<EcosFileName, Written>();
  private readonly now: () => Instant;
  private readonly troubles = new Map<EcosFileName, string>();
  private readonly saidAt = new Map<string, Instant>();

  private constructor(section: string, { warn, now }: Surroundings) {
    this.section = section;
    this.warn = warn;
    this.now = now;
  }

  /** Throws an `EcosFolderError` if the folder can't be used. */
  static async open(folder: string, around: Surroundings): Promise<EcosFiles> {
    const real = await realPath(folder);
    if (real === null) throw new EcosFolderError(`${folder} is no folder`);
    const section = ecosSection(real);
    const files = new EcosFiles(section, around);
    const answer = await files.prepare();
    if (answer.kind !== 'ok') throw new EcosFolderError(`${section} ${inWords(answer)}`);
    return files;
  }

  /** Why the files are not up to date; null while they are. */
  get trouble(): string | null {
    return [...this.troubles.values()][0] ?? null;
  }

  /** Writes the file whole, unless it reads like this already. */
  async put(name: EcosFileName, text: string): Promise<void> {
    const path = join(this.section, name);
    const before = this.written.get(name);
    const changed = await this.whatChanged(path, name, before);
    if (changed === null && before?.text === text) return;
    let answer = await replaceAgentFile(path, text, this.section);
    // The folder itself may be gone.
    if (answer.kind === 'missing') {
      const made = await this.prepare();
      answer =
        made.kind === 'ok'
          ? await replaceAgentFile(path, text, this.section)
          : { kind: 'refused', because: `lies in a folder that ${inWords(made)}` };
    }
    if (answer.kind !== 'ok') {
      this.troubles.set(name, `${path} ${inWords(answer)}`);
      return this.say(path, `${path} ${inWords(answer)}: it is not written`);
    }
    this.troubles.delete(name);
    if (changed !== null && changed !== '') this.say(path, `${path} ${changed}: it is written again`);
    const stats = await statAgentFile(path, rules);
    this.written.set(name, { text, mark: stats.kind === 'ok' ? markOf(stats.value) : null });
  }

  /** What somebody else has done with it since it was written, in words; empty if nothing worth telling, null if nothing. */
  private async whatChanged(
    path: string,
    name: EcosFileName,
    before: Written | undefined,
  ): Promise<string | null> {
    const stats = await statAgentFile(path, { ...rules, folder: this.section });
    if (stats.kind === 'missing') return before ? 'was removed' : '';
    if (stats.kind === 'refused') return stats.because;
    if (before?.mark === markOf(stats.value)) return null;
    if (!before && (await this.isOwn(path, name))) return '';
    const kept = await moveAgentFile(path, editedPath(path));
    return kept.kind === 'ok'
      ? `was changed and is kept as ${basename(editedPath(path))} (holter import ecos)`
      : `was changed, and can't be kept beside`;
  }

  /** Written by an earlier start, and not changed since. */
  private async isOwn(path: string, name: EcosFileName): Promise<boolean> {
    const file = await readAgentFile(path, { ...rules, folder: this.section });
    return file.kind === 'ok' && isSealed(name, file.value.content.toString('utf8'));
  }

  private async prepare(): Promise<FileAnswer<void>> {
    const home = join(this.section, '..');
    const answer = await makeAgentFolder(home);
    return answer.kind === 'ok' ? makeAgentFolder(this.section) : answer;
  }

  /** Once a minute: whoever changes a file again and again must not fill the log. */
  private say(path: string, message: string): void {
    const now = this.now();
    if (now - (this.saidAt.get(path) ?? Number.NEGATIVE_INFINITY) < SAY_AGAIN_MS) return;
    this.saidAt.set(path, now);
    this.warn(message);
  }
}

const inWords = (answer: Exclude<FileAnswer<unknown>, { kind: 'ok' }>): string =>
  answer.kind === 'missing' ? 'is not there' : answer.because;

const markOf = ({ ino, size, mtimeMs }: Stats): string => `${ino} ${size} ${mtimeMs}`;

const linesOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const SEAL = 'holter_sha256';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The JSON with a hash of itself, by which the next start tells whether it was changed meanwhile. */
export function sealed(content: object): string {
  return `${JSON.stringify({ ...content, [SEAL]: sha256(JSON.stringify(content)) }, null, 2)}\n`;
}

function isSealed(name: EcosFileName, text: string): boolean {
  try {
    if (name === 'incident-log.jsonl')
      return linesOf(text).every((line) => String(line.detection_method).startsWith('holter'));
    const { [SEAL]: seal, ...content } = JSON.parse(text) as Record<string, unknown>;
    return seal === sha256(JSON.stringify(content));
  } catch {
    return false;
  }
}

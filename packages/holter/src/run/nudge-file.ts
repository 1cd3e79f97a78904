import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type AgentFileRules,
  appendToAgentFile,
  type FileAnswer,
  NUDGES_BYTES_MAX,
  nudgeLine,
  replaceAgentFile,
  statAgentFile,
} from '@holter/server/process';

/**
 * Nudges for a command: one JSON line each, appended to a file whose path is in its environment. A command that has
 * read them empties or removes the file; only that proves that they were seen.
 */
export class NudgeFile {
  readonly path: string;
  private readonly rules: AgentFileRules;
  private readonly noted: (answer: FileAnswer<unknown>) => void;
  private unseen: string[] = [];

  /** `noted` is told at each use whether the file can be used. */
  constructor(
    path: string,
    isOwner: AgentFileRules['isOwner'],
    noted: (answer: FileAnswer<unknown>) => void = () => undefined,
  ) {
    this.path = path;
    this.noted = noted;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.rules = { isOwner, bytesMax: NUDGES_BYTES_MAX, folder: realpathSync(dirname(path)) };
  }

  /** Makes the empty file that the command finds. */
  async create(): Promise<void> {
    await replaceAgentFile(this.path, '', this.rules.folder);
  }

  /** What the command has put in place of the file is replaced, and never written to. */
  async write(id: string, message: string): Promise<FileAnswer<void>> {
    const answer = await appendToAgentFile(this.path, nudgeLine(id, message), this.rules);
    this.noted(answer);
    if (answer.kind === 'ok') this.unseen.push(id);
    return answer;
  }

  /** Ids of the nudges that were read since the last check. */
  async takeSeen(): Promise<readonly string[]> {
    if (this.unseen.length === 0) return [];
    const written = this.unseen.length;
    const answer = await statAgentFile(this.path, this.rules);
    this.noted(answer);
    const isRead = answer.kind === 'missing' || (answer.kind === 'ok' && answer.value.size === 0);
    return isRead ? this.unseen.splice(0, written) : [];
  }

  remove(): void {
    try {
      rmSync(this.path, { force: true });
    } catch {
      // The command has put a directory in its place.
    }
  }
}

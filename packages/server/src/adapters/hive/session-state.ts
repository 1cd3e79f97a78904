import { join } from 'node:path';
import type { Instant } from '@holter/core';
import {
  type FileAnswer,
  type KnownFile,
  ownerOf,
  readChangedFile,
  statAgentFile,
} from '../../files/index.ts';
import { asNumber, asRecord, asText, type JsonRecord, parseRecord } from '../shared/json.ts';
import { timeOf } from '../shared/replay.ts';
import type { FolderContext } from '../shared/step-folder.ts';

const STATE_BYTES_MAX = 4 * 1024 * 1024;
const LOG_BYTES_MAX = 2 * 1024 ** 3;
/** A session at work that names no process and has not written for so long was left behind. */
const ORPHAN_MS = 3_600_000;
/** Clocks of files and processes differ a little. */
const SLACK_MS = 60_000;

/** `active` is what a running session has; the other two are what the tools of seed 003 expected. */
const AT_WORK: ReadonlySet<string> = new Set(['active', 'in_progress', 'running']);

/** `sessions/{id}/state.json`, as far as it matters. */
export type SessionState = {
  readonly id: string;
  readonly status: string;
  readonly isAtWork: boolean;
  readonly graphId: string | null;
  readonly isPaused: boolean;
  readonly startedAt: Instant | null;
  /** The newest sign of it: its state or its log was written. */
  readonly movedAt: number;
  /**
   * `orphan`: it says that it is at work, but its process is gone. `still`: it names no process and has not moved for
   * an hour; it is one too, unless it waits for a person.
   */
  readonly left: 'no' | 'orphan' | 'still';
};

export const logFileOf = (folder: string, id: string): string =>
  join(folder, 'sessions', id, 'logs', 'tool_logs.jsonl');

/** The states of the sessions in one folder; a file that has not changed is not read again. */
export class SessionStates {
  private readonly folder: string;
  private readonly context: Pick<FolderContext, 'wallNow' | 'startOf'>;
  private readonly known = new Map<string, KnownFile>();

  constructor(folder: string, context: Pick<FolderContext, 'wallNow' | 'startOf'>) {
    this.folder = folder;
    this.context = context;
  }

  /** Refused also where the file is no state of this session: it may be half written, or put there by an agent. */
  async read(id: string): Promise<FileAnswer<SessionState>> {
    const file = join(this.folder, 'sessions', id, 'state.json');
    const answer = await readChangedFile(file, rules(STATE_BYTES_MAX), this.known.get(id));
    if (answer.kind !== 'ok') {
      this.known.delete(id);
      return answer;
    }
    this.known.set(id, answer.value);
    const record = parseRecord(answer.value.content.toString());
    const status = asText(record?.status);
    if (!record || status === null) return { kind: 'refused', because: 'has no status' };
    // A folder whose state belongs to another session was restored or copied.
    const named = asText(record.session_id);
    if (named !== null && named !== id) return { kind: 'refused', because: 'belongs to another session' };
    const log = await statAgentFile(logFileOf(this.folder, id), rules(LOG_BYTES_MAX));
    const movedAt = Math.max(answer.value.stats.mtimeMs, log.kind === 'ok' ? log.value.mtimeMs : 0);
    return { kind: 'ok', value: this.stateOf(record, { id, status, movedAt }) };
  }

  keepOnly(ids: readonly string[]): void {
    for (const id of this.known.keys()) if (!ids.includes(id)) this.known.delete(id);
  }

  private stateOf(record: JsonRecord, seen: Pick<SessionState, 'id' | 'status' | 'movedAt'>): SessionState {
    const isAtWork = AT_WORK.has(seen.status);
    return {
      ...seen,
      isAtWork,
      graphId: asText(record.graph_id) ?? asText(record.agent_id),
      isPaused: asText(asRecord(record.progress).paused_at) !== null,
      startedAt: timeOf(asRecord(record.timestamps).started_at),
      left: isAtWork ? this.isLeft(asNumber(record.pid), seen.movedAt) : 'no',
    };
  }

  /** A process that began after the session's last sign has got the pid of one that is gone. */
  private isLeft(pid: number | null, movedAt: number): SessionState['left'] {
    const { wallNow, startOf } = this.context;
    if (pid === null || pid <= 0) return wallNow() - movedAt > ORPHAN_MS ? 'still' : 'no';
    const startedAt = startOf(pid);
    return startedAt === null || startedAt > movedAt + SLACK_MS ? 'orphan' : 'no';
  }
}

const rules = (bytesMax: number) => ({ isOwner: ownerOf(), bytesMax });

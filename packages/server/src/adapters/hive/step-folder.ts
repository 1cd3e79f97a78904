import { basename, join } from 'node:path';
import type { Instant } from '@holter/core';
import { type KnownFile, namesIn, ownerOf, readChangedFile, statAgentFile } from '../../files/index.ts';
import { asNumber, asRecord, asText, type JsonRecord, parseRecord } from '../shared/json.ts';
import { timeOf } from '../shared/replay.ts';
import type { FoundSession, OpenStepFolder } from '../shared/step-folder.ts';
import { StepLog } from './step-log.ts';

const STATE_BYTES_MAX = 4 * 1024 * 1024;
const LOG_BYTES_MAX = 2 * 1024 ** 3;
/** Sessions are named by their time, so the newest names are the newest sessions. */
const NAMES_MAX = 10_000;
const SESSIONS_MAX = 200;
/** A session at work that has not written for so long was left behind by a runtime that is gone. */
const ORPHAN_MS = 3_600_000;

/** `active` is what a running session has; the other two are what the tools of seed 003 expected. */
const AT_WORK: ReadonlySet<string> = new Set(['active', 'in_progress', 'running']);

/** `sessions/{id}/state.json`, as far as it matters. */
type State = {
  readonly id: string;
  readonly status: string;
  readonly graphId: string | null;
  readonly isPaused: boolean;
  readonly startedAt: Instant | null;
  /** The newest sign of it: its state or its log was written. */
  readonly movedAt: number;
  readonly isOrphan: boolean;
};

const rules = (bytesMax: number) => ({ isOwner: ownerOf(), bytesMax });

/** Hive's storage folder of one worker, which is named after the worker. */
export const openStepFolder: OpenStepFolder = (path, { wallNow, redact }) => {
  const agentId = basename(path);
  const states = new Map<string, KnownFile>();
  const logs = new Map<string, StepLog>();
  const logFile = (id: string): string => join(path, 'sessions', id, 'logs', 'tool_logs.jsonl');

  async function readState(id: string): Promise<State | null> {
    const file = join(path, 'sessions', id, 'state.json');
    const answer = await readChangedFile(file, rules(STATE_BYTES_MAX), states.get(id));
    if (answer.kind !== 'ok') {
      states.delete(id);
      return null;
    }
    states.set(id, answer.value);
    const record = parseRecord(answer.value.content.toString());
    const status = asText(record?.status);
    // A folder whose state belongs to another session was restored or copied.
    const named = asText(record?.session_id);
    if (!record || status === null || (named !== null && named !== id)) return null;
    const log = await statAgentFile(logFile(id), rules(LOG_BYTES_MAX));
    const loggedAt = log.kind === 'ok' ? log.value.mtimeMs : 0;
    const movedAt = Math.max(answer.value.stats.mtimeMs, loggedAt);
    return { ...stateOf(record, id, status), movedAt, isOrphan: isLeft(record, wallNow() - movedAt) };
  }

  /** Sessions at work before others, then the one that moved last. */
  async function discover(): Promise<State | null> {
    const names = [...(await namesIn(join(path, 'sessions'), NAMES_MAX))].sort().reverse();
    let best: State | null = null;
    for (const id of names.slice(0, SESSIONS_MAX)) {
      const state = await readState(id);
      if (state && !state.isOrphan && (!best || isBefore(state, best))) best = state;
    }
    for (const id of states.keys()) if (!names.includes(id)) states.delete(id);
    for (const id of logs.keys()) if (id !== best?.id) logs.delete(id);
    return best;
  }

  async function look(session?: string): Promise<FoundSession | null> {
    const state =
      session === undefined ? await discover() : isName(session) ? await readState(session) : null;
    if (!state) return null;
    const log =
      logs.get(state.id) ?? new StepLog(logFile(state.id), { agentId, sessionId: state.id, redact });
    logs.set(state.id, log);
    const evidence = await log.read(state.graphId ?? agentId);
    const waitingFor = state.isPaused ? 'it is paused' : log.waitingFor;
    const { status, startedAt } = state;
    return { evidence: { ...evidence, status, isAtWork: AT_WORK.has(status), waitingFor }, startedAt };
  }

  return { look };
};

function stateOf(record: JsonRecord, id: string, status: string): Omit<State, 'movedAt' | 'isOrphan'> {
  const progress = asRecord(record.progress);
  const graphId = asText(record.graph_id) ?? asText(record.agent_id);
  const startedAt = timeOf(asRecord(record.timestamps).started_at);
  return { id, status, graphId, isPaused: asText(progress.paused_at) !== null, startedAt };
}

const isBefore = (one: State, other: State): boolean => {
  const [atWork, otherAtWork] = [AT_WORK.has(one.status), AT_WORK.has(other.status)];
  return atWork === otherAtWork ? one.movedAt > other.movedAt : atWork;
};

/** It says that it is at work, but its process is gone or it has not moved for long. */
function isLeft(record: JsonRecord, stillMs: number): boolean {
  if (!AT_WORK.has(asText(record.status) ?? '')) return false;
  const pid = asNumber(record.pid);
  return stillMs > ORPHAN_MS || (pid !== null && pid > 0 && !isRunning(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A session is a folder right below, and nothing else. */
const isName = (session: string): boolean => /^[^/\\\0]{1,255}$/.test(session) && !/^\.+$/.test(session);

import { basename, join } from 'node:path';
import { namesIn } from '../../files/index.ts';
import type { FolderLook, OpenStepFolder } from '../shared/step-folder.ts';
import { logFileOf, type SessionState, SessionStates } from './session-state.ts';
import { StepLog } from './step-log.ts';

/** Sessions are named by their time, so the newest names are the newest sessions. */
const NAMES_MAX = 10_000;
const SESSIONS_MAX = 200;

/** The state of the session to look at, and what can't be used of the others. */
type Discovery = { readonly state: SessionState | null; readonly faults: readonly string[] };

/** Hive's storage folder of one worker, which is named after the worker. */
export const openStepFolder: OpenStepFolder = (path, context) => {
  const agentId = basename(path);
  const states = new SessionStates(path, context);
  const logs = new Map<string, StepLog>();
  /** The session that was found last. */
  let current: SessionState | null = null;

  const logOf = (id: string): StepLog => {
    const log =
      logs.get(id) ?? new StepLog(logFileOf(path, id), { agentId, sessionId: id, redact: context.redact });
    logs.set(id, log);
    return log;
  };

  /** The state as it is, or as it was last where the file can't be used now. */
  async function stateOf(id: string): Promise<Discovery> {
    const answer = await states.read(id);
    if (answer.kind === 'missing') return { state: null, faults: [] };
    if (answer.kind === 'ok') return { state: answer.value, faults: [] };
    return { state: current?.id === id ? current : null, faults: [`state.json of ${id} ${answer.because}`] };
  }

  /** Sessions at work before others, then the one that moved last. */
  async function discover(): Promise<Discovery> {
    const names = [...(await namesIn(join(path, 'sessions'), NAMES_MAX))].sort().reverse();
    let best: SessionState | null = null;
    let still: SessionState | null = null;
    const faults = new Map<string, readonly string[]>();
    for (const id of names.slice(0, SESSIONS_MAX)) {
      const { state, faults: some } = await stateOf(id);
      if (some.length > 0) faults.set(id, some);
      if (state?.left === 'no' && (!best || isBefore(state, best))) best = state;
      if (state?.left === 'still' && (!still || isBefore(state, still))) still = state;
    }
    if (still && (!best || isBefore(still, best)) && (await isWaiting(still, best))) best = still;
    states.keepOnly(names);
    for (const id of logs.keys()) if (id !== best?.id) logs.delete(id);
    current = best;
    // What an old session has in place of its files matters only where nothing else was found.
    return { state: best, faults: (best ? faults.get(best.id) : [...faults.values()][0]) ?? [] };
  }

  /** Without a process that could be looked at, only a session that nothing followed is taken for one that waits. */
  async function isWaiting(still: SessionState, other: SessionState | null): Promise<boolean> {
    if (other && other.movedAt > still.movedAt) return false;
    if (still.isPaused) return true;
    const log = logOf(still.id);
    await log.read(agentId);
    return log.waitingFor !== null;
  }

  async function look(session?: string): Promise<FolderLook> {
    const isNamed = session !== undefined;
    if (isNamed && !isName(session)) return { session: null, faults: [] };
    const { state, faults } = isNamed ? await stateOf(session) : await discover();
    if (!state) return { session: null, faults };
    const log = logOf(state.id);
    const evidence = await log.read(state.graphId ?? agentId);
    const { status, isAtWork, startedAt } = state;
    const waitingFor = state.isPaused ? 'it is paused' : log.waitingFor;
    return {
      session: { evidence: { ...evidence, status, isAtWork, waitingFor }, startedAt },
      faults: log.fault === null ? faults : [...faults, `tool_logs.jsonl of ${state.id} ${log.fault}`],
    };
  }

  return { look };
};

const isBefore = (one: SessionState, other: SessionState): boolean =>
  one.isAtWork === other.isAtWork ? one.movedAt > other.movedAt : one.isAtWork;

/** A session is a folder right below, and nothing else. */
const isName = (session: string): boolean => /^[^/\\\0]{1,255}$/.test(session) && !/^\.+$/.test(session);

import type { SignalBody } from '@holter/core';
import { ADAPTERS, type Adapter } from '../adapters/index.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import { findRun, type RunRecord } from '../executors/index.ts';
import { faultSignal } from '../files/index.ts';
import { HOLTER, type Intake } from '../intake/index.ts';
import type { MailTray } from '../post/index.ts';
import { systemTable } from '../processes/index.ts';
import type { Store, StoredAgent } from '../store/store.ts';
import { HookSessions, type OwnJudge, type SessionWatcher } from './hook-sessions.ts';
import { Session } from './session.ts';
import { type FileFaultsTold, SessionWatch } from './session-watch.ts';

export type { HookSessions } from './hook-sessions.ts';

export type SessionsContext = {
  readonly engine: Engine;
  readonly intake: Intake;
  readonly store: Pick<Store, 'listAgents' | 'getMeta'>;
  readonly replies: ReplyQueue;
  readonly clock: Clock;
  readonly mail?: Pick<MailTray, 'take' | 'prepare'>;
  readonly judge?: OwnJudge;
  readonly env: NodeJS.ProcessEnv;
  /** Called when a hook was answered but its signals could not be stored. */
  readonly failed: (error: unknown) => void;
  /** Called with what a person should know of files that can't be used. */
  readonly warn: (message: string) => void;
};

/** Starts support for sessions that report through hooks, and for what hooks do not report. */
export function startSessions(context: SessionsContext): {
  readonly hooks: readonly HookSessions[];
  /** A `holter run` has started this session, and expects hooks of it. */
  readonly followRun: (run: RunRecord) => void;
  readonly close: () => Promise<void>;
} {
  const { engine, intake, store, clock, env, failed, warn } = context;
  const table = systemTable();
  const watches = new Map<string, SessionWatch>();
  const parts = { intake, failed };
  const hooks = hookSessions(context, (adapter) => {
    const fileFaults: FileFaultsTold = (faults, session) => {
      const agentId = session?.agentId ?? null;
      if (faults.length > 0) warn(`${agentId === null ? '' : `${agentId}: `}${faults.join('; ')}`);
      if (!session || agentId === null) return;
      sensed(session, faultSignal(faults, clock.now()));
    };
    const sensed = (session: Session, body: SignalBody): void => {
      const { agentId } = session;
      if (agentId === null) return;
      const incarnation = session.incarnation ?? engine.peek(agentId)?.hard.incarnation;
      void intake.take({ agentId, incarnation, ...body }, HOLTER).catch(failed);
    };
    const leftBehind = ({ agentId, incarnation }: Session, pids: readonly number[], how: string): void => {
      if (agentId === null) return;
      const processes = `${pids.length} ${pids.length === 1 ? 'process' : 'processes'}`;
      const message = `${agentId} ${how} and left ${processes} running (pid ${pids.slice(0, 10).join(', ')})`;
      const notice = { audience: 'operator', severity: 'warning', message, incidentId: null } as const;
      void engine.notify(agentId, `${agentId}/${incarnation}/left-behind`, notice).catch(failed);
    };
    const sessionOf = async (sessionId: string): Promise<Session | null> => {
      const agent = await store.listAgents({ text: sessionId.slice(0, 8), limit: SAME_NAME_MAX });
      return restored(sessionId, agent.items, parts);
    };
    const watch = new SessionWatch({
      ...{ adapter, engine, clock, env, table, failed },
      ...{ fileFaults, sensed, leftBehind, sessionOf },
    });
    watches.set(adapter.name, watch);
    void watch.start().catch(failed);
    return watch;
  });
  const followRun = ({ agentId, incarnation, session }: RunRecord): void => {
    context.mail?.prepare(agentId);
    if (!session) return;
    const source = { sessionId: session.id, subagentId: null, cwd: null, transcriptPath: null };
    watches.get(session.kind)?.follow(new Session({ source, agentId, incarnation, ...parts }));
  };
  const close = async (): Promise<void> => {
    for (const watch of watches.values()) watch.close();
    await Promise.all(hooks.map((sessions) => sessions.settled()));
  };
  return { hooks, followRun, close };
}

/** Agents whose names have the same first digits of a session's id. */
const SAME_NAME_MAX = 20;

function restored(
  sessionId: string,
  found: readonly StoredAgent[],
  parts: Pick<SessionsContext, 'intake' | 'failed'>,
): Session | null {
  const stored = found.find(({ agent: { hard } }) => !hard.end && hard.reporter?.session === sessionId);
  if (!stored) return null;
  const user = stored.agent.hard.reporter?.user ?? null;
  const source = { sessionId, subagentId: null, cwd: null, transcriptPath: null };
  const session = new Session({ source, agentId: null, incarnation: null, user, ...parts });
  session.join(stored.agent);
  return session;
}

const NOBODY: SessionWatcher = { heard: () => undefined, processOf: () => null };

/** One handler for each agent kind with hooks. `watcherOf` is notified of every session that reports. */
export function hookSessions(
  context: Pick<SessionsContext, 'engine' | 'intake' | 'replies' | 'clock' | 'mail' | 'judge' | 'failed'> & {
    readonly store: Pick<Store, 'getMeta'>;
  },
  watcherOf: (adapter: Adapter) => SessionWatcher = () => NOBODY,
): readonly HookSessions[] {
  const { engine, intake, store, replies, clock, mail, judge, failed } = context;
  const parts = {
    ...{ engine, intake, replies, clock, failed },
    findRun: (executorId: string) => findRun(store, executorId),
    ...(mail && { mail }),
    ...(judge && { judge }),
  };
  return ADAPTERS.flatMap((adapter) => {
    const { hooks } = adapter;
    if (!hooks) return [];
    return [new HookSessions({ ...parts, adapter: { ...adapter, hooks }, watch: watcherOf(adapter) })];
  });
}

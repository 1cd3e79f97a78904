import { ADAPTERS, type Adapter } from '../adapters/index.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import { faultSignal } from '../files/index.ts';
import { HOLTER, type Intake } from '../intake/index.ts';
import { systemTable } from '../processes/index.ts';
import { HookSessions } from './hook-sessions.ts';
import type { Session } from './session.ts';
import { type FileFaultsTold, SessionWatch } from './session-watch.ts';

export type { HookSessions } from './hook-sessions.ts';

export type SessionsContext = {
  readonly engine: Engine;
  readonly intake: Intake;
  readonly replies: ReplyQueue;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  /** Called when a hook was answered but its signals could not be stored. */
  readonly failed: (error: unknown) => void;
  /** Called with what a person should know of files that can't be used. */
  readonly warn: (message: string) => void;
};

/** Starts support for sessions that report through hooks, and for what hooks do not report. */
export function startSessions(context: SessionsContext): {
  readonly hooks: readonly HookSessions[];
  readonly close: () => Promise<void>;
} {
  const { engine, intake, replies, clock, env, failed, warn } = context;
  const table = systemTable();
  const watches: SessionWatch[] = [];
  const hooks = hookSessions({ engine, intake, replies, clock, failed }, (adapter) => {
    const fileFaults: FileFaultsTold = (faults, session) => {
      const agentId = session?.agentId ?? null;
      if (faults.length > 0) warn(`${agentId === null ? '' : `${agentId}: `}${faults.join('; ')}`);
      if (!session || agentId === null) return;
      const incarnation = session.incarnation ?? engine.peek(agentId)?.hard.incarnation;
      const signal = { agentId, incarnation, ...faultSignal(faults, clock.now()) };
      void intake.take(signal, HOLTER).catch(failed);
    };
    const watch = new SessionWatch({ adapter, engine, clock, env, table, failed, fileFaults });
    watches.push(watch);
    return (session) => watch.heard(session);
  });
  const close = async (): Promise<void> => {
    for (const watch of watches) watch.close();
    await Promise.all(hooks.map((sessions) => sessions.settled()));
  };
  return { hooks, close };
}

/** One handler for each agent kind with hooks. `watcherOf` is notified of every session that reports. */
export function hookSessions(
  parts: Pick<SessionsContext, 'engine' | 'intake' | 'replies' | 'clock' | 'failed'>,
  watcherOf: (adapter: Adapter) => (session: Session) => void = () => () => undefined,
): readonly HookSessions[] {
  return ADAPTERS.flatMap((adapter) => {
    const { hooks } = adapter;
    if (!hooks) return [];
    return [new HookSessions({ ...parts, adapter: { ...adapter, hooks }, heard: watcherOf(adapter) })];
  });
}

import { type HoldKind, instant, type MessagePriority, type SignalBody, type Source } from '@holter/core';
import { durationOf, type Words } from './words.ts';
import type { StoryWorld } from './world.ts';

/** Short forms of facts that stories use often. */
type Fact = (world: StoryWorld, words: Words) => { readonly body: SignalBody; readonly from: Source };

const heard = (body: SignalBody): ReturnType<Fact> => ({ body, from: 'agent' });
const sensed = (body: SignalBody): ReturnType<Fact> => ({ body, from: 'holter' });

/** The agent's name comes first and is already removed here. */
export const facts: Readonly<Record<string, Fact>> = {
  pong: () => heard({ kind: 'pong' }),
  turn: (_world, { rest: [what] }) => heard({ kind: what === 'ends' ? 'turn-ended' : 'turn-begun' }),
  /** `job backup 3`: its run ended with this exit code. */
  job: (_world, { rest: [code = '0'] }) =>
    heard({ kind: 'job-ended', outcome: code === '0' ? 'done' : 'failed', code: Number(code) }),
  checkpoint: (_world, { rest: [checkpointId = 'cp1'] }) =>
    heard({ kind: 'checkpoint', checkpointId, hash: 'h' }),
  /** `assign ada t1 due=30m`: its expected end is half an hour from now. With `given`, its tracker says so. */
  assign: (world, { rest: [taskId = '', how], fields: { due } }) => ({
    body: {
      kind: 'task-assigned',
      taskId,
      ...(due !== undefined && { expectedAt: instant(world.at + durationOf(due)) }),
    },
    from: how === 'given' ? 'holter' : 'agent',
  }),
  /** `update ada t1 percent=40`; with `stuck`, it says that it cannot continue. */
  update: (_world, { rest: [taskId = '', how], fields: { percent } }) =>
    heard({
      kind: 'task-updated',
      taskId,
      ...(percent !== undefined && { percent: Number(percent) }),
      ...(how === 'stuck' && { cannotContinue: true }),
    }),
  finish: (_world, { rest: [taskId = ''] }) => heard({ kind: 'task-ended', taskId, outcome: 'done' }),
  /** `hold ada rate-limited until=30m`: half an hour from now. With `seen`, its own program reports it. */
  hold: (world, { rest: [hold = '', how], fields: { until } }) => ({
    body: {
      kind: 'hold-begun',
      hold: hold as HoldKind,
      ...(until !== undefined && { until: instant(world.at + durationOf(until)) }),
    },
    from: how === 'seen' ? 'cli' : 'agent',
  }),
  unhold: (_world, { rest: [hold = ''] }) => heard({ kind: 'hold-ended', hold: hold as HoldKind }),
  error: (_world, { rest: [how] }) =>
    heard({ kind: 'error', message: 'failed', ...(how === 'unrecoverable' && { isUnrecoverable: true }) }),
  blocker: (_world, { rest }) => heard({ kind: 'blocker', text: rest.join(' ') }),
  note: (_world, { rest: [noteId = 'n1'] }) => heard({ kind: 'handoff-written', noteId }),
  stops: (_world, { rest }) => heard({ kind: 'stopped', reason: rest.join(' ') }),
  acknowledge: (_world, { rest: [messageId = ''] }) => heard({ kind: 'message-acknowledged', messageId }),
  /** What the senders of messages and the other end of the connection see. */
  message: (_world, { rest: [messageId = '', priority = 'normal'] }) =>
    sensed({ kind: 'message-delivered', messageId, priority: priority as MessagePriority }),
  undelivered: (_world, { rest: [messageId = '', code = 'agent_offline'] }) =>
    sensed({ kind: 'message-failed', messageId, code }),
  connection: (_world, { rest: [state] }) =>
    sensed({ kind: 'connection', state: state === 'closed' ? 'closed' : 'open' }),
  /** The process: `exit ada 1`, `exit ada SIGKILL`. */
  exit: (_world, { rest: [code = ''] }) =>
    sensed(
      /^\d+$/.test(code)
        ? { kind: 'exited', code: Number(code) }
        : { kind: 'exited', code: null, signal: code },
    ),
};

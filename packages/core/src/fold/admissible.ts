import { hashText } from '../base/hash.ts';
import type { Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { hasRoomForTask } from '../record/tasks.ts';
import type { Source } from '../vocabulary/authority.ts';
import { AUTHORITY } from '../vocabulary/authority.ts';
import type { SignalRejectionCode } from '../vocabulary/rejection.ts';
import type { Signal } from '../vocabulary/signal.ts';
import { SENSED_ONLY } from '../vocabulary/signal.ts';

/** Covers the overlap of a hook, a transcript and a retried request. Older repeats are caught by the marks. */
const SEEN_MAX = 32;
const MARKS_MAX = 4;

/** Why a signal must not be folded in; null if it may. */
export function whyInadmissible(hard: Hard, signal: Signal, origin: Source): SignalRejectionCode | null {
  if (signal.agentId !== hard.agentId) return 'other-agent';
  if (signal.incarnation === undefined) {
    if (hard.incarnation !== 0) return 'no-incarnation';
  } else {
    const code = whyOtherIncarnation(hard, signal.incarnation);
    if (code !== null) return code;
  }
  const { senses, decides, holds, ends } = AUTHORITY[origin];
  if (!senses && SENSED_ONLY.has(signal.kind)) return 'sensed-only';
  if (signal.kind === 'hold-begun' || signal.kind === 'hold-ended') {
    if (decides !== 'always' && signal.hold === 'paused-by-operator') return 'operator-only';
    if (holds === 'never') return 'other-agent';
  }
  if (ends === 'never' && signal.kind === 'stopped') return 'other-agent';
  if (hard.end && !COUNTS_AFTER_END.has(signal.kind)) return 'agent-ended';
  if (signal.kind === 'task-assigned' && !hasRoomForTask(hard, signal.taskId, origin === 'agent'))
    return 'too-many-tasks';
  return null;
}

/**
 * A task may be ended by its tracker; the last tokens may be read after the end of the process; letters wait for the
 * successor.
 */
const COUNTS_AFTER_END: ReadonlySet<Signal['kind']> = new Set<Signal['kind']>([
  'task-ended',
  'tokens',
  'message-delivered',
  'message-acknowledged',
]);

export function whyOtherIncarnation(
  { incarnation: current }: Hard,
  incarnation: number,
): 'stale-incarnation' | 'unknown-incarnation' | null {
  if (incarnation === current) return null;
  return incarnation < current ? 'stale-incarnation' : 'unknown-incarnation';
}

/**
 * Probes and signs of life, which do no harm when folded in twice. Their ids are not remembered, so that they don't
 * push out ids that matter. A beat is not among them: it may carry text and counts. Nor is a token total: folded in
 * twice, it would look as if tokens stood still.
 */
export const HARMLESS_TWICE: ReadonlySet<Signal['kind']> = new Set<Signal['kind']>([
  'pong',
  'activity',
  'process',
]);

/** Whether this fact was folded in before, on any path; if not, it is remembered. */
export function isRepeatedSignal(draft: Draft, signal: Signal): boolean {
  return isBehindMark(draft, signal) || isSeenBefore(draft, signal);
}

/** As `isRepeatedSignal`, but remembers nothing; for signals that will not be folded in. */
export function wasFoldedBefore(hard: Hard, signal: Signal): boolean {
  const { channel, seq } = signal;
  const mark = channel === undefined ? undefined : hard.highWater?.[channel];
  if (mark !== undefined && seq !== undefined && seq <= mark) return true;
  const id = callIdOf(signal) ?? signal.id;
  return id !== undefined && hasSeen(hard, signal.kind, id);
}

/** Whether a signal of this kind and id is among the newest that were folded in. */
export const hasSeen = ({ seen }: Pick<Hard, 'seen'>, kind: Signal['kind'], id: string): boolean =>
  seen.includes(hashText(`${kind} ${id}`));

function isBehindMark({ hard }: Draft, { channel, seq }: Signal): boolean {
  if (channel === undefined || seq === undefined) return false;
  const mark = hard.highWater?.[channel];
  if (mark !== undefined && seq <= mark) return true;
  const others = Object.entries(hard.highWater ?? {}).filter(([name]) => name !== channel);
  hard.highWater = Object.fromEntries([...others.slice(1 - MARKS_MAX), [channel, seq]]);
  return false;
}

function isSeenBefore({ hard }: Draft, signal: Signal): boolean {
  // A call has the same id from a hook, a transcript or a retry; the id of the envelope may differ.
  const callId = callIdOf(signal);
  const id = callId ?? signal.id;
  if (id === undefined) return false;
  // Only calls arrive on several paths. For all other signals the mark of their source is enough.
  if (callId === undefined && signal.seq !== undefined) return false;
  // The begin and the end of a call share its id, so the kind is part of the hash.
  const hash = hashText(`${signal.kind} ${id}`);
  if (hard.seen.includes(hash)) return true;
  // A begin that arrives after its own end would open a hold that never closes.
  if (signal.kind === 'call-begun' && hard.seen.includes(hashText(`call-ended ${id}`))) return true;
  // The answer to an inquiry is remembered: repeated, it would count as an ordinary sign of life and clear "busy".
  if (HARMLESS_TWICE.has(signal.kind) && !hard.inquiry) return false;
  hard.seen = hard.seen.length < SEEN_MAX ? [...hard.seen, hash] : [...hard.seen.slice(1 - SEEN_MAX), hash];
  return false;
}

const callIdOf = (signal: Signal): string | undefined =>
  signal.kind === 'call-begun' || signal.kind === 'call-ended' ? signal.callId : undefined;

import { hashText } from '../base/hash.ts';
import type { Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import type { SignalRejectionCode } from '../vocabulary/rejection.ts';
import type { Signal } from '../vocabulary/signal.ts';
import { SENSED_ONLY } from '../vocabulary/signal.ts';

/** Enough for what a hook, a transcript and a retried request can overlap; older repeats fall to the marks. */
const SEEN_MAX = 32;
const MARKS_MAX = 4;

/** Why a signal must not be folded in; null when it may. */
export function whyInadmissible(
  hard: Hard,
  signal: Signal,
  origin: 'agent' | 'holter',
): SignalRejectionCode | null {
  if (signal.agentId !== hard.agentId) return 'other-agent';
  if (signal.incarnation === undefined) {
    if (hard.incarnation !== 0) return 'no-incarnation';
  } else if (signal.incarnation !== hard.incarnation) {
    return signal.incarnation < hard.incarnation ? 'stale-incarnation' : 'unknown-incarnation';
  }
  if (origin === 'agent' && SENSED_ONLY.has(signal.kind)) return 'sensed-only';
  if (origin === 'agent' && isOperatorHold(signal)) return 'operator-only';
  if (hard.end && signal.kind !== 'task-ended') return 'agent-ended';
  return null;
}

/** Looks and signs of life: told again they say nothing new, and they must not crowd out what would. A beat is
 * none of them: it may carry words and counts. Nor is a total of tokens: told again it would seem to stand still. */
export const HARMLESS_TWICE: ReadonlySet<Signal['kind']> = new Set<Signal['kind']>([
  'pong',
  'activity',
  'process',
]);

const isOperatorHold = (signal: Signal): boolean =>
  (signal.kind === 'hold-begun' || signal.kind === 'hold-ended') && signal.hold === 'paused-by-operator';

/** Whether this very fact was folded in before, on whatever way it came; if not, it is remembered. */
export function isRepeatedSignal(draft: Draft, signal: Signal): boolean {
  return isBehindMark(draft, signal) || isSeenBefore(draft, signal);
}

/** The same question without remembering anything, for signals that will not be folded in. */
export function wasFoldedBefore(hard: Hard, signal: Signal): boolean {
  const { channel, seq } = signal;
  const mark = channel === undefined ? undefined : hard.marks?.[channel];
  if (mark !== undefined && seq !== undefined && seq <= mark) return true;
  const id = callIdOf(signal) ?? signal.id;
  return id !== undefined && hard.seen.includes(hashText(`${signal.kind} ${id}`));
}

function isBehindMark({ hard }: Draft, { channel, seq }: Signal): boolean {
  if (channel === undefined || seq === undefined) return false;
  const mark = hard.marks?.[channel];
  if (mark !== undefined && seq <= mark) return true;
  const others = Object.entries(hard.marks ?? {}).filter(([name]) => name !== channel);
  hard.marks = Object.fromEntries([...others.slice(1 - MARKS_MAX), [channel, seq]]);
  return false;
}

function isSeenBefore({ hard }: Draft, signal: Signal): boolean {
  // By hook, by transcript or by a retry, a call is known by its own id; an envelope's id may differ.
  const callId = callIdOf(signal);
  const id = callId ?? signal.id;
  if (id === undefined) return false;
  // Only a call comes on several ways; for all else the mark of its own source says enough.
  if (callId === undefined && signal.seq !== undefined) return false;
  // A call's begin and end share the call's id; the kind keeps them apart.
  const hash = hashText(`${signal.kind} ${id}`);
  if (hard.seen.includes(hash)) return true;
  // A begin that was overtaken by its own end would open a hold that nothing ever closes.
  if (signal.kind === 'call-begun' && hard.seen.includes(hashText(`call-ended ${id}`))) return true;
  // The answer to an inquiry is remembered: sent again, it would be a plain sign of life that ends "busy".
  if (HARMLESS_TWICE.has(signal.kind) && !hard.inquiry) return false;
  hard.seen = hard.seen.length < SEEN_MAX ? [...hard.seen, hash] : [...hard.seen.slice(1 - SEEN_MAX), hash];
  return false;
}

const callIdOf = (signal: Signal): string | undefined =>
  signal.kind === 'call-begun' || signal.kind === 'call-ended' ? signal.callId : undefined;

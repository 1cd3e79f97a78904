import { hashText } from '../base/hash.ts';
import { between } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { emit, lookAgainAt, markNow } from '../record/draft.ts';
import type { Hold, HoldKind } from '../vocabulary/hold.ts';

/** Calls that may be open at once in one agent. A sender with more never ends its calls. */
const OPEN_CALLS_MAX = 16;

type HoldTerms = Pick<Hold, 'until' | 'isOwnWord'>;

export function beginHold(draft: Draft, kind: HoldKind, terms: HoldTerms = {}): void {
  const { hard, at } = draft;
  const before = hard.holds.find((hold) => hold.kind === kind);
  const hold: Hold = { kind, since: before?.since ?? at, ...terms };
  hard.holds = [...hard.holds.filter((other) => other !== before), hold];
  if (before) return;
  emit(draft, {
    type: 'HOLD_BEGAN',
    payload: { agentId: hard.agentId, hold: kind, ...(terms.until !== undefined && { until: terms.until }) },
  });
}

export function endHold(draft: Draft, kind: HoldKind): void {
  const { hard, at } = draft;
  const hold = hard.holds.find((other) => other.kind === kind);
  if (!hold) return;
  const rest = hard.holds.filter((other) => other !== hold);
  // The stopwatches are read before and after, so that overlapping holds are counted once.
  const held = markNow(draft).held;
  hard.holds = rest;
  const running = markNow(draft).held;
  hard.heldBefore = {
    anyMs: hard.heldBefore.anyMs + (held.anyMs - running.anyMs),
    outsideToolMs: hard.heldBefore.outsideToolMs + (held.outsideToolMs - running.outsideToolMs),
  };
  if (kind === 'in-tool') return;
  emit(draft, {
    type: 'HOLD_ENDED',
    payload: { agentId: hard.agentId, hold: kind, heldMs: between(hold.since, at) },
  });
}

/** While a call is open, silence belongs to the tool, not to the agent. */
export function openCall(draft: Draft, callId: string): void {
  const { hard, at } = draft;
  const call = hashText(callId);
  const hold = hard.holds.find(({ kind }) => kind === 'in-tool');
  const calls = [...(hold?.calls ?? []).filter((other) => other !== call), call].slice(-OPEN_CALLS_MAX);
  const others = hard.holds.filter((other) => other !== hold);
  hard.holds = [...others, { kind: 'in-tool', since: hold?.since ?? at, calls }];
}

export function closeCall(draft: Draft, callId: string): void {
  const { hard } = draft;
  const hold = hard.holds.find(({ kind }) => kind === 'in-tool');
  if (!hold) return;
  const call = hashText(callId);
  const calls = (hold.calls ?? []).filter((other) => other !== call);
  if (calls.length === 0) endHold(draft, 'in-tool');
  else hard.holds = hard.holds.map((other) => (other === hold ? { ...hold, calls } : other));
}

/**
 * Ends holds whose wall-clock end has come, even without a signal. The end was read off another clock, so if one of
 * the two is wrong, the agent still rightly waits; `isHoldLapsed` remembers that.
 */
export function endExpiredHolds(draft: Draft): void {
  for (const hold of draft.hard.holds) {
    if (hold.until === undefined) continue;
    if (hold.until > draft.at) lookAgainAt(draft, hold.until);
    else {
      endHold(draft, hold.kind);
      draft.hard.isHoldLapsed = true;
    }
  }
}

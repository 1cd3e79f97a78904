import { hashText } from '../base/hash.ts';
import type { Instant } from '../base/time.ts';
import { between, earliest, hours, instant, later, minutes } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { emit, lookAgainAt, markNow } from '../record/draft.ts';
import { isRowOver } from '../rule/hold-age.ts';
import type { Hold, HoldKind } from '../vocabulary/hold.ts';
import { HOLD_KINDS, isSeen, mcpServerOf } from '../vocabulary/hold.ts';

/** Calls that may be open at once in one agent. A sender with more never ends its calls. */
const OPEN_CALLS_MAX = 16;

type HoldTerms = Pick<Hold, 'until' | 'isOwnWord' | 'isOnRecord'>;

export function beginHold(draft: Draft, kind: HoldKind, wanted: HoldTerms = {}): void {
  const { hard, at } = draft;
  const terms = withinLimit(kind, wanted, at);
  const before = hard.holds.find((hold) => hold.kind === kind);
  // What Holter has seen does not become the agent's own word, which counts for less.
  if (before && !before.isOwnWord && terms.isOwnWord) return;
  const hold: Hold = { kind, since: before?.since ?? at, ...terms };
  changeHolds(draft, [...hard.holds.filter((other) => other !== before), hold]);
  if (before) return;
  emit(draft, {
    type: 'HOLD_BEGAN',
    payload: { agentId: hard.agentId, hold: kind, ...(terms.until !== undefined && { until: terms.until }) },
  });
}

/** Usage limits reset within a week; a later time is wrong, or is meant to keep Holter away. */
const LIMIT_MS_MAX = hours(8 * 24);

function withinLimit(kind: HoldKind, terms: HoldTerms, at: Instant): HoldTerms {
  if (kind !== 'rate-limited' || terms.until === undefined) return terms;
  return { ...terms, until: earliest(terms.until, later(at, LIMIT_MS_MAX)) };
}

export function endHold(draft: Draft, kind: HoldKind): void {
  const { hard, at } = draft;
  const hold = hard.holds.find((other) => other.kind === kind);
  if (!hold) return;
  changeHolds(
    draft,
    hard.holds.filter((other) => other !== hold),
  );
  if (kind === 'in-tool') return;
  emit(draft, {
    type: 'HOLD_ENDED',
    payload: { agentId: hard.agentId, hold: kind, heldMs: between(hold.since, at) },
  });
}

/** The stopwatches are read before and after, so that overlapping holds are counted once. */
function changeHolds(draft: Draft, holds: readonly Hold[]): void {
  const { hard } = draft;
  const held = markNow(draft).held;
  hard.holds = holds;
  const running = markNow(draft).held;
  const ownMs = (hard.heldBefore.ownMs ?? 0) + (held.ownMs ?? 0) - (running.ownMs ?? 0);
  hard.heldBefore = {
    anyMs: hard.heldBefore.anyMs + (held.anyMs - running.anyMs),
    outsideToolMs: hard.heldBefore.outsideToolMs + (held.outsideToolMs - running.outsideToolMs),
    ...(ownMs !== 0 && { ownMs }),
  };
  followOwnHolds(draft);
}

/** Begins, continues or ends the row of holds that the agent declared itself. */
function followOwnHolds(draft: Draft): void {
  const { hard, at } = draft;
  const row = hard.ownHolds;
  const isOnHold = hard.holds.some(({ isOwnWord }) => isOwnWord);
  if (isOnHold && row?.endedAt === undefined) hard.ownHolds = row ?? { since: at };
  else if (isOnHold) hard.ownHolds = { since: isRowOver(draft) ? at : (row?.since ?? at) };
  else if (row && row.endedAt === undefined) hard.ownHolds = { since: row.since, endedAt: at };
}

/** Holds that a call contradicts: an agent that calls a tool does not sleep, and waits for nothing. */
const CONTRADICTED: readonly HoldKind[] = HOLD_KINDS.filter(
  (kind) => kind !== 'in-tool' && kind !== 'paused-by-operator',
);

export function endContradictedHolds(draft: Draft): void {
  const contradicted = draft.hard.holds.filter(({ kind }) => CONTRADICTED.includes(kind));
  if (contradicted.length === 0) return;
  for (const { kind } of contradicted) endHold(draft, kind);
  noteContradiction(draft, contradicted);
}

/** The agent's own word ends a hold. If the hold was not its own word, it contradicts it as a call does. */
export function takeBackHold(draft: Draft, kind: HoldKind): void {
  const taken = draft.hard.holds.filter((hold) => hold.kind === kind && isSeen(hold));
  endHold(draft, kind);
  if (taken.length > 0) noteContradiction(draft, taken);
}

/**
 * A hook may be posted by the agent itself. While an incident is open, holds that turned out to be wrong therefore
 * begin a row of the agent's own holds, or continue it.
 */
function noteContradiction(draft: Draft, holds: readonly Hold[]): void {
  const { hard, at } = draft;
  if (!hard.incident || hard.incident.calm) return;
  const began = instant(Math.min(...holds.map(({ since }) => since)));
  // A word right before the call begins a row as well: the wrong hold may be older than that.
  const since = isRowOver(draft) ? began : earliest(began, hard.ownHolds?.since ?? began);
  const isOnHold = hard.holds.some(({ isOwnWord }) => isOwnWord);
  hard.ownHolds = isOnHold ? { since } : { since, endedAt: at };
}

/** Whether a hold that is only believed until it is contradicted counts as the agent's own word. */
export const isContradicted = (draft: Draft): boolean =>
  draft.hard.incident !== undefined && !draft.hard.incident.calm && !isRowOver(draft);

/** While a call is open, silence belongs to the tool, not to the agent. */
export function openCall(draft: Draft, callId: string, tool: string): void {
  const { hard, at } = draft;
  const call = hashText(callId);
  const server = mcpServerOf(tool);
  const hold = hard.holds.find(({ kind }) => kind === 'in-tool');
  const calls = [...(hold?.calls ?? []).filter((other) => other !== call), call].slice(-OPEN_CALLS_MAX);
  const others = hard.holds.filter((other) => other !== hold);
  const waits = (hold?.mcp ?? []).filter((other) => other.call !== call && calls.includes(other.call));
  const mcp = server === null ? waits : [...waits, { call, server, since: at }];
  const since = hold?.since ?? at;
  hard.holds = [...others, { kind: 'in-tool', since, calls, ...(mcp.length > 0 && { mcp }) }];
}

/** Returns whether the call was open. */
export function closeCall(draft: Draft, callId: string): boolean {
  const { hard } = draft;
  const hold = hard.holds.find(({ kind }) => kind === 'in-tool');
  if (!hold) return false;
  const call = hashText(callId);
  const calls = (hold.calls ?? []).filter((other) => other !== call);
  const isOpen = calls.length < (hold.calls?.length ?? 0);
  if (calls.length === 0) endHold(draft, 'in-tool');
  else {
    const { mcp = [], ...rest } = hold;
    const waits = mcp.filter((other) => other.call !== call);
    const left: Hold = { ...rest, calls, ...(waits.length > 0 && { mcp: waits }) };
    hard.holds = hard.holds.map((other) => (other === hold ? left : other));
  }
  return isOpen;
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
      if (hold.kind === 'rate-limited' && hold.until - hold.since >= LIMIT_TOLD_MS) tellReset(draft);
    }
  }
}

/** Shorter waits are retries of the agent itself, which goes on by itself. */
const LIMIT_TOLD_MS = minutes(2);

/** Nobody types into a terminal for a person, so the person is told that the session can go on. */
function tellReset(draft: Draft): void {
  const { agentId } = draft.hard;
  emit(draft, {
    type: 'ATTENTION_RAISED',
    payload: { agentId, about: 'usage-limit', message: 'its usage limit has reset, and it waits to go on' },
  });
}

import type { DurationMs, Instant } from '../base/time.ts';
import { between, instant, inWords, later, latest, milliseconds } from '../base/time.ts';
import type { Policy } from '../policy/policy.ts';
import type { Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import type { Incident } from '../record/incident.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Hold, McpCall } from '../vocabulary/hold.ts';
import { isSeen } from '../vocabulary/hold.ts';
import { asBefore, finding, isPast, ownDelayOf } from './rule.ts';

/**
 * A forgotten hold would suspend judging for ever. After its maximum age a person is told; it never causes a kill.
 * The age of a hold that the agent declared itself is that of the whole row, or ending it and declaring it again
 * would make it young. While an incident is open, a person is also told when the agent's own holds have delayed the
 * ladder for as long as they may; the ladder then goes on.
 */
export function holdOverdue(draft: Draft): Finding | null {
  const { hard, at, policy } = draft;
  if (hard.end) return null;
  const hung = hungServer(draft);
  if (hung) {
    const { server, since } = hung;
    return overdue(
      since,
      `waiting for MCP server ${server}, which has not answered for ${inWords(between(since, at))}`,
      `${inWords(policy.silence.actMs)} for a call of an MCP server`,
    );
  }
  const old = agedHold(draft);
  if (old) {
    const since = beginOf(hard, old);
    return overdue(
      since,
      `on hold (${old.kind}) for ${inWords(between(since, at))}`,
      `${inWords(policy.holdMsMax[old.kind])} for ${old.kind}`,
    );
  }
  const isOnOwnHold = hard.holds.some(({ isOwnWord }) => isOwnWord);
  if (isOnOwnHold && hard.incident && !hard.incident.calm && isDelaySpent(draft, hard.incident)) {
    const since = delayedSince(hard, hard.incident);
    return overdue(
      since,
      `on a self-declared hold for ${inWords(between(since, at))}, with an open incident`,
      `${inWords(delayMsMax(policy))} while an incident is open`,
    );
  }
  // Between two holds of a row the finding stays, or each of them would be told again.
  return isRowOver(draft) ? null : asBefore(draft, 'hold-overdue');
}

/** An MCP server shows no work of its own, so its calls get no longer than an agent that is silent. */
function hungServer(draft: Draft): McpCall | null {
  const { hard, policy } = draft;
  const waits = hard.holds.flatMap(({ mcp = [] }) => mcp);
  return waits.find(({ since }) => isPast(draft, later(since, policy.silence.actMs))) ?? null;
}

/** A hold that has lasted longer than its kind may; null if there is none. */
export function agedHold(draft: Draft): Hold | null {
  const { hard, policy } = draft;
  return (
    hard.holds.find((hold) => isPast(draft, later(beginOf(hard, hold), policy.holdMsMax[hold.kind]))) ?? null
  );
}

const beginOf = ({ ownHolds }: Hard, { isOwnWord, since }: Hold): Instant =>
  isOwnWord && ownHolds && ownHolds.since < since ? ownHolds.since : since;

const overdue = (since: Instant, evidence: string, threshold: string): Finding =>
  finding({ kind: 'hold-overdue', severity: 'warn', source: 'agent-reports', since, evidence, threshold });

/** Whether the agent's own holds and open calls have delayed this incident for as long as they may. */
export const isDelaySpent = (draft: Draft, incident: Incident): boolean =>
  isPast(draft, later(delayedSince(draft.hard, incident), delayMsMax(draft.policy)));

function delayedSince(hard: Hard, { openedAt }: Incident): Instant {
  const begun = hard.holds.filter((hold) => !isSeen(hold)).map((hold) => beginOf(hard, hold));
  return latest(openedAt, instant(Math.min(...begun)));
}

const delayMsMax = (policy: Policy): DurationMs => milliseconds(ownDelayOf(policy.escalation.waitMs, policy));

/** Whether the agent was off its own holds for long enough that the next one begins another row. */
export function isRowOver(draft: Draft): boolean {
  const { hard, policy } = draft;
  const { ownHolds } = hard;
  if (!ownHolds) return true;
  if (ownHolds.endedAt === undefined) return false;
  const { ownHoldShareMax } = policy;
  const lengthMs = Math.min(between(ownHolds.since, ownHolds.endedAt), delayMsMax(policy));
  return isPast(draft, later(ownHolds.endedAt, (lengthMs * (1 - ownHoldShareMax)) / ownHoldShareMax));
}

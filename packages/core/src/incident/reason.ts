import { between, seconds } from '../base/time.ts';
import type { Policy } from '../policy/policy.ts';
import type { Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { allFindings } from '../record/findings.ts';
import type { Incident, Repeat } from '../record/incident.ts';
import { intervalOf } from '../record/liveness.ts';
import { isDelaySpent } from '../rule/hold-age.ts';
import type { Finding, FindingEntry, FindingKind } from '../vocabulary/finding.ts';
import { FINDING_KINDS } from '../vocabulary/finding.ts';
import { isSeen } from '../vocabulary/hold.ts';
import { quietAbout } from './quiet.ts';

type Found = Pick<Hard, 'derived' | 'points' | 'quietFindings' | 'end'>;

/**
 * Findings that justify a step now: `act` findings that have an entry on the ladder and are not snoozed. A snooze
 * applies to a living agent, not to a proven end.
 */
export function actFindings(hard: Found): readonly Finding[] {
  const { derived, points } = hard;
  const reasons = derived.filter((finding) => isReason(hard, finding));
  return points.length === 0 ? reasons : [...reasons, ...points.filter((finding) => isReason(hard, finding))];
}

const isReason = (hard: Found, { kind, severity }: Finding): boolean =>
  severity === 'act' &&
  FINDING_KINDS[kind].entry !== 'none' &&
  (hard.end !== undefined || quietAbout(hard, kind) === undefined);

const entryRank: Readonly<Record<FindingEntry, number>> = {
  none: 0,
  nudge: 1,
  escalate: 2,
  policy: 3,
  recover: 4,
};

/**
 * Facts before opinions, then the higher entry on the ladder, then what happens before what does not, then the older. The absence of a
 * checkpoint is older than the loop that prevents it, but it is not the cause.
 */
function compareGravity(a: Finding, b: Finding): number {
  const [kindA, kindB] = [FINDING_KINDS[a.kind], FINDING_KINDS[b.kind]];
  return (
    Number(kindA.isOpinion ?? false) - Number(kindB.isOpinion ?? false) ||
    entryRank[kindB.entry] - entryRank[kindA.entry] ||
    Number(kindA.isAbsence ?? false) - Number(kindB.isAbsence ?? false) ||
    a.since - b.since
  );
}

/** The finding that leads the incident. */
export function leadOf(findings: readonly Finding[]): Finding | null {
  let lead: Finding | null = null;
  for (const finding of findings) if (!lead || compareGravity(finding, lead) < 0) lead = finding;
  return lead;
}

/**
 * All findings that hold now, the cause first: those that act, then snoozed ones that would, then warnings. An
 * overdue task enters the ladder higher than the loop that delays it, but people are shown the loop first.
 */
export function findingsOf(hard: Found): readonly Finding[] {
  const all = allFindings(hard);
  if (all.length < 2) return all;
  const rank = (finding: Finding): number =>
    isReason(hard, finding) ? 0 : finding.severity === 'act' ? 1 : 2;
  const isConsequence = ({ kind }: Finding): boolean =>
    FINDING_KINDS[kind].isAbsence === true && FINDING_KINDS[kind].about === 'progress';
  return [...all].sort(
    (a, b) =>
      rank(a) - rank(b) || Number(isConsequence(a)) - Number(isConsequence(b)) || compareGravity(a, b),
  );
}

export const isLoss = (kind: FindingKind | 'operator'): boolean =>
  kind !== 'operator' && FINDING_KINDS[kind].about === 'liveness';

/** Whether a valid order exists. An order from the policy is valid only while its finding holds. */
export function isOrdered({ hard }: Draft): boolean {
  const order = hard.incident?.order;
  if (!order) return false;
  return (
    order.source !== 'policy' || actFindings(hard).some(({ kind }) => FINDING_KINDS[kind].entry === 'policy')
  );
}

/**
 * Whether a hold delays the ladder now. One that Holter has seen, or an operator has ordered, does so for as long as
 * it lasts; the agent's own word, or an open call, only for a share of the time. No call is cut short by a kill.
 */
export function isDelayed(draft: Draft, incident: Incident): boolean {
  const { holds } = draft.hard;
  if (holds.length === 0) return false;
  if (holds.some(isSeen)) return true;
  if (incident.step === 'terminate' && holds.some(({ kind }) => kind === 'in-tool')) return true;
  return !isDelaySpent(draft, incident);
}

/** The loop that the findings describe, if there is one, and how far it has gone. */
export function repeatOf(findings: readonly Finding[]): Repeat | undefined {
  const repeat = findings.find(({ kind }) => FINDING_KINDS[kind].isRepeat);
  return repeat && { kind: repeat.kind, count: repeat.count ?? 0 };
}

/** How much further the same loop has gone. */
export function furtherRepeats(hard: Found, since: Repeat | undefined): number {
  const now = actFindings(hard).find(({ kind }) => kind === since?.kind);
  return now && since ? (now.count ?? 0) - since.count : 0;
}

/**
 * A spent limit shows that an agent was busy, and missing beats or pongs that it was not heard; neither shows that
 * it is stuck.
 */
const NO_WITNESS: ReadonlySet<FindingKind> = new Set<FindingKind>([
  'limit-exceeded',
  'budget',
  'missed-heartbeats',
  'no-pong',
]);

/**
 * What an agent reports about a service that it calls, not about itself; and that it used no tokens: one that has not
 * read its task yet, or waits, uses none either.
 */
const NO_REPORT: ReadonlySet<FindingKind> = new Set<FindingKind>(['breaker-open', 'token-flat']);

/** A record and the policy it is judged by. */
export type Judged = Pick<Draft, 'hard' | 'policy'>;

/**
 * Invariant 6. Automatic termination needs two pieces of evidence from different sources: the agent's reports (or
 * their absence), and the operating system or the screen. A nudge that was seen is a second source only for a repeat
 * that went on at least five times after it. Letters that are not delivered or not acknowledged are no evidence: a
 * network failure and an agent that has nothing to do look the same. A still process does not count either while only
 * Holter's clock says that the agent's hold is over.
 */
export const hasTwoSources = (draft: Judged): boolean => isWitnessed(draft) || wasDeaf(draft);

/**
 * Whether the evidence is about the present. A still process is probed now. A loop is only known up to the agent's
 * last signal: an agent behind a network failure may have left it long ago.
 */
export const isEvidenceFresh = (draft: Draft): boolean => isWitnessed(draft) || isHeardAtIt(draft);

/** Allowance for signals that are still on their way. */
const JUST_NOW = seconds(30);

const isHeardAtIt = ({ hard, at }: Draft): boolean =>
  hard.doing !== undefined && between(hard.doing.at, at) <= JUST_NOW;

function isWitnessed({ hard }: Judged): boolean {
  const findings = actFindings(hard);
  const isSeen = findings.some(
    ({ kind, source }) =>
      !hard.isHoldLapsed && !NO_WITNESS.has(kind) && (source === 'operating-system' || source === 'screen'),
  );
  return isSeen && findings.some(({ kind, source }) => !NO_REPORT.has(kind) && source === 'agent-reports');
}

const wasDeaf = ({ hard, policy }: Judged): boolean =>
  furtherRepeats(hard, hard.incident?.repeatAtNudge) >= policy.nudge.repeatsMax;

/** How long the condition needs to show again; an incident must not close sooner. */
export function ownThresholdMs(kind: FindingKind | 'operator', hard: Hard, policy: Policy): number {
  switch (kind) {
    case 'missed-heartbeats':
    case 'no-pong':
      return policy.beat.missedMax * intervalOf(hard, policy);
    case 'silent':
    case 'work-unstarted':
      return policy.silence.actMs;
    case 'checkpoint-stale':
      return policy.checkpoint.actMs;
    case 'task-overdue':
      return policy.taskStallMs;
    default:
      return 0;
  }
}

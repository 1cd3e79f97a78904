import type { DurationMs } from '../base/time.ts';
import { later } from '../base/time.ts';
import { clearPoint } from '../fold/point.ts';
import type { Hard, Quiet } from '../record/agent.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { emit, lookAgainAt } from '../record/draft.ts';
import type { FindingKind } from '../vocabulary/finding.ts';
import { EVIDENCE_LENGTH_MAX, FINDING_KINDS } from '../vocabulary/finding.ts';
import { amend, climbTo } from './change.ts';
import { dismissTickets } from './ticket.ts';

/**
 * Snooze, dismissal and more time are all quiet: no steps until a time, with a reason. It covers the whole agent, or
 * one kind of finding; then other kinds act as before.
 */
type QuietWords = {
  readonly by: string;
  readonly reason: string;
  readonly finding?: FindingKind | undefined;
};

/** The bound keeps the record small. */
export const QUIET_FINDINGS_MAX = 8;

export const quietAbout = ({ quietFindings }: Pick<Hard, 'quietFindings'>, finding: FindingKind) =>
  quietFindings?.find(({ kind }) => kind === finding);

export function becomeQuiet(draft: Draft, forMs: DurationMs, words: QuietWords): void {
  const { hard, at } = draft;
  const { by, finding } = words;
  const quiet: Quiet = { until: later(at, forMs), by, reason: words.reason.slice(0, EVIDENCE_LENGTH_MAX) };
  const about = finding === undefined ? {} : { finding };
  emit(draft, { type: 'QUIET_BEGAN', payload: { agentId: hard.agentId, ...about, ...quiet } });
  if (finding === undefined) {
    hard.quiet = quiet;
    postpone(draft, quiet);
    return;
  }
  const others = (hard.quietFindings ?? []).filter(({ kind }) => kind !== finding);
  hard.quietFindings = [...others, { kind: finding, ...quiet }];
}

/** A pending nudge waits. What is under way, or on probation, is not undone. */
function postpone(draft: Draft, { until, by }: Quiet): void {
  const { incident } = draft.hard;
  const isPostponed = incident && incident.step !== 'nudge' && incident.step !== 'recover';
  if (!isPostponed || incident.phase === 'acting') return;
  climbTo(draft, incident.step, incident.attempt + 1, `${by} allowed more time`);
  amend(draft, { notBefore: until });
}

/** The finding was wrong: the counts behind it are reset, and it stays quiet for a while. */
export function dismiss(draft: Draft, words: QuietWords): void {
  const { hard, policy } = draft;
  const { by, finding } = words;
  // An end that a person accepts is no failure, and the agent is not brought back.
  if (hard.end) {
    const detail = `${hard.end.detail}; left down by ${by}`.slice(0, EVIDENCE_LENGTH_MAX);
    hard.end = { how: 'stopped', at: hard.end.at, detail };
    return;
  }
  for (const { kind } of hard.points) {
    const isMeant = finding === undefined || finding === kind;
    if (isMeant && FINDING_KINDS[kind].about !== 'liveness') clearPoint(draft, kind);
  }
  if (finding === undefined || finding === 'consecutive-failures') forget(hard, 'failuresInRow');
  if (finding === undefined || finding === 'error-rate') forget(hard, 'outcomes');
  if (finding === undefined || finding === 'ack-overdue') forget(hard, 'acks');
  if (finding === undefined || finding === 'ticket') dismissTickets(draft, words);
  becomeQuiet(draft, policy.incident.reopenWithinMs, words);
}

/** Ends quiet early: a step that is still justified is due at once. */
export function endQuiet(draft: Draft, { by, reason, finding }: QuietWords): void {
  const { hard } = draft;
  const { incident, quiet } = hard;
  const about = finding === undefined ? {} : { finding };
  emit(draft, { type: 'QUIET_ENDED', payload: { agentId: hard.agentId, ...about, by, reason } });
  if (finding !== undefined) return keepQuiet(draft, ({ kind }) => kind !== finding);
  if (incident && quiet && incident.notBefore === quiet.until) amend(draft, { notBefore: undefined });
  forget(hard, 'quiet');
}

/** Ends quiet that has expired, and asks to be woken when the rest expires. */
export function endExpiredQuiet(draft: Draft): void {
  const { quietFindings } = draft.hard;
  if (!quietFindings) return;
  if (quietFindings.some(({ until }) => until <= draft.at)) keepQuiet(draft, ({ until }) => until > draft.at);
  for (const { until } of draft.hard.quietFindings ?? []) lookAgainAt(draft, until);
}

function keepQuiet(
  draft: Draft,
  isKept: (quiet: NonNullable<Hard['quietFindings']>[number]) => boolean,
): void {
  const { hard } = draft;
  const kept = hard.quietFindings?.filter(isKept) ?? [];
  if (kept.length > 0) hard.quietFindings = kept;
  else forget(hard, 'quietFindings');
}

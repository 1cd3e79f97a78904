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

/**
 * Snooze, dismissal and more time are one thing: quiet until a time, with a reason. Then it is asked again.
 * It is about the whole agent, or about one kind of finding: then every other kind acts as before.
 */
type QuietWords = {
  readonly by: string;
  readonly reason: string;
  readonly finding?: FindingKind | undefined;
};

/** Snoozed kinds are few by nature; the bound keeps the record small. */
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

/** A nudge simply waits; what is under way, or running on probation, is not taken back by more time. */
function postpone(draft: Draft, { until, by }: Quiet): void {
  const { incident } = draft.hard;
  const isPostponed = incident && incident.step !== 'nudge' && incident.step !== 'recover';
  if (!isPostponed || incident.phase === 'acting') return;
  climbTo(draft, incident.step, incident.attempt + 1, `${by} allowed more time`);
  amend(draft, { notBefore: until });
}

/** The finding was wrong: what was counted for it is forgotten, and it is not looked for for a while. */
export function dismiss(draft: Draft, words: QuietWords): void {
  const { hard, policy } = draft;
  const { by, finding } = words;
  // "Leave it down": an end that somebody accepts is no failure any more, and nothing is to be brought back.
  if (hard.end) {
    hard.end = { how: 'stopped', at: hard.end.at, detail: `left down by ${by}` };
    return;
  }
  for (const { kind } of hard.points) {
    const isMeant = finding === undefined || finding === kind;
    if (isMeant && FINDING_KINDS[kind].about !== 'liveness') clearPoint(draft, kind);
  }
  if (finding === undefined || finding === 'consecutive-failures') forget(hard, 'failuresInRow');
  if (finding === undefined || finding === 'error-rate') forget(hard, 'outcomes');
  becomeQuiet(draft, policy.incident.reopenWithinMs, words);
}

/** The time that somebody gave is taken back: what still holds is due at once. */
export function endQuiet(draft: Draft, { by, reason, finding }: QuietWords): void {
  const { hard } = draft;
  const { incident, quiet } = hard;
  const about = finding === undefined ? {} : { finding };
  emit(draft, { type: 'QUIET_ENDED', payload: { agentId: hard.agentId, ...about, by, reason } });
  if (finding !== undefined) return keepQuiet(draft, ({ kind }) => kind !== finding);
  if (incident && quiet && incident.notBefore === quiet.until) amend(draft, { notBefore: undefined });
  forget(hard, 'quiet');
}

/** Whoever was snoozed until now is heard again; for the others, their time is named. */
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

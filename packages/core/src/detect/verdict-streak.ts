import type { Instant } from '../base/time.ts';
import type { Finding, Severity } from '../vocabulary/finding.ts';
import { finding, spanInWords } from './phrase.ts';
import type { MeterPolicy } from './policy.ts';

/**
 * Many verdicts, none of them ACCEPT.
 *
 * Intuition: some agents are judged step by step by a judge of their own, who says ACCEPT, RETRY or ESCALATE. A
 * streak without ACCEPT means that the agent's own judge sees no progress. CONTINUE stands for steps that were not
 * judged, and neither lengthens nor ends the streak. The seed of this rule names
 * 5, 10, 15 and 20 steps without ACCEPT for a warning and for medium, high and critical tickets, and four minutes
 * without any verdict for a stall. Compactions are housekeeping and do not count.
 *
 * Cutoff: warn 5, act 10. The stall is a matter of time, so the rules that own timers ask `verdictStallAt`. Blind
 * spots: an agent that accepts everything. Rejected: a share of RETRYs in a window, which a few early ACCEPTs keep
 * low for long.
 */
export type Verdict = 'ACCEPT' | 'RETRY' | 'ESCALATE' | 'CONTINUE' | 'COMPACTION';

export type VerdictState = {
  readonly streak: number;
  readonly since: Instant | null;
  /** The newest verdict of any kind. */
  readonly lastAt: Instant | null;
};

export const emptyVerdictState: VerdictState = { streak: 0, since: null, lastAt: null };

export function observeVerdict(
  state: VerdictState,
  input: { readonly verdict: Verdict; readonly at: Instant },
): VerdictState {
  if (input.verdict === 'COMPACTION') return state;
  if (input.verdict === 'CONTINUE') return { ...state, lastAt: input.at };
  if (input.verdict === 'ACCEPT') return { streak: 0, since: null, lastAt: input.at };
  return { streak: state.streak + 1, since: state.since ?? input.at, lastAt: input.at };
}

/** The severity that seed 003 gives to a streak of this length. */
export function streakGrade(
  streak: number,
  policy: MeterPolicy,
): 'none' | 'warning' | 'medium' | 'high' | 'critical' {
  const [warning, medium, high, critical] = policy.verdictStreak.grades;
  if (streak >= critical) return 'critical';
  if (streak >= high) return 'high';
  if (streak >= medium) return 'medium';
  return streak >= warning ? 'warning' : 'none';
}

export function findVerdictStreak(state: VerdictState, policy: MeterPolicy): Finding | null {
  const grade = streakGrade(state.streak, policy);
  if (grade === 'none') return null;
  const severity: Severity = grade === 'warning' ? 'warn' : 'act';
  return finding({
    kind: 'verdict-streak',
    severity,
    since: state.since,
    evidence: `${state.streak} verdicts in a row without ACCEPT${spanInWords(state.since, state.lastAt)} (${grade}).`,
    threshold: `${policy.verdictStreak.grades.join('/')} verdicts without ACCEPT`,
    count: state.streak,
  });
}

/** When the absence of verdicts becomes a stall; null before the first verdict. */
export function verdictStallAt(state: VerdictState, policy: MeterPolicy): Instant | null {
  return state.lastAt === null ? null : ((state.lastAt + policy.verdictStreak.stallMs) as Instant);
}

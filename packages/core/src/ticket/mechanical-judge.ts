import { type DurationMs, type Instant, minutes } from '../base/time.ts';
import type { TicketCondition, TicketSeverity } from '../vocabulary/ticket.ts';
import type { Evidence } from './evidence.ts';
import type { HealthSummary } from './health-summary.ts';

/** Seed 003's thresholds: the first streak that is no longer healthy, and those of each severity. */
export type JudgeThresholds = {
  readonly warning: number;
  readonly medium: number;
  readonly high: number;
  readonly critical: number;
  readonly stallMs: DurationMs;
};

export const judgeThresholds: JudgeThresholds = {
  warning: 5,
  medium: 10,
  high: 15,
  critical: 20,
  stallMs: minutes(4),
};

/** What the judge remembers of the last check of a session. */
export type LastCheck = Pick<HealthSummary, 'session_id' | 'total_steps'>;

/**
 * `undecided`: rules can't tell whether this is bad; a model may be asked, and without one it counts as a warning.
 */
export type JudgeVerdict = {
  readonly verdict: 'healthy' | 'warning' | 'undecided' | 'escalate';
  /** Why, with the numbers that decided. */
  readonly reasoning: string;
  /** Whether the next check is due even if nothing changes until then. */
  readonly isToBeRepeated: boolean;
  /** Present for `escalate`, and for `undecided` what a ticket would be about. */
  readonly escalation?: Escalation;
};

type Escalation = {
  readonly condition: TicketCondition;
  readonly severity: TicketSeverity;
  readonly cause: string;
  readonly suggestedAction: string;
};

/**
 * What a check one interval earlier would have seen, for a check by hand that has none before it. Null: the session
 * had not begun.
 */
export function lastCheckOf(
  { sessionId, totalSteps, lastStepAt }: Pick<Evidence, 'sessionId' | 'totalSteps' | 'lastStepAt'>,
  session: { readonly startedAt: Instant | null; readonly at: Instant; readonly intervalMs: DurationMs },
): LastCheck | null {
  const before = session.at - session.intervalMs;
  if (session.startedAt !== null && session.startedAt > before) return null;
  const isUnchanged = lastStepAt === null || lastStepAt <= before;
  return { session_id: sessionId, total_steps: isUnchanged ? totalSteps : totalSteps - 1 };
}

/**
 * Judges a session by its summary and the check before it: deterministic, and without any other memory. The first
 * check of a session is only a baseline, because a session may have been far gone before anybody looked, or may have
 * just begun.
 */
export function judgeSummary(
  summary: HealthSummary,
  last: LastCheck | null,
  thresholds: JudgeThresholds = judgeThresholds,
): JudgeVerdict {
  if (!summary.is_at_work)
    return calm(`the session is ${summary.session_status}; only a session at work is judged.`);
  const judged = judgeNow(summary, last, thresholds);
  if (last?.session_id === summary.session_id) return judged;
  const isFarGone = judged.escalation !== undefined || isStillFor(summary, thresholds);
  return {
    verdict: 'healthy',
    reasoning: `First check of this session, the baseline: ${judged.reasoning}`,
    isToBeRepeated: isFarGone,
  };
}

function judgeNow(summary: HealthSummary, last: LastCheck | null, thresholds: JudgeThresholds): JudgeVerdict {
  const stall = judgeStall(summary, last, thresholds);
  if (stall?.verdict === 'escalate') return stall;
  const streak = judgeStreak(summary, thresholds);
  if (streak.verdict === 'escalate') return streak;
  return stall ?? streak;
}

const isStillFor = ({ has_verdicts, stall_minutes }: HealthSummary, { stallMs }: JudgeThresholds): boolean =>
  has_verdicts && stall_minutes !== null && minutes(stall_minutes) >= stallMs;

/** A stall counts when two checks in a row saw the same number of steps. */
function judgeStall(
  summary: HealthSummary,
  last: LastCheck | null,
  thresholds: JudgeThresholds,
): JudgeVerdict | null {
  if (!isStillFor(summary, thresholds)) return null;
  const { total_steps, stall_minutes } = summary;
  const limit = `limit ${thresholds.stallMs / minutes(1)} min`;
  if (last?.session_id !== summary.session_id || last.total_steps !== total_steps) {
    return {
      verdict: 'warning',
      reasoning: `No step for ${stall_minutes} min (${limit}), but the last check did not see the same number of steps; the next one decides.`,
      isToBeRepeated: true,
    };
  }
  return {
    verdict: 'escalate',
    reasoning: `Last check: total_steps=${last.total_steps}. This check: total_steps=${total_steps}. Unchanged twice, and no step for ${stall_minutes} min (${limit}): stall confirmed.`,
    isToBeRepeated: false,
    escalation: {
      condition: 'stall',
      severity: 'critical',
      cause: `No step for ${stall_minutes} min: ${total_steps} steps at two checks in a row.`,
      suggestedAction: 'Look at its model call; if it hangs, restart the session.',
    },
  };
}

function judgeStreak(summary: HealthSummary, thresholds: JudgeThresholds): JudgeVerdict {
  const { has_verdicts, steps_since_last_accept: streak, loop, fruitless, waiting_for } = summary;
  if (!has_verdicts)
    return fruitless === null
      ? calm('its steps have no verdicts, so there is no streak to judge.')
      : undecided('fruitless', 'medium', `Its steps vary, but bring nothing: ${fruitless}`);
  const said = `${streak} judged step${streak === 1 ? '' : 's'} since the last ACCEPT`;
  // Steps that nothing has judged do not lengthen the streak, and may bring nothing all the same.
  if (streak < thresholds.medium && fruitless !== null && waiting_for === null)
    return undecided('fruitless', 'medium', `${said}, and its steps bring nothing: ${fruitless}`);
  if (streak < thresholds.warning) {
    const waiting = waiting_for === null ? '' : `, and it waits: ${waiting_for}`;
    return calm(`${said} (healthy below ${thresholds.warning})${waiting}.`);
  }
  if (streak < thresholds.medium)
    return {
      verdict: 'warning',
      reasoning: `${said} (warning from ${thresholds.warning}, no ticket below ${thresholds.medium}).`,
      isToBeRepeated: false,
    };
  if (streak >= thresholds.critical)
    return noAccept('critical', `${said} (critical from ${thresholds.critical}).`, summary);
  if (streak >= thresholds.high) return noAccept('high', `${said} (high from ${thresholds.high}).`, summary);
  const band = `${said} (medium from ${thresholds.medium} to ${thresholds.high - 1}, if there is a loop)`;
  return loop === null
    ? undecided('no-accept', 'medium', `${band}; no detector finds a loop.`)
    : noAccept('medium', `${band}; the evidence shows one.`, summary);
}

function noAccept(severity: TicketSeverity, reasoning: string, summary: HealthSummary): JudgeVerdict {
  const { loop, steps_since_last_accept: streak } = summary;
  return {
    verdict: 'escalate',
    reasoning: loop === null ? reasoning : `${reasoning} Loop: ${loop}`,
    isToBeRepeated: false,
    escalation: {
      condition: 'no-accept',
      severity,
      cause: `${streak} steps in a row were judged and none was accepted.${loop === null ? '' : ` ${loop}`}`,
      suggestedAction:
        severity === 'critical'
          ? 'Stop the session and look at its goal, or restart it with another approach.'
          : 'Read its last steps, and tell it what is missing.',
    },
  };
}

function undecided(condition: TicketCondition, severity: TicketSeverity, reasoning: string): JudgeVerdict {
  return {
    verdict: 'undecided',
    reasoning,
    isToBeRepeated: false,
    escalation: { condition, severity, cause: reasoning, suggestedAction: 'Read its last steps.' },
  };
}

const calm = (reasoning: string): JudgeVerdict => ({
  verdict: 'healthy',
  reasoning: `${reasoning.charAt(0).toUpperCase()}${reasoning.slice(1)}`,
  isToBeRepeated: false,
});

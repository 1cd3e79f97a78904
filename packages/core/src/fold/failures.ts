import { withProgress } from '../detect/index.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { clearPoint, raisePoint } from './point.ts';

/**
 * Consecutive failures that the agent reports about itself. A tool that returns an error does not count: a coding
 * agent tries four wrong commands on a good day (the error rate and the loop detectors cover those).
 */
export function countFailure(draft: Draft): void {
  const { hard, at, policy } = draft;
  const inRow = (hard.failuresInRow ?? 0) + 1;
  hard.failuresInRow = inRow;
  if (inRow <= policy.failures.inRowMax) return;
  raisePoint(draft, {
    kind: 'consecutive-failures',
    severity: 'act',
    source: 'agent-reports',
    since: at,
    evidence: withProgress('consecutive-failures', `reported ${inRow} failures in a row`),
    threshold: `more than ${policy.failures.inRowMax} in a row`,
  });
}

/** The agent itself says so, and is believed. */
export function raiseUnrecoverable(draft: Draft, what: string): void {
  raisePoint(draft, {
    kind: 'unrecoverable-error',
    severity: 'act',
    source: 'agent-reports',
    since: draft.at,
    evidence: `says that it cannot go on${what.replace(/\s+/g, ' ')}`,
    threshold: 'as the agent reports',
  });
}

export function endFailureRow(draft: Draft): void {
  if (draft.hard.failuresInRow === undefined) return;
  forget(draft.hard, 'failuresInRow');
  clearPoint(draft, 'consecutive-failures');
}

/** The share of failed calls among the newest ones, with hysteresis between raising and clearing. */
export function countOutcome(draft: Draft, isError: boolean): void {
  const { hard, at, policy } = draft;
  const { windowCalls, callsMin, rateMax, rateClear } = policy.failures;
  const outcomes = ((hard.outcomes ?? '') + (isError ? 'x' : '.')).slice(-windowCalls);
  hard.outcomes = outcomes;
  if (outcomes.length < callsMin) return;
  const failed = outcomes.split('x').length - 1;
  const rate = failed / outcomes.length;
  if (rate > rateMax) {
    raisePoint(draft, {
      kind: 'error-rate',
      severity: 'warn',
      source: 'agent-reports',
      since: at,
      evidence: withProgress('error-rate', `${failed} of its last ${outcomes.length} calls failed`),
      threshold: `${Math.round(rateMax * 100)} % of the last ${windowCalls} calls`,
    });
  } else if (rate < rateClear) {
    clearPoint(draft, 'error-rate');
  }
}

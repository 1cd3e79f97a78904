import {
  type Agent,
  type Decision,
  findingsOf,
  type Instant,
  minutes,
  type Policy,
  whyNotDecide,
} from '@holter/core';
import type { AgentView } from './types.ts';

type Hard = Agent['hard'];
type Choice = Decision extends infer D ? (D extends Decision ? Omit<D, 'by' | 'reason'> : never) : never;

/**
 * What may be decided about the agent now: null, or why not. Beside what the rules refuse, it names what would
 * be accepted and change nothing, so that page and command line need no rules of their own.
 */
export function decisionsView(
  { hard }: Agent,
  policy: Policy,
  at: Instant,
  isStarterGone: boolean,
): AgentView['decisions'] {
  const given = { by: '', reason: '', ...(isStarterGone && { isStarterGone }) };
  const why = (choice: Choice): string | null =>
    whyNotDecide({ hard, policy, at }, { ...given, ...choice })?.because ?? null;
  return {
    nudge: why({ decision: 'nudge' }),
    allow_more_time: why({ decision: 'allow_more_time', forMs: minutes(1) }),
    wake: why({ decision: 'wake' }),
    acknowledge: why({ decision: 'acknowledge' }),
    wrong: whyNotWrong(hard) ?? why({ decision: 'dismiss' }),
    leave_down: whyNotLeaveDown(hard) ?? why({ decision: 'dismiss' }),
    pause: why({ decision: 'pause' }) ?? (isPaused(hard) ? 'monitoring is already paused' : null),
    resume: why({ decision: 'resume' }) ?? (isPaused(hard) ? null : 'monitoring is not paused'),
    force_handoff: (hard.incident ? null : 'no incident is open') ?? why({ decision: 'force_handoff' }),
    terminate_and_recover: why({ decision: 'terminate_and_recover' }),
    terminate: why({ decision: 'terminate' }),
    recover: why({ decision: 'recover' }),
  };
}

/** Of a living agent: what was found is called wrong. */
function whyNotWrong(hard: Hard): string | null {
  if (hard.end) return 'the agent has ended';
  return findingsOf(hard).length > 0 ? null : 'it has no findings';
}

/** Of one that has ended: its end is accepted. */
function whyNotLeaveDown({ end, incident }: Hard): string | null {
  if (!end) return 'the agent has not ended';
  return incident ? null : 'no incident is open';
}

const isPaused = ({ holds }: Hard): boolean => holds.some(({ kind }) => kind === 'paused-by-operator');

import { type Agent, type Decision, type Instant, minutes, type Policy, whyNotDecide } from '@holter/core';
import type { AgentView } from './types.ts';

type Choice = Decision extends infer D ? (D extends Decision ? Omit<D, 'by' | 'reason'> : never) : never;

/**
 * What may be decided about the agent now: null, or why the rules refuse it. `wrong` and `leave_down` are both a
 * dismissal: of the findings while it lives, of its restart when it has ended.
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
    wrong: hard.end ? 'the agent has ended' : why({ decision: 'dismiss' }),
    leave_down: hard.end ? why({ decision: 'dismiss' }) : 'the agent has not ended',
    pause: why({ decision: 'pause' }),
    resume: why({ decision: 'resume' }),
    force_handoff: why({ decision: 'force_handoff' }),
    terminate_and_recover: why({ decision: 'terminate_and_recover' }),
    terminate: why({ decision: 'terminate' }),
    recover: why({ decision: 'recover' }),
    replace: why({ decision: 'replace' }),
  };
}

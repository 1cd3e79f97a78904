import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { finding } from './phrase.ts';
import type { MeterPolicy } from './policy.ts';

/**
 * Spending without a change.
 *
 * Intuition: an agent may read and search for long, and every answer may be new, so that no other detector speaks. But
 * somebody pays for it, and at some point a person wants to know that nothing has come of it yet.
 *
 * Definition: tokens and money since the last change, as the agent reports them. Tokens that came from the model's
 * cache are left out of the tokens: each call reads the whole context again, and twenty of them would be enough; they
 * are part of the money. The finding names what exceeded its limit. A change is a successful edit, a
 * better number in a result, a checkpoint, the end of a task, or a person's message. It holds until the next change.
 *
 * Cutoff: 2 million tokens or 3 dollars, about 40 calls of a large model with a full context and no cache. It only warns, and it
 * opens no incident: research is work, too.
 *
 * Blind spots: agents that report neither tokens nor money; edits hidden in code that the agent runs. Rejected:
 * counting from the last new result, because every page of a manual is one.
 */
export type SpendingState = Meters & {
  /** When the last change came; the meters are those of that moment. */
  readonly since: Instant;
};

export type Meters = {
  /** Without those that were read from a cache. */
  readonly tokens: number;
  readonly costUsd: number;
  readonly calls: number;
};

export function findSpending(state: SpendingState, meters: Meters, policy: MeterPolicy): Finding | null {
  const { tokensMax, costUsdMax } = policy.spending;
  const tokens = meters.tokens - state.tokens;
  const costUsd = meters.costUsd - state.costUsd;
  const calls = meters.calls - state.calls;
  if (tokens < tokensMax && costUsd < costUsdMax) return null;
  const spent = [
    ...(costUsd >= costUsdMax ? [`$${costUsd.toFixed(2)}`] : []),
    ...(tokens >= tokensMax ? [`${tokens} tokens`] : []),
  ].join(', ');
  return finding({
    kind: 'spending',
    severity: 'warn',
    since: state.since,
    evidence: `${spent} and ${calls} calls since the last change.`,
    threshold: `$${costUsdMax} or ${tokensMax} tokens without a change`,
  });
}

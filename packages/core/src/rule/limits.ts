import { inWords, later } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { asBefore, finding, isPast } from './rule.ts';

/**
 * Limits set by an operator: tokens, cost, run time (wall clock), memory. Crossing one leads to the step that the
 * operator configured; a configured termination is a decision made in advance.
 */
export function limitExceeded(draft: Draft): Finding | null {
  const { soft, hard, policy, at } = draft;
  if (hard.end) return null;
  const { tokensMax, costUsdMax, runtimeMsMax, memoryBytesMax } = policy.limits;
  const since = asBefore(draft, 'limit-exceeded')?.since ?? at;
  const say = (what: string, limit: string, source: Finding['source']): Finding =>
    finding({ kind: 'limit-exceeded', severity: 'act', source, since, evidence: what, threshold: limit });

  if (tokensMax !== undefined && soft.tokens > tokensMax) {
    return say(`used ${soft.tokens} tokens`, `${tokensMax} tokens`, 'agent-reports');
  }
  if (costUsdMax !== undefined && soft.costUsd > costUsdMax) {
    return say(`cost $${soft.costUsd.toFixed(2)}`, `$${costUsdMax}`, 'agent-reports');
  }
  const memoryBytes = hard.process?.memoryBytes ?? 0;
  if (memoryBytesMax !== undefined && memoryBytes > memoryBytesMax) {
    return say(`uses ${inMegabytes(memoryBytes)} of memory`, inMegabytes(memoryBytesMax), 'operating-system');
  }
  if (runtimeMsMax !== undefined && isPast(draft, later(hard.startedAt, runtimeMsMax))) {
    return say(`has run for more than ${inWords(runtimeMsMax)}`, inWords(runtimeMsMax), 'operating-system');
  }
  return null;
}

const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

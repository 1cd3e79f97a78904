import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { finding, spanInWords } from './phrase.ts';
import type { CommonPolicy } from './policy.ts';

/** Something that is looked at again and again, and does not change. */
type Watch = {
  /** How the evidence begins: what was done, and how often. */
  readonly what: string;
  readonly count: number;
  readonly since: Instant | null;
  readonly lastAt: Instant | null;
  /** The sum of all sleeps that the calls declared. */
  readonly sleptMs: number;
};

/** Below this pace, polls that do not sleep are hammering. */
const HAMMERED_MS = 10_000;

/**
 * A wait is judged by how long it has lasted, not by its pace: an agent that sleeps for two seconds between looks
 * waits as much as one that sleeps for a minute. Without a clock the sleeps are the time; without sleeps, only the
 * count is left.
 */
export function findPoll(watch: Watch, policy: CommonPolicy): Finding | null {
  const { count, since, lastAt, sleptMs } = watch;
  const limits = policy.poll;
  if (count < limits.warn) return null;
  const spanMs = since === null || lastAt === null ? null : lastAt - since;
  const watchedMs = spanMs ?? (sleptMs > 0 ? sleptMs : null);
  // Calls that say they sleep, and take less time than that, did not.
  const isFast = spanMs !== null && spanMs < (sleptMs > 0 ? sleptMs / 2 : count * HAMMERED_MS);
  const isHammered = isFast && count >= limits.hammeredAct;
  if (!isHammered && watchedMs !== null && watchedMs < limits.warnAfterMs) return null;
  const isLong = count >= limits.act && (watchedMs === null || watchedMs >= limits.actAfterMs);
  return finding({
    kind: 'unchanged-poll',
    severity: isLong || isHammered ? 'act' : 'warn',
    since,
    evidence: `${watch.what} and nothing changed${spanInWords(since, lastAt)}.`,
    threshold: `${limits.warn} unchanged polls over ${limits.warnAfterMs / 60_000} min to warn; ${limits.act} over ${limits.actAfterMs / 60_000} min to act`,
    count,
  });
}

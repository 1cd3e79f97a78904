import type { Instant } from '@holter/core/time';
import type { BreakerView } from '@holter/server/local';
import { until } from '../terminal/words.ts';

/** One line about a breaker: its state, the reason, and when it allows the next try. */
export function breakerInWords(breaker: BreakerView, now: Instant): string {
  const { name, state, failures, trips, retryAt, isolation } = breaker;
  const parts = [`${name} ${state}`];
  if (failures > 0) parts.push(`${failures} failed in a row`);
  if (trips > 0) parts.push(trips === 1 ? 'tripped once' : `tripped ${trips} times in a row`);
  if (isolation) parts.push(`held open by ${isolation.by}: ${isolation.reason}`);
  if (retryAt !== null) parts.push(`next try ${until(retryAt, now)}`);
  return parts.join(', ');
}

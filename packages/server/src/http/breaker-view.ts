import { type Agent, type Breaker, closedBreaker, type Instant, later, stateAt } from '@holter/core';
import type { BreakerView } from './types.ts';

function breakerView(agentId: string, name: string, breaker: Breaker, at: Instant): BreakerView {
  const state = stateAt(breaker, at);
  const { isolation, failures, trips, permits, openedAt, openMs } = breaker;
  const isIsolated = isolation !== undefined && isolation.until > at;
  return {
    agentId,
    name,
    state,
    failures,
    trips,
    openedAt: state === 'CLOSED' || openedAt === 0 ? null : openedAt,
    retryAt: state !== 'OPEN' ? null : isIsolated ? isolation.until : later(openedAt, openMs),
    permits: permits.filter(({ expiresAt }) => expiresAt > at).length,
    isolation: isIsolated ? { ...isolation } : null,
  };
}

export function breakersOf({ hard }: Agent, at: Instant): BreakerView[] {
  return Object.entries(hard.breakers ?? {}).map(([name, breaker]) =>
    breakerView(hard.agentId, name, breaker, at),
  );
}

export function breakerNamed({ hard }: Agent, name: string, at: Instant): BreakerView {
  const known = hard.breakers && Object.hasOwn(hard.breakers, name) ? hard.breakers[name] : undefined;
  return breakerView(hard.agentId, name, known ?? closedBreaker, at);
}

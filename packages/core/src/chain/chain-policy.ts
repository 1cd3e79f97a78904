import type { DurationMs } from '../base/time.ts';
import { minutes } from '../base/time.ts';
import { breakerFor } from '../breaker/breaker-policy.ts';
import { fleetDefaults } from '../policy/defaults.ts';
import type { FleetPolicy, Policy } from '../policy/policy.ts';
import { RECOVERY_BREAKER } from '../rule/breaker-open.ts';

/** How long a link may take to come up. */
const START_MS = minutes(2);

/**
 * The policy of the links: a proven freeze is ended without asking, because there may be nobody whom the chain could
 * ask while the server is down. When and how often a link is started is up to the chain's own budget alone, so the
 * limits of tasks and the breaker of recoveries do not count.
 */
export function chainPolicy(policy: Policy, startWaitMs: DurationMs): Policy {
  const { breakers } = policy;
  const unbroken = { ...breakerFor(policy, RECOVERY_BREAKER), failuresMax: Number.MAX_SAFE_INTEGER };
  return {
    ...policy,
    isEnabled: true,
    freeze: { ...policy.freeze, step: 'terminate' },
    breakers: { ...breakers, overrides: new Map([...breakers.overrides, [RECOVERY_BREAKER, unbroken]]) },
    recovery: {
      ...policy.recovery,
      isEnabled: true,
      attemptsPerTaskMax: Number.MAX_SAFE_INTEGER,
      attemptsPerHourMax: Number.MAX_SAFE_INTEGER,
      backoffMs: [startWaitMs],
      startMs: START_MS,
      // A crash loop is told once, and its end; not every start of it.
      isFailureTold: false,
    },
  };
}

/** Defers every notice for a moment. */
export const NO_NOTICES: FleetPolicy = {
  ...fleetDefaults,
  budgets: { ...fleetDefaults.budgets, notice: { perMinute: 60, burst: 0 } },
};

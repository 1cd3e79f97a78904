import type { Instant } from '../base/time.ts';
import { fleetDefaults } from '../policy/defaults.ts';
import { fullBudgets } from './budgets.ts';
import type { FleetGuard } from './guard.ts';

/** As many as are refilled in two minutes, which is how long the brake defers the other steps. */
const OVERDRAWN = -2 * fleetDefaults.budgets.nudge.perMinute + 1;

/**
 * The guard of a fleet in which Holter must not act, because a person has said so (`holter estop`): every step of this
 * group is deferred, and asked for again later. Findings, incidents and alerts go on.
 */
export const heldGuard = (group: string, at: Instant): FleetGuard => ({
  brakes: { [group]: { losses: [], engagedAt: at, massAt: at } },
  budgets: {
    common: { ...fullBudgets.common, nudge: { tokens: OVERDRAWN, at } },
    shares: { [group]: { nudge: { tokens: OVERDRAWN, at } } },
  },
});

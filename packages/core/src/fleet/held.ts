import type { Instant } from '../base/time.ts';
import { fullBudgets } from './budgets.ts';
import type { FleetGuard } from './guard.ts';

/**
 * The guard of a fleet in which Holter must not act, because a person has said so (`holter estop`): every step of this
 * group is deferred, and asked for again later. Findings, incidents and alerts go on.
 */
export const heldGuard = (group: string, at: Instant): FleetGuard => ({
  brakes: { [group]: { losses: [], engagedAt: at, massAt: at } },
  budgets: {
    common: { ...fullBudgets.common, nudge: { tokens: 0, at } },
    shares: { [group]: { nudge: { tokens: 0, at } } },
  },
});

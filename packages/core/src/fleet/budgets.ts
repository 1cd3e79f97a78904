import type { Instant } from '../base/time.ts';
import { later, minutes, NEVER } from '../base/time.ts';
import { fleetGuarantees } from '../policy/defaults.ts';
import type { FleetPolicy } from '../policy/policy.ts';
import type { Admission, Ask } from '../vocabulary/ask.ts';

/**
 * Token buckets: enough for an ordinary day, too little for a storm. Besides the common ones, each group has a share of
 * its own that nobody else can spend, so that a flood in one group leaves the others able to act. Agents that have not
 * kept their promises yet spend only what is common: a hundred fake agents in a hundred new groups get no more than
 * one.
 */
export type Budgets = {
  readonly common: BudgetByKind;
  /** By group, most recently used last. A share that is full again is left out. */
  readonly shares: Readonly<Record<string, Partial<BudgetByKind>>>;
};

type BudgetKind = 'nudge' | 'notice' | 'start';
type BudgetByKind = Readonly<Record<BudgetKind, Budget>>;

/** `tokens` as of `at`. */
type Budget = { readonly tokens: number; readonly at: Instant };
type Rate = FleetPolicy['budgets'][BudgetKind];

const FULL: Budget = { tokens: NEVER, at: 0 as Instant };
export const fullBudgets: Budgets = { common: { nudge: FULL, notice: FULL, start: FULL }, shares: {} };

/** Shares that are remembered. The one that was used longest ago is forgotten first, and is then full again. */
const SHARES_MAX = 256;

type Spent = { readonly budgets: Budgets; readonly admission: Admission };

/** From the group's own share first, so that what is common lasts longer for the others. */
export function spend(budgets: Budgets, kind: BudgetKind, ask: Ask, at: Instant, policy: FleetPolicy): Spent {
  const rate = policy.budgets[kind];
  const { common, shares } = budgets;
  const granted: Admission = { kind: 'granted' };
  const own = Object.hasOwn(shares, ask.group) ? shares[ask.group] : undefined;
  const ownRate = shareOf(rate);
  const ownTokens = ask.hasKept ? available(own?.[kind] ?? FULL, ownRate, at) : 0;
  if (ownTokens >= 1) {
    const { [ask.group]: _before, ...others } = shares;
    const kept = Object.entries(others).filter(([, share]) => !isFull(share, at, policy));
    const next = { ...own, [kind]: { tokens: ownTokens - 1, at } };
    const entries = [...kept, [ask.group, next] as const].slice(-SHARES_MAX);
    return { budgets: { common, shares: Object.fromEntries(entries) }, admission: granted };
  }
  const tokens = available(common[kind], rate, at);
  if (tokens >= 1) {
    const next = { ...common, [kind]: { tokens: tokens - 1, at } };
    return { budgets: { common: next, shares }, admission: granted };
  }
  const waitMs = Math.min(
    untilOne(tokens, rate),
    ask.hasKept ? untilOne(ownTokens, ownRate) : Number.POSITIVE_INFINITY,
  );
  return { budgets, admission: { kind: 'deferred', until: later(at, waitMs), because: 'budget' } };
}

const shareOf = ({ perMinute, burst }: Rate): Rate => ({
  perMinute: perMinute * fleetGuarantees.budgetShare,
  burst: Math.max(1, Math.floor(burst * fleetGuarantees.budgetShare)),
});

const available = ({ tokens, at: filledAt }: Budget, { perMinute, burst }: Rate, at: Instant): number =>
  Math.min(burst, tokens + (Math.max(0, at - filledAt) * perMinute) / minutes(1));

const untilOne = (tokens: number, { perMinute }: Rate): number =>
  Math.ceil(((1 - tokens) * minutes(1)) / perMinute);

const isFull = (share: Partial<BudgetByKind>, at: Instant, policy: FleetPolicy): boolean =>
  (Object.entries(share) as [BudgetKind, Budget][]).every(([kind, budget]) => {
    const rate = shareOf(policy.budgets[kind]);
    return available(budget, rate, at) >= rate.burst;
  });

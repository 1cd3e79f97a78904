import {
  type Budget,
  type DaySpending,
  dayOf,
  emptyMeter,
  type Hard,
  type Instant,
  instant,
  METER_KEYS,
  type Meter,
  MICROS_PER_USD,
  type Money,
  minutes,
  type Policy,
  type PriceTable,
  type Spending,
  type Sum,
} from '@holter/core';
import type { PolicySet } from '../policy/index.ts';
import type { Store } from '../store/store.ts';

const NOTHING: Sum = { tokens: 0, costMicros: 0 };
const NO_BUDGETS: DaySpending = { agent: NOTHING, group: NOTHING, day: NOTHING };

/** Combinations of group and model that have a series of their own. */
const SERIES_MAX = 200;
/** More agents than any fleet has that spends on one day. */
const ROWS_MAX = 1_000_000;
/** Other servers book, too; what they have booked is read this often. */
const READ_EVERY_MS = minutes(1);

/**
 * Today's spending of each group and of the whole fleet, in memory, because every judgement may need it; the books
 * themselves are in the store.
 */
export class SpendingBook {
  private readonly store: Pick<Store, 'spending'>;
  private day: Instant = instant(0);
  private readonly groups = new Map<string, Pool>();
  private fleet = new Pool();
  private readAt: Instant | null = null;
  private readonly byModel = new Map<string, BookedTotal>();
  private known: { readonly set: PolicySet; readonly prices: PriceTable } | null = null;
  /** The prices that Holter ships; the operator's come first. */
  private readonly shipped: PriceTable;

  constructor(store: Pick<Store, 'spending'>, shipped: PriceTable) {
    this.store = store;
    this.shipped = shipped;
  }

  /** What the rules need to know about money when they judge this agent. */
  moneyOf({ agentId, group }: Hard, { budgets }: Policy, set: PolicySet, at: Instant): Money {
    if (this.known?.set !== set) this.known = { set, prices: [...set.prices, ...this.shipped] };
    return { prices: this.known.prices, today: this.todayOf(agentId, group, budgets, at) };
  }

  /** Reads today's books; again where other servers book, too. */
  async refresh(at: Instant, isShared: boolean): Promise<void> {
    if (this.readAt !== null && (!isShared || at - this.readAt < READ_EVERY_MS)) return;
    const rows = await this.store.spending({ from: at, by: ['group', 'agentId'], limit: ROWS_MAX });
    this.readAt = at;
    this.begin(dayOf(at));
    for (const { key, ...sum } of rows) this.count(key.group ?? '', key.agentId ?? '', sum);
  }

  add(rows: readonly Spending[]): void {
    for (const row of rows) {
      const day = dayOf(row.at);
      if (day > this.day) this.begin(day);
      if (day === this.day) this.count(row.group, row.agentId, row);
      this.total(row);
    }
  }

  /**
   * For a budget of the group or the fleet: what this agent has spent, and what the others have, each of them with
   * at most half of the budget. So one agent that claims to have spent everything does not stop all others.
   */
  private todayOf(agentId: string, group: string, budgets: readonly Budget[], at: Instant): DaySpending {
    if (budgets.length === 0 || dayOf(at) !== this.day) return NO_BUDGETS;
    const name = `${group} ${agentId}`;
    const sumOf = (scope: 'group' | 'day', pool: Pool | undefined): Sum => {
      const budget = budgets.find((each) => each.scope === scope);
      return budget && pool ? pool.seenBy(name, budget) : NOTHING;
    };
    return {
      agent: this.fleet.of(name),
      group: sumOf('group', this.groups.get(group)),
      day: sumOf('day', this.fleet),
    };
  }

  /** Everything that was booked here since the start, by group and model. */
  get totals(): Iterable<BookedTotal> {
    return this.byModel.values();
  }

  /** Names are agents' own, so that all beyond a limit are counted together. Corrections are left out. */
  private total({ group, model, ...row }: Spending): void {
    const name = JSON.stringify([group, model]);
    const hasRoom = this.byModel.has(name) || this.byModel.size < SERIES_MAX;
    const [key, labels] = hasRoom
      ? [name, { group, model: model || 'unknown' }]
      : ['others', { group: '(other)', model: '(other)' }];
    const meter: Record<string, number> = { ...(this.byModel.get(key)?.meter ?? emptyMeter) };
    for (const each of METER_KEYS) meter[each] = (meter[each] ?? 0) + Math.max(0, row[each]);
    this.byModel.set(key, { ...labels, meter: meter as Meter });
  }

  private begin(day: Instant): void {
    this.day = day;
    this.groups.clear();
    this.fleet = new Pool();
  }

  private count(group: string, agentId: string, sum: Sum): void {
    const pool = this.groups.get(group) ?? new Pool();
    this.groups.set(group, pool);
    pool.add(`${group} ${agentId}`, sum);
    this.fleet.add(`${group} ${agentId}`, sum);
  }
}

type BookedTotal = { readonly group: string; readonly model: string; readonly meter: Meter };

/** The agents that share a budget. */
class Pool {
  private readonly sums = new Map<string, Sum>();
  /** The sum of what each agent counts for, by the half of a budget that it may count for at most. */
  private readonly clipped = new Map<string, { readonly half: Sum; sum: Sum }>();

  add(name: string, { tokens, costMicros }: Sum): void {
    const before = this.of(name);
    const after = plus(before, { tokens, costMicros });
    this.sums.set(name, after);
    for (const entry of this.clipped.values())
      entry.sum = plus(minus(entry.sum, least(before, entry.half)), least(after, entry.half));
  }

  of(name: string): Sum {
    return this.sums.get(name) ?? NOTHING;
  }

  seenBy(name: string, { costUsdMax = Number.MAX_VALUE, tokensMax = Number.MAX_VALUE }: Budget): Sum {
    const half = { tokens: tokensMax / 2, costMicros: (costUsdMax / 2) * MICROS_PER_USD };
    const own = this.of(name);
    return plus(minus(this.clippedAt(half), least(own, half)), own);
  }

  private clippedAt(half: Sum): Sum {
    const name = `${half.tokens} ${half.costMicros}`;
    const known = this.clipped.get(name);
    if (known) return known.sum;
    // A budget that was changed leaves its old sum behind.
    if (this.clipped.size >= CLIPPED_MAX) this.clipped.clear();
    let sum = NOTHING;
    for (const each of this.sums.values()) sum = plus(sum, least(each, half));
    this.clipped.set(name, { half, sum });
    return sum;
  }
}

const CLIPPED_MAX = 8;

const plus = (a: Sum, b: Sum): Sum => ({
  tokens: a.tokens + b.tokens,
  costMicros: a.costMicros + b.costMicros,
});
const minus = (a: Sum, b: Sum): Sum => ({
  tokens: a.tokens - b.tokens,
  costMicros: a.costMicros - b.costMicros,
});
const least = (a: Sum, b: Sum): Sum => ({
  tokens: Math.min(a.tokens, b.tokens),
  costMicros: Math.min(a.costMicros, b.costMicros),
});

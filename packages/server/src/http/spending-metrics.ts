import { MICROS_PER_USD, TOKEN_KINDS } from '@holter/core';
import { Counter, type Registry } from 'prom-client';
import type { SpendingBook } from '../engine/spending-book.ts';
import { snake } from '../policy/index.ts';

/** What this server has booked since its start, by group and model; `SpendingBook` bounds the number of series. */
export function addSpendingMetrics(registers: Registry[], book: Pick<SpendingBook, 'totals'>): void {
  const labelNames = ['group', 'model'] as const;
  new Counter({
    name: 'holter_tokens_total',
    help: 'Tokens that agents used, by group, model and kind.',
    labelNames: [...labelNames, 'kind'],
    registers,
    collect() {
      this.reset();
      for (const { group, model, meter } of book.totals) {
        let sorted = 0;
        for (const kind of TOKEN_KINDS) {
          sorted += meter[kind];
          if (meter[kind] > 0) this.inc({ group, model, kind: snake(kind) }, meter[kind]);
        }
        if (meter.tokens > sorted) this.inc({ group, model, kind: 'unknown' }, meter.tokens - sorted);
      }
    },
  });
  new Counter({
    name: 'holter_cost_usd_total',
    help: 'Dollars that agents spent, as far as prices are known, by group and model.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { group, model, meter } of book.totals)
        if (meter.costMicros > 0) this.inc({ group, model }, meter.costMicros / MICROS_PER_USD);
    },
  });
  new Counter({
    name: 'holter_unpriced_tokens_total',
    help: 'Tokens without a known price, by group and model; their cost is in no other figure.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { group, model, meter } of book.totals)
        if (meter.unpricedTokens > 0) this.inc({ group, model }, meter.unpricedTokens);
    },
  });
}

import { z } from 'zod';
import { healthState, time, wholeNumber } from './parts.ts';

const word = z.string();
const count = z.number();

export const COST_BY = ['agent', 'task', 'group', 'model', 'day'] as const;

export const costQuery = z.strictObject({
  by: z.enum(COST_BY).optional().describe('What a row stands for; an agent unless told.'),
  since: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('From the day in UTC that contains this time; seven days ago unless told.'),
  limit: wholeNumber(1, 1_000).optional().describe('Rows, at most 1000; the most expensive come first.'),
});

const meter = {
  tokens: count.meta({
    description: 'All of them; more than the sum of the others where only a total is known.',
  }),
  input: count.meta({ description: 'Read by the model, without the cache.' }),
  output: count,
  cacheRead: count,
  cacheWrite: count,
  costUsd: count.nullable().meta({
    description: 'As far as prices are known; null if none is. With `unpricedTokens` it is the least.',
  }),
  isReported: z.boolean().meta({ description: 'Agents reported a part of it themselves.' }),
  unpricedTokens: count.meta({ description: 'Tokens whose price is not known.' }),
};

const costRow = z.strictObject({
  key: word.nullable().meta({ description: 'An id, a name or a date; null where it is not known.' }),
  ...meter,
  agent: z
    .strictObject({
      group: word,
      state: healthState,
      tokensPerMinute: count,
      costPerHour: count.nullable(),
      lastProgressAt: time.nullable(),
      endedAt: time.nullable(),
    })
    .nullable()
    .meta({ description: 'How fast it spends now, and whether it gets anywhere; null for other rows.' }),
});

const budget = z.strictObject({
  scope: z.enum(['group', 'day']),
  name: word.meta({ description: 'The group; empty for the whole fleet.' }),
  spentUsd: count,
  limitUsd: count.nullable(),
  spentTokens: count,
  limitTokens: count.nullable(),
  share: count.meta({ description: '1 is used up.' }),
  warnAt: count,
  atLimit: z.enum(['warn', 'nudge', 'escalate', 'stop']),
});

export const costPage = z.strictObject({
  at: time,
  from: time.meta({ description: 'The beginning of the first day.' }),
  by: z.enum(COST_BY),
  rows: z.array(costRow),
  hasMore: z.boolean(),
  total: z.strictObject(meter),
  budgets: z.array(budget).meta({ description: 'Budgets of groups and of the whole fleet, today.' }),
  prices: z.strictObject({
    date: word.meta({ description: 'When the prices that Holter ships were taken from the vendors.' }),
    ownCount: count.meta({ description: 'Prices in holter.yaml, which come first.' }),
  }),
});

import { instant } from '@holter/core/time';
import { type CostPage, realClock } from '@holter/server/local';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type ServerOptions, withServer } from '../client/connection.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { type Paint, painter } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import { duration } from '../terminal/units.ts';
import { ago, counted, dollars, short } from '../terminal/words.ts';

const BY = ['agent', 'task', 'group', 'model', 'day'] as const;

type CostOptions = ServerOptions & {
  readonly by: (typeof BY)[number];
  readonly since?: Since;
  readonly limit: string;
  readonly json?: boolean;
};

/** A time back from now, or a day. */
type Since = { readonly ageMs: number } | { readonly at: number };

export function registerCost(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('cost')
        .description('show what agents have spent: tokens and money, with cache reads and writes')
        .addOption(new Option('--by <what>', 'one row for each').choices(BY).default('agent'))
        .option(
          '--since <time>',
          "'7d', '12h' or a day such as 2026-11-01; whole days in UTC (default: 7d)",
          since,
        )
        .option('--limit <n>', 'rows, at most 1000; the most expensive come first', wholeNumber, '50')
        .option('--json', 'print JSON'),
    ),
    [
      ['holter cost', 'the most expensive agents of the last 7 days'],
      ['holter cost --by model --since 30d', 'which models the money went to'],
      ['holter cost --by day --since 2026-11-01 --json', 'for a program'],
    ],
  ).action((options: CostOptions) => cost(io, options));
}

function since(text: string): Since {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isFinite(day)) return { at: day };
  try {
    return { ageMs: duration(text) };
  } catch {
    throw new InvalidArgumentError("write it like '7d', '12h' or 2026-11-01.");
  }
}

function wholeNumber(text: string): string {
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= 1_000) return text;
  throw new InvalidArgumentError('it must be a whole number from 1 to 1000.');
}

async function cost(io: Io, options: CostOptions): Promise<void> {
  const { by, limit, since: asked } = options;
  const connection = findServer(io, options, 'viewer');
  const from = asked && ('at' in asked ? asked.at : Math.max(0, realClock().now() - asked.ageMs));
  const page = await ask(connection, (client) =>
    client.cost({ by, limit, ...(from !== undefined && { since: String(from) }) }),
  );
  if (options.json) return io.out(`${JSON.stringify(page)}\n`);
  tell(io, page);
}

function tell(io: Io, page: CostPage): void {
  const { rows, total, by, from, hasMore, prices, budgets } = page;
  const paint = painter(io);
  const first = new Date(from).toISOString().slice(0, 10);
  if (rows.length === 0) return io.out(`no tokens have been reported since ${first} (UTC)\n`);
  const columns = columnsOf(by, io.width);
  const cells = (row: Row): string[] => columns.map(({ text }) => text(row, page.at));
  const sum: Row = { ...total, key: 'total', agent: null };
  io.out(table(columns, [...rows.map(cells), cells(sum)], io.width, paint));
  if (hasMore) io.out(`${paint('dim', `only the ${rows.length} most expensive are shown (--limit)`)}\n`);
  // Of groups only those that are nearly used up, unless groups are what was asked for.
  for (const budget of budgets)
    if (budget.scope === 'day' || by === 'group' || budget.share >= budget.warnAt)
      io.out(budgetLine(budget, paint));
  const own = prices.ownCount === 0 ? '' : `, after ${counted(prices.ownCount, 'price')} of your own`;
  io.out(`${paint('dim', `since ${first} (UTC); list prices of ${prices.date}${own}`)}\n`);
  if (total.unpricedTokens > 0)
    io.out(
      `${short(total.unpricedTokens)} tokens have no known price: set it under prices: in holter.yaml (docs/cost.md)\n`,
    );
}

type Row = CostPage['rows'][number];
type ColumnOf = {
  readonly title: string;
  readonly canShrink?: true;
  readonly text: (row: Row, now: number) => string;
};

/** At 80 columns an agent's pace stands in for the parts of its tokens. */
function columnsOf(by: CostPage['by'], width: number): readonly ColumnOf[] {
  const part = (title: string, count: (row: Row) => number): ColumnOf => ({
    title,
    text: (row) => short(isOnlyTotal(row) ? null : count(row)),
  });
  const parts: readonly ColumnOf[] = [
    part('INPUT', ({ input }) => input),
    part('OUTPUT', ({ output }) => output),
    part('CACHE READ', ({ cacheRead }) => cacheRead),
    part('CACHE WRITE', ({ cacheWrite }) => cacheWrite),
  ];
  const isAgent = by === 'agent';
  return [
    {
      title: by.toUpperCase(),
      canShrink: true,
      text: ({ key }) => key ?? (by === 'task' ? 'no task' : 'unknown'),
    },
    { title: 'TOKENS', text: ({ tokens }) => short(tokens) },
    ...(isAgent && width < 110 ? [] : parts),
    { title: 'COST', text: costInWords },
    ...(isAgent
      ? [
          { title: 'NOW', text: ({ agent }: Row) => (agent ? paceInWords(agent) : '') },
          {
            title: 'PROGRESS',
            text: ({ agent }: Row, now: number) => (agent ? ago(agent.lastProgressAt, instant(now)) : ''),
          },
        ]
      : []),
  ];
}

const isOnlyTotal = ({ tokens, input, output, cacheRead, cacheWrite }: Row): boolean =>
  tokens > 0 && input + output + cacheRead + cacheWrite === 0;

/** "≥ $1.20": there is more, at an unknown price. */
function costInWords({ costUsd, unpricedTokens, isReported }: Row): string {
  if (costUsd === null) return 'unknown';
  const usd = costUsd === 0 ? '$0.00' : dollars(costUsd);
  return `${unpricedTokens > 0 ? '≥ ' : ''}${usd}${isReported ? ' (reported)' : ''}`;
}

function paceInWords({ tokensPerMinute, costPerHour, endedAt }: NonNullable<Row['agent']>): string {
  if (endedAt !== null) return 'ended';
  if (tokensPerMinute === 0) return 'nothing';
  return costPerHour === null ? `${short(tokensPerMinute)} tokens/min` : `${dollars(costPerHour)}/h`;
}

function budgetLine(budget: CostPage['budgets'][number], paint: Paint): string {
  const { scope, name, spentUsd, limitUsd, spentTokens, limitTokens, share, warnAt, atLimit } = budget;
  const parts = [
    ...(limitUsd === null ? [] : [`${dollars(spentUsd)} of ${dollars(limitUsd)}`]),
    ...(limitTokens === null ? [] : [`${short(spentTokens)} of ${short(limitTokens)} tokens`]),
  ];
  const whose = scope === 'day' ? 'budget of today' : `budget of ${name} today`;
  const colour = share >= 1 ? 'red' : share >= warnAt ? 'yellow' : 'dim';
  return `${paint(colour, `${whose}: ${parts.join(', ')}${share >= 1 ? `, used up (${atLimit})` : ''}`)}\n`;
}

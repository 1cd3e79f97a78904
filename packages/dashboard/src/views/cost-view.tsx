import type { CostPage } from '@holter/server/wire';
import { useEffect } from 'preact/hooks';
import { Link } from '../parts/link.tsx';
import { Empty, NotYet } from '../parts/messages.tsx';
import { StateIcon } from '../parts/state-icon.tsx';
import { Table } from '../parts/table.tsx';
import { Tile } from '../parts/tile.tsx';
import { Ago } from '../parts/time.tsx';
import { dollars, plural, short } from '../parts/words.ts';
import { get } from '../state/api.ts';
import { now } from '../state/clock.ts';
import { useFresh } from '../state/fresh.ts';
import { agentPath, query, setQuery } from '../state/route.ts';

type Row = CostPage['rows'][number];
type Budget = CostPage['budgets'][number];

const BY: readonly (readonly [CostPage['by'], string])[] = [
  ['agent', 'Agent'],
  ['task', 'Task'],
  ['group', 'Group'],
  ['model', 'Model'],
  ['day', 'Day'],
];
const SINCE: readonly (readonly [days: string, string])[] = [
  ['0', 'Today'],
  ['7', '7 days'],
  ['30', '30 days'],
];
const DAY_MS = 24 * 3_600_000;

/** What agents have spent, and how fast they spend, beside whether they get anywhere. */
export function CostView() {
  const by = BY.find(([name]) => name === query.value.get('by'))?.[0] ?? 'agent';
  const days = SINCE.find(([name]) => name === query.value.get('days'))?.[0] ?? '7';
  const { data, problem, reload } = useFresh(
    `cost/${by}/${days}`,
    (stop) =>
      get<CostPage>(
        '/v1/cost',
        { by, since: Math.max(0, Math.round(now.peek()) - Number(days) * DAY_MS) },
        stop,
      ),
    5_000,
    60_000,
  );
  useEffect(() => {
    document.title = 'Cost · Holter';
  }, []);
  if (!data) return <NotYet title="Cost" what="the cost" problem={problem} retry={reload} />;
  const { total, budgets, rows } = data;
  return (
    <>
      <h1>Cost</h1>
      <p class="lead">
        At list prices of {data.prices.date}
        {data.prices.ownCount > 0 && `, after ${plural(data.prices.ownCount, 'price')} of your own`}. Days are
        in UTC.
      </p>
      <div class="choices">
        <Segments
          name="One row for each"
          choices={BY}
          chosen={by}
          choose={(name) => setQuery({ by: name })}
        />
        <Segments name="Since" choices={SINCE} chosen={days} choose={(name) => setQuery({ days: name })} />
      </div>
      <section class="tiles" aria-label="In total">
        <Tile
          name="Cost"
          value={costOf(total)}
          {...(total.isReported && { note: 'a part reported by agents' })}
        />
        <Tile name="Tokens" value={short(total.tokens)} note={`${short(total.output)} output`} />
        <Tile name="Cache reads" value={short(total.cacheRead)} note={`${short(total.cacheWrite)} written`} />
        {total.unpricedTokens > 0 && (
          <Tile
            name="Tokens without a known price"
            value={short(total.unpricedTokens)}
            note="set prices in holter.yaml"
          />
        )}
      </section>
      {budgets.length > 0 && <Budgets budgets={budgets} />}
      {rows.length === 0 ? (
        <Empty title="Nothing spent" text="No agent has reported tokens in this time." />
      ) : (
        <section class="card">
          <Rows page={data} />
          {data.hasMore && <p class="soft after">Only the {rows.length} most expensive are shown.</p>}
        </section>
      )}
    </>
  );
}

type SegmentsProps<Name extends string> = {
  readonly name: string;
  readonly choices: readonly (readonly [Name, string])[];
  readonly chosen: Name;
  readonly choose: (name: Name) => void;
};

function Segments<Name extends string>({ name, choices, chosen, choose }: SegmentsProps<Name>) {
  return (
    <fieldset class="segments" aria-label={name}>
      {choices.map(([value, word]) => (
        <button type="button" key={value} aria-pressed={value === chosen} onClick={() => choose(value)}>
          {word}
        </button>
      ))}
    </fieldset>
  );
}

function costOf({ costUsd, unpricedTokens }: Pick<Row, 'costUsd' | 'unpricedTokens'>): string {
  if (costUsd === null) return 'unknown';
  const usd = costUsd > 0 && costUsd < 0.01 ? '<$0.01' : dollars(costUsd);
  return unpricedTokens > 0 ? `≥ ${usd}` : usd;
}

function Rows({ page }: { readonly page: CostPage }) {
  const isAgent = page.by === 'agent';
  const [, title = ''] = BY.find(([name]) => name === page.by) ?? [];
  const columns = [
    ...[title, 'Cost', 'Tokens', 'Input', 'Output', 'Cache read', 'Cache write'],
    ...(isAgent ? ['Now', 'Last progress'] : []),
  ];
  return (
    <Table name={`Cost by ${page.by}`} columns={columns} look="plain numbers cost">
      {page.rows.map((row) => (
        <tr key={row.key}>
          <th scope="row">
            <Name row={row} by={page.by} />
          </th>
          <td>
            {costOf(row)}
            {row.isReported && <span class="soft"> reported</span>}
          </td>
          <td>{short(row.tokens)}</td>
          {[row.input, row.output, row.cacheRead, row.cacheWrite].map((count, index, parts) => (
            <td key={index}>{parts.some((part) => part > 0) ? short(count) : '–'}</td>
          ))}
          {isAgent && <td>{row.agent ? paceOf(row.agent) : '–'}</td>}
          {isAgent && <td>{row.agent ? <Ago at={row.agent.lastProgressAt} /> : '–'}</td>}
        </tr>
      ))}
    </Table>
  );
}

function Name({ row, by }: { readonly row: Row; readonly by: CostPage['by'] }) {
  if (row.key === null) return <span class="soft">{by === 'task' ? 'no task' : 'unknown'}</span>;
  if (by === 'group') return <Link to={`/?group=${encodeURIComponent(row.key)}`}>{row.key}</Link>;
  if (by !== 'agent') return <>{row.key}</>;
  return (
    <>
      {row.agent && <StateIcon state={row.agent.state} />} <Link to={agentPath(row.key)}>{row.key}</Link>
    </>
  );
}

function paceOf({ endedAt, tokensPerMinute, costPerHour }: NonNullable<Row['agent']>): string {
  if (endedAt !== null) return 'ended';
  if (tokensPerMinute === 0) return 'nothing';
  const tokens = `${short(tokensPerMinute)} tokens/min`;
  return costPerHour === null ? tokens : `${dollars(costPerHour)}/h · ${tokens}`;
}

function Budgets({ budgets }: { readonly budgets: readonly Budget[] }) {
  return (
    <section class="card">
      <h2>Budgets of today</h2>
      <Table
        name="Budgets of today"
        columns={['Budget', 'Spent', 'Limit', 'Used', 'At the limit']}
        look="plain numbers"
      >
        {budgets.map((budget) => (
          <tr key={`${budget.scope}/${budget.name}`}>
            <th scope="row">{budget.scope === 'day' ? 'all agents' : `group ${budget.name}`}</th>
            <td>{amounts(budget.limitUsd, budget.limitTokens, budget.spentUsd, budget.spentTokens)}</td>
            <td>
              {amounts(budget.limitUsd, budget.limitTokens, budget.limitUsd ?? 0, budget.limitTokens ?? 0)}
            </td>
            <td>{usedOf(budget)}</td>
            <td>{budget.atLimit}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

const amounts = (hasUsd: number | null, hasTokens: number | null, usd: number, tokens: number): string =>
  [
    ...(hasUsd === null ? [] : [dollars(usd)]),
    ...(hasTokens === null ? [] : [`${short(tokens)} tokens`]),
  ].join(', ');

/** In words as well as in numbers, not by colour alone. */
function usedOf({ share, warnAt }: Budget): string {
  const used = `${Math.round(share * 100)} %`;
  return share >= 1 ? `▲ ${used}, used up` : share >= warnAt ? `▲ ${used}` : used;
}

import { METER_KEYS, type Meter, type Spending } from '@holter/core';
import { addMeters, crowdedKey, keyOf, SPENDING_ROWS_MAX, type SpendingKey } from '../spending.ts';
import { KEYS, METERS } from '../sql/spending.ts';
import type { Row } from './connections.ts';
import { literal, rowsOf } from './text.ts';

const keys = Object.entries(KEYS) as [keyof SpendingKey, string][];
const meters = METER_KEYS.map((name) => METERS[name]);

/** The rows of the same agents and days, which decide whether there is room for more. */
export function findBooked(rows: readonly Spending[]): string {
  if (rows.length === 0) return 'select 1 where false';
  const days = new Set(rows.map(keyOf).map(({ day, agentId }) => `(${literal(day)}, ${literal(agentId)})`));
  return `select ${keys.map(([, column]) => column).join(', ')} from spending
    where (day, agent_id) in (values ${[...days].join(', ')})`;
}

/** The commit fails if another one of its agent came first, so no other has added to the same rows. */
export function addSpending(rows: readonly Spending[], booked: readonly Row[]): string {
  const known = new Map<string, Set<string>>();
  const knownOf = ({ day, agentId }: SpendingKey): Set<string> => {
    const name = `${day} ${agentId}`;
    const found = known.get(name) ?? new Set();
    known.set(name, found);
    return found;
  };
  for (const row of booked) {
    const key = Object.fromEntries(keys.map(([name, column]) => [name, row[column]])) as SpendingKey;
    knownOf(key).add(JSON.stringify(key));
  }
  const sums = new Map<string, { readonly key: SpendingKey; meter: Meter }>();
  for (const row of rows) {
    const wanted = keyOf(row);
    const there = knownOf(wanted);
    const isCrowded = !there.has(JSON.stringify(wanted)) && there.size >= SPENDING_ROWS_MAX;
    const key = isCrowded ? crowdedKey(wanted) : wanted;
    const name = JSON.stringify(key);
    there.add(name);
    const sum = sums.get(name);
    sums.set(name, { key, meter: sum ? addMeters(sum.meter, row) : row });
  }
  const columns = Object.fromEntries([
    ...keys.map(([, column]) => [column, column === 'day' ? 'double precision' : 'text']),
    ...meters.map((column) => [column, 'double precision']),
  ]) as Record<string, string>;
  const values = [...sums.values()].map(({ key, meter }) =>
    Object.fromEntries([
      ...keys.map(([name, column]) => [column, key[name]]),
      ...METER_KEYS.map((name) => [METERS[name], meter[name]]),
    ]),
  );
  const names = Object.keys(columns).join(', ');
  return `insert into spending (${names}) select ${names} from ${rowsOf(columns, values)}
    order by day, agent_id, group_name, task_id, model
    on conflict (${keys.map(([, column]) => column).join(', ')}) do update
    set ${meters.map((column) => `${column} = spending.${column} + excluded.${column}`).join(', ')}`;
}

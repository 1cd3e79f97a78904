import pg from 'pg';
import { plainText } from '../facts.ts';

/** A value as text of a statement. Several statements in one message can't have parameters. */
export function literal(value: string | number | null): string {
  if (value === null) return 'null';
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(plainText(value));
}

export const literals = (values: Iterable<string | number>): string => [...values].map(literal).join(', ');

/** Rows as one value, to select from; `columns` has the type of each. */
export function rowsOf<Column extends string>(
  columns: Readonly<Record<Column, string>>,
  rows: readonly Readonly<Record<Column, string | number | null>>[],
): string {
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  const json = JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? wellFormed(plainText(value)) : value,
  );
  return `json_to_recordset(${pg.escapeLiteral(json)}) as r(${types.join(', ')})`;
}

/** Half of a surrogate pair has no form in UTF-8. */
const wellFormed = (text: string): string =>
  /[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text;

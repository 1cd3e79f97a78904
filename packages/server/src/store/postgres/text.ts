import pg from 'pg';
import { plainText } from '../facts.ts';

/** A value as text of a statement. Several statements in one message can't have parameters. */
export function literal(value: string | number | null): string {
  if (value === null) return 'null';
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(plainText(value));
}

export const literals = (values: Iterable<string | number>): string => [...values].map(literal).join(', ');

/** A column that holds JSON: its value is put into the statement as it is, not as a text inside JSON. */
export const JSON_TEXT = 'json text';

/** Rows as one value, to select from; `columns` has the type of each. */
export function rowsOf<Column extends string>(
  columns: Readonly<Record<Column, string>>,
  rows: readonly Readonly<Record<Column, string | number | null>>[],
): string {
  const types = Object.entries<string>(columns);
  const declared = types.map(([name, type]) => `${name} ${type === JSON_TEXT ? 'text' : type}`);
  return `json_to_recordset(${quoted(jsonOf(types, rows))}) as r(${declared.join(', ')})`;
}

function jsonOf(
  types: readonly (readonly [string, string])[],
  rows: readonly Readonly<Record<string, string | number | null>>[],
): string {
  const fields = types.map(([name, type]) => ({ name, key: `"${name}":`, isJson: type === JSON_TEXT }));
  const parts = rows.map(
    (row) =>
      `{${fields.map(({ name, key, isJson }) => key + (isJson ? row[name] : JSON.stringify(row[name]))).join(',')}}`,
  );
  const json = `[${parts.join(',')}]`;
  // Rare, and PostgreSQL would refuse it.
  return UNSTORABLE.test(json)
    ? JSON.stringify(rows, (_, value: unknown) =>
        typeof value === 'string' ? wellFormed(plainText(value)) : value,
      )
    : json;
}

/** In JSON: NUL, and what may be half of a surrogate pair. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

/** Half of a surrogate pair has no form in UTF-8. */
const wellFormed = (text: string): string =>
  /[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text;

/** Between dollar signs nothing is escaped, which is faster on both sides. JSON does not end with part of the mark. */
const quoted = (json: string): string => (json.includes(MARK) ? pg.escapeLiteral(json) : MARK + json + MARK);

const MARK = '$json$';

import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { Schema } from '../sql/schema.ts';

type Value = string | number | null;

type Build<Values, Row> = (
  db: Kysely<Schema>,
  place: <Name extends keyof Values & string>(name: Name) => Values[Name],
) => Compilable<Row>;

/** Placeholder in a query for a value bound later. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The parameters of a statement that runs once for each row, and how many rows of the table each run has changed. */
export class Rows {
  readonly rows: readonly (readonly unknown[])[];
  readonly changes: number[] = [];

  constructor(rows: Rows['rows']) {
    this.rows = rows;
  }
}

/**
 * Kysely takes longer to build and compile a small query than SQLite takes to run it. The queries of every commit
 * are therefore built once, with placeholders.
 */
export function prepared<Values extends Readonly<Record<string, Value>>, Row = unknown>(
  build: Build<Values, Row>,
): (db: Kysely<Schema>, values: Values) => Promise<QueryResult<Row>> {
  const { queryOf, bind } = template(build);
  return (db, values) => {
    const query = queryOf(db);
    return db.executeQuery({ ...query, parameters: bind(query, values) });
  };
}

/** A statement for many rows goes through Kysely once, not once for each. Returns what each of them changed. */
export function preparedForMany<Values extends Readonly<Record<string, Value>>>(
  build: Build<Values, unknown>,
): (db: Kysely<Schema>, rows: readonly Values[]) => Promise<readonly number[]> {
  const { queryOf, bind } = template(build);
  return async (db, rows) => {
    if (rows.length === 0) return [];
    const query = queryOf(db);
    const runs = new Rows(rows.map((row) => bind(query, row)));
    await db.executeQuery({ ...query, parameters: [runs] });
    return runs.changes;
  };
}

function template<Values extends Readonly<Record<string, Value>>, Row>(build: Build<Values, Row>) {
  let compiled: CompiledQuery<Row> | null = null;
  return {
    queryOf: (db: Kysely<Schema>): CompiledQuery<Row> => {
      compiled ??= build(db, (name) => new Place(name) as unknown as Values[typeof name]).compile();
      return compiled;
    },
    bind: ({ parameters }: CompiledQuery<Row>, values: Values): unknown[] =>
      parameters.map((each) => (each instanceof Place ? values[each.name] : each)),
  };
}

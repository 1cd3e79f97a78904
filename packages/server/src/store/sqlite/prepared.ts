import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { Schema } from './schema.ts';

type Value = string | number | null;

/** Stands in a query for a value that comes later. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Building and compiling a query takes Kysely longer than SQLite needs to run a small one. What every commit
 * does is therefore built once, with places for its values.
 */
export function prepared<Values extends Readonly<Record<string, Value>>, Row = unknown>(
  build: (
    db: Kysely<Schema>,
    place: <Name extends keyof Values & string>(name: Name) => Values[Name],
  ) => Compilable<Row>,
): (db: Kysely<Schema>, values: Values) => Promise<QueryResult<Row>> {
  let compiled: CompiledQuery<Row> | null = null;
  return (db, values) => {
    compiled ??= build(db, (name) => new Place(name) as unknown as Values[typeof name]).compile();
    const parameters = compiled.parameters.map((each) => (each instanceof Place ? values[each.name] : each));
    return db.executeQuery({ ...compiled, parameters });
  };
}

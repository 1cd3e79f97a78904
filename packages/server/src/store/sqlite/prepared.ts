import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { Schema } from '../sql/schema.ts';

type Value = string | number | null;

/** Placeholder in a query for a value bound later. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Kysely takes longer to build and compile a small query than SQLite takes to run it. The queries of every commit
 * are therefore built once, with placeholders.
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

import { afterAll, it } from 'vitest';
import { hasPostgres, TempPostgres } from '../contract/temp-postgres.ts';
import { expectTwins } from '../contract/twin.ts';

const temp = new TempPostgres();
afterAll(() => temp.dispose());

it.skipIf(!hasPostgres())(
  'the memory store and the PostgreSQL store give the same answers to random operations',
  { timeout: 60_000 },
  () => expectTwins(() => temp.fresh(), 20),
);

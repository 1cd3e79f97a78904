import { afterAll, it } from 'vitest';
import { TempSqlite } from '../contract/temp-sqlite.ts';
import { expectTwins } from '../contract/twin.ts';

const temp = new TempSqlite();
afterAll(() => temp.dispose());

it(
  'the memory store and the SQLite store give the same answers to random operations',
  {
    timeout: 60_000,
  },
  () => expectTwins(() => temp.fresh(), 40),
);

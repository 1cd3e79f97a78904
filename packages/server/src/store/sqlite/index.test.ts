import { afterAll } from 'vitest';
import { TempSqlite } from '../contract/temp-sqlite.ts';
import { storeContract } from '../contract.ts';

const sqlite = new TempSqlite();
afterAll(() => sqlite.dispose());

storeContract('sqlite', async () => ({
  store: await sqlite.fresh(),
  second: () => sqlite.second(),
  reopen: () => sqlite.reopen(),
  dispose: async () => undefined,
}));

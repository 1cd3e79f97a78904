import { afterAll } from 'vitest';
import { storeContract } from '../contract/store-contract.ts';
import { TempSqlite } from '../contract/temp-sqlite.ts';

const sqlite = new TempSqlite();
afterAll(() => sqlite.dispose());

storeContract('sqlite', async () => ({
  store: await sqlite.fresh(),
  second: () => sqlite.second(),
  reopen: () => sqlite.reopen(),
  dispose: async () => undefined,
}));

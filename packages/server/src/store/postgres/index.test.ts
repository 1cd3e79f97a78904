import { afterAll, describe } from 'vitest';
import { storeContract } from '../contract/store-contract.ts';
import { hasPostgres, TempPostgres } from '../contract/temp-postgres.ts';

const postgres = new TempPostgres();
afterAll(() => postgres.dispose());

describe.skipIf(!hasPostgres())('PostgreSQL', () => {
  storeContract('postgres', async () => ({
    store: await postgres.fresh(),
    second: () => postgres.second(),
    reopen: () => postgres.reopen(),
    dispose: async () => undefined,
  }));
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataFolder } from './data-folder.ts';
import { createLogger } from './logging/logger.ts';
import { databaseOf, openStore } from './open-store.ts';
import { hasPostgres, TempPostgres } from './store/contract/temp-postgres.ts';

const postgres = new TempPostgres();
const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'holter-open-store-')));
afterAll(async () => {
  await postgres.dispose();
  rmSync(folder.path, { recursive: true });
});

const logger = createLogger({ write: () => undefined, isPretty: false });

/** Opens the store as a server would, and closes it. */
async function open({ flag, config = 'sqlite' }: { flag?: string; config?: string } = {}): Promise<string> {
  const options = { config: { database: config }, logger, ...(flag !== undefined && { database: flag }) };
  const address = databaseOf(options);
  const store = await openStore(folder, options, address);
  await store.close();
  return address.kind;
}

describe.skipIf(!hasPostgres())('a data folder whose data is in PostgreSQL', () => {
  beforeAll(() => postgres.fresh());

  it('is not served from an empty file because the address was forgotten', async () => {
    expect(await open()).toBe('sqlite');
    expect(await open({ config: postgres.url })).toBe('postgres');
    expect(folder.readDatabase()).toMatch(/\/holter_\w+$/);
    await expect(open()).rejects.toMatchObject({
      message: expect.stringContaining(`is in PostgreSQL at ${folder.readDatabase()}`),
      next: expect.stringContaining('holter up --database sqlite'),
    });
    expect(await open({ flag: postgres.url })).toBe('postgres');
  });

  it('goes back to the file when somebody says so', async () => {
    expect(await open({ flag: 'sqlite' })).toBe('sqlite');
    expect(folder.readDatabase()).toBeNull();
    expect(await open()).toBe('sqlite');
  });
});

import type { TestProject } from 'vitest/node';
import { startPostgres, type TestPostgres } from './start.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A PostgreSQL in which tests may create databases; null where there is none. */
    readonly postgres: string | null;
  }
}

let started: TestPostgres | null = null;

/** One PostgreSQL for a run of tests: the one that `HOLTER_TEST_POSTGRES` names, or one that ends with the run. */
export async function setup(project: TestProject): Promise<void> {
  const given = process.env.HOLTER_TEST_POSTGRES;
  started = given ? null : await startPostgres();
  const url = given || (started?.url() ?? null);
  if (url === null && process.env.CI === 'true') throw new Error('no PostgreSQL here: install it');
  if (url === null) console.log('\nSKIPPED: no PostgreSQL here; tests that need it do not run.');
  project.provide('postgres', url);
}

export async function teardown(): Promise<void> {
  await started?.dispose();
}

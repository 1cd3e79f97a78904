import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres, openSqlite } from '@holter/server';
import { describe, expect, test } from 'vitest';
import { hasPostgres, TempDatabase } from '../packages/server/test/postgres-database.ts';
import { type CrashRun, crashRun } from '../packages/sim/src/crash/crash-sweep.ts';

/**
 * What is proven on the store in memory must be what runs: the same story leaves the same events behind on
 * the real databases, and a crash is survived there too. (Which await is the hundredth depends on how fast
 * the store answers, so two runs with a crash are not the same story.)
 */
describe.each([
  { name: 'SQLite', run: runOnSqlite, isSkipped: false },
  { name: 'PostgreSQL', run: runOnPostgres, isSkipped: !hasPostgres() },
])('$name', ({ run, isSkipped }) => {
  test.skipIf(isSkipped)('the small world ends the same, event by event', { timeout: 60_000 }, async () => {
    const onDatabase = await run(0);
    expect(onDatabase.complaints).toEqual([]);
    expect(storyOf(onDatabase)).toEqual(storyOf(await crashRun(0)));
  });

  test.skipIf(isSkipped).each([150, 400, 777, 1_000])(
    'a crash at await %i is survived',
    { timeout: 60_000 },
    async (crashAt) => {
      const crashed = await run(crashAt);
      expect(crashed.truth.crashes).toBe(1);
      expect(crashed.complaints).toEqual([]);
    },
  );
});

async function runOnSqlite(crashAt: number): Promise<CrashRun> {
  const folder = mkdtempSync(join(tmpdir(), 'holter-same-'));
  const store = await openSqlite(join(folder, 'holter.db'));
  try {
    return await crashRun(crashAt, store);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

async function runOnPostgres(crashAt: number): Promise<CrashRun> {
  const database = new TempDatabase();
  await database.make();
  const store = await openPostgres(database.url);
  try {
    return await crashRun(crashAt, store);
  } finally {
    await store.close();
    await database.drop();
  }
}

/** Agents are independent, so what is compared is each one's own story, in its own order. */
function storyOf({ events }: CrashRun): Record<string, readonly string[]> {
  const stories: Record<string, string[]> = {};
  for (const { at, incarnation, type, payload } of events) {
    const who =
      'agentId' in payload ? payload.agentId : 'newAgentId' in payload ? payload.newAgentId : 'fleet';
    stories[who] ??= [];
    stories[who].push(`${at} #${incarnation} ${type} ${JSON.stringify(payload)}`);
  }
  return stories;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@holter/server';
import { expect, test } from 'vitest';
import { type CrashRun, crashRun } from './crash-sweep.ts';

/**
 * What is proven on the store in memory must be what runs: the same story leaves the same events behind on
 * the real database, and a crash is survived there too. (Which await is the hundredth depends on how fast
 * the store answers, so two runs with a crash are not the same story.)
 */
test('the small world ends the same on SQLite, event by event', { timeout: 60_000 }, async () => {
  const onSqlite = await runOnSqlite(0);
  expect(onSqlite.complaints).toEqual([]);
  expect(storyOf(onSqlite)).toEqual(storyOf(await crashRun(0)));
});

test.each([150, 400, 777, 1_000])(
  'a crash at await %i is survived on SQLite',
  { timeout: 60_000 },
  async (crashAt) => {
    const run = await runOnSqlite(crashAt);
    expect(run.truth.crashes).toBe(1);
    expect(run.complaints).toEqual([]);
  },
);

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

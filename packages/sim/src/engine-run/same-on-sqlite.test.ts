import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@holter/server';
import { expect, test } from 'vitest';
import { type CrashRun, crashRun } from './crash-sweep.ts';

/**
 * What is proven on the store in memory must be what runs: the same story, with the same crash, leaves the
 * same events behind on the real database.
 */
test.each([0, 150, 400, 777])(
  'a crash at await %i ends the same on SQLite',
  { timeout: 60_000 },
  async (crashAt) => {
    const folder = mkdtempSync(join(tmpdir(), 'holter-same-'));
    const store = await openSqlite(join(folder, 'holter.db'));
    try {
      const onSqlite = await crashRun(crashAt, store);
      const inMemory = await crashRun(crashAt);
      expect(onSqlite.complaints).toEqual([]);
      expect(storyOf(onSqlite)).toEqual(storyOf(inMemory));
    } finally {
      await store.close();
      rmSync(folder, { recursive: true });
    }
  },
);

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

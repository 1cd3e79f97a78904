import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemory, openPostgres, openSqlite, type Store } from '@holter/server';
import { afterAll, describe, expect, test } from 'vitest';
import { hasPostgres, TempDatabase } from '../packages/server/test/postgres-database.ts';
import { type CrashRun, crashRun } from '../packages/sim/src/crash/crash-sweep.ts';
import { drawnRun } from '../packages/sim/src/crash/drawn-run.ts';

/**
 * What is proven on the store in memory must be what runs: the same story leaves the same events behind on the real
 * databases, and crashes are survived there too. Each run has many of them, far enough apart for the world to come to
 * its end in time. (Which await is the hundredth depends on how fast the store answers, so two runs with a crash are
 * not the same story.)
 *
 * `npm test` crashes before and after every commit, every act and every settled effect. At the awaits in between, a
 * crash leaves behind what it leaves at one of these, except for the periodic writes: beats, ticks and leases.
 * `npm run chaos:awaits` crashes at every await.
 */
const isEveryAwait = process.env.HOLTER_EVERY_AWAIT === '1';
const CHANGES = /^(?:commit|settleEffect|act .*)$/;

/** Worlds that run at once, each on its own database: while one waits for its database, another goes on. */
const LANES = 3;

/** Drawn sequences that are replayed on each database. */
const SEEDS = 10;

type Lane = { readonly fresh: () => Promise<Store>; readonly dispose: () => Promise<void> };

describe.each([
  { name: 'SQLite', open: sqliteLane, isAlone: true, awaitsApart: 120, isSkipped: false },
  { name: 'PostgreSQL', open: postgresLane, isAlone: false, awaitsApart: 500, isSkipped: !hasPostgres() },
])('$name', { timeout: isEveryAwait ? 3_600_000 : 300_000 }, ({ open, isAlone, awaitsApart, isSkipped }) => {
  const lanes: Lane[] = [];
  afterAll(async () => {
    for (const lane of lanes) await lane.dispose();
  });

  test.skipIf(isSkipped)('the small world ends the same, event by event', async () => {
    const lane = await open();
    lanes.push(lane);
    const onDatabase = await crashRun({ store: await lane.fresh() });
    expect(onDatabase.complaints).toEqual([]);
    expect(storyOf(onDatabase)).toEqual(storyOf(await crashRun()));
  });

  test.skipIf(isSkipped)('drawn sequences of signals end the same, event by event', async () => {
    const [lane = await open()] = lanes;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const inMemory = await drawnRun(seed, openMemory(), isAlone);
      expect(inMemory.length).toBeGreaterThan(20);
      const onDatabase = await drawnRun(seed, await lane.fresh(), isAlone);
      expect({ seed, ...storyOf({ events: onDatabase }) }).toEqual({
        seed,
        ...storyOf({ events: inMemory }),
      });
    }
  });

  test.skipIf(isSkipped)('a crash at every await is survived', async () => {
    while (lanes.length < LANES) lanes.push(await open());
    const apart = isEveryAwait ? awaitsApart : 12;
    const runs: CrashRun[] = [];
    let next = 0;
    const follow = async (lane: Lane): Promise<void> => {
      while (next < apart) {
        const first = next++;
        runs.push(
          await crashRun({
            store: await lane.fresh(),
            isAlone,
            isCounted: (name) => isEveryAwait || CHANGES.test(name),
            isCrash: (moment) => moment % apart === first,
          }),
        );
      }
    };
    await Promise.all(lanes.map(follow));
    const complaints = runs.flatMap((run) => run.complaints.map((each) => `${each}: ${run.crashes}`));
    expect(complaints).toEqual([]);
    // One run after the other, without a gap.
    const crashed = new Set(runs.flatMap(({ crashes }) => crashes.map((each) => Number.parseInt(each, 10))));
    const moments = Math.min(...runs.map((run) => run.moments));
    expect(Array.from({ length: moments }, (_, i) => i + 1).filter((n) => !crashed.has(n))).toEqual([]);
    console.info(`${crashed.size} crashes in ${runs.length} runs`);
  });
});

async function sqliteLane(): Promise<Lane> {
  const folder = mkdtempSync(join(tmpdir(), 'holter-same-'));
  let store: Store | null = null;
  let number = 0;
  return {
    fresh: async () => {
      await store?.close();
      store = await openSqlite(join(folder, `${++number}.db`));
      return store;
    },
    dispose: async () => {
      await store?.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function postgresLane(): Promise<Lane> {
  const database = new TempDatabase();
  await database.make();
  const store = await openPostgres(database.url);
  return {
    fresh: async () => {
      await database.empty();
      return store;
    },
    dispose: async () => {
      await store.close();
      await database.drop();
    },
  };
}

/** Agents are independent, so what is compared is each one's own story, in its own order. */
function storyOf({ events }: Pick<CrashRun, 'events'>): Record<string, readonly string[]> {
  const stories: Record<string, string[]> = {};
  for (const { at, incarnation, type, payload } of events) {
    const who =
      'agentId' in payload ? payload.agentId : 'newAgentId' in payload ? payload.newAgentId : 'fleet';
    stories[who] ??= [];
    stories[who].push(`${at} #${incarnation} ${type} ${JSON.stringify(payload)}`);
  }
  return stories;
}

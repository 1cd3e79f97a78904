import { expect, test } from 'vitest';
import { crashRun } from './crash-sweep.ts';

/** Invariant 4: a crash of Holter at any await loses no timer, no acknowledged event, and no effect. */
test('the small world lives through its story without a crash', async () => {
  const run = await crashRun();
  expect(run.complaints).toEqual([]);
  expect(run.moments).toBeGreaterThan(1_000);
});

test('a crash at every single await is survived', { timeout: 300_000 }, async () => {
  const { moments } = await crashRun();
  const complaints: string[] = [];
  let repeatedKills = 0;
  let repeatedStarts = 0;
  for (let crashAt = 1; crashAt <= moments; crashAt++) {
    const run = await crashRun({ isCrash: (moment) => moment === crashAt });
    expect(run.truth.crashes).toBe(1);
    complaints.push(...run.complaints.map((complaint) => `crash ${run.crashes}: ${complaint}`));
    repeatedKills += run.truth.repeatedKills;
    repeatedStarts += run.truth.repeatedStarts;
  }
  expect(complaints).toEqual([]);
  console.info(
    `${moments} crashes: ${repeatedKills} kills and ${repeatedStarts} starts were asked for twice, none hit twice`,
  );
});

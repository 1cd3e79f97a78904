import { expect, test } from 'vitest';
import { readFixtures } from './fixtures.ts';
import { judge, rankOf } from './runs.ts';

/** Every fixture meets its expectation. `npm run eval` shows more: tables, mutants, real runs, peers. */
test.each(readFixtures().map(({ header, steps }) => [header.run, header.expect, steps] as const))(
  '%s',
  (_, wanted, steps) => {
    const { worst, firstAct } = judge(steps);
    expect(rankOf(worst)).toBeGreaterThanOrEqual(rankOf(wanted.min));
    expect(rankOf(worst)).toBeLessThanOrEqual(rankOf(wanted.max));
    if (wanted.by !== null) expect(firstAct ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(wanted.by);
  },
);

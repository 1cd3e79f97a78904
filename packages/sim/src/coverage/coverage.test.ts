import { describe, expect, test } from 'vitest';
import { Counter, mergeCounts } from './counts.ts';
import { EXPLAINED } from './explained.ts';
import { neverHappened, unlisted } from './holes.ts';
import { POSSIBLE } from './possible.ts';
import { coverageTable } from './table.ts';

describe('counts', () => {
  test('are added up, and survive JSON', () => {
    const counter = new Counter();
    counter.add('step', 'nudge');
    counter.add('step', 'nudge');
    counter.add('hold', 'asleep', 3);
    const counts = JSON.parse(JSON.stringify(counter));
    expect(counts).toEqual({ 'hold: asleep': 3, 'step: nudge': 2 });
    expect(mergeCounts(counts, { 'step: nudge': 1, 'step: human': 4 })).toEqual({
      'hold: asleep': 3,
      'step: nudge': 3,
      'step: human': 4,
    });
  });
});

describe('what never happened', () => {
  test('is everything that nobody counted', () => {
    const all = Object.values(POSSIBLE).reduce((sum, items) => sum + items.length, 0);
    expect(neverHappened({})).toHaveLength(all);
    expect(neverHappened({ 'step: nudge': 1 })).toHaveLength(all - 1);
  });

  test('is told apart from what stands in no list', () => {
    expect(unlisted({ 'step: nudge': 1, 'step: sideways': 1 })).toEqual(['step: sideways']);
  });

  test('is explained only where there is something to explain', () => {
    for (const { section, items, because } of EXPLAINED) {
      expect(
        POSSIBLE[section]?.filter((item) => items.test(item)),
        `${section} ${items}`,
      ).not.toEqual([]);
      expect(because.length).toBeGreaterThan(20);
    }
  });
});

test('the table shows what was counted, and each zero', () => {
  const table = coverageTable({ 'step: nudge': 1234, 'reopened: escalate': 1, 'step: sideways': 1 });
  expect(table).toContain('step (1 of 5)\n  nudge 1,234');
  expect(table).toContain('reopened (1 of 2)\n  escalate 1');
  expect(table).toMatch(/never, and nobody knows why\n(?: {2}.*\n)* {2}reopened: nudge\n/);
  expect(table).toContain('happened, but stands in no list\n  step: sideways');
});

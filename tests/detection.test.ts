import { expect, test } from 'vitest';
import { evaluateFixtures, evaluateMutants } from '../eval/fixtures.ts';
import { ownStories } from '../eval/own-stories.ts';
import { loadFolder } from '../eval/steps-file.ts';
import { writtenRuns } from '../eval/written-runs.ts';

/** What `npm run eval` checks without the development data: all written runs, and some of their mutants. */
const MIXTURES = 2;
const written = [...writtenRuns, ...ownStories];

test('the detectors judge every written run as its author does', () => {
  expect(written.length).toBeGreaterThan(100);
  expect(evaluateFixtures(written).misses).toEqual([]);
});

test('they do so when the surface changes', async () => {
  const recorded = await loadFolder('tests/fixtures/detect');
  expect(evaluateMutants([...recorded, ...written], MIXTURES).misses).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readFixtures } from '../../test/detect/fixtures.ts';
import { call, edit, failing, say } from '../../test/detect/runs.ts';
import { FINDING_KINDS, type FindingKind } from '../vocabulary/finding.ts';
import type { Detector } from './detector.ts';
import { type AgentStep, defaultDetectionPolicy, emptyDetectorState, observe } from './index.ts';
import { detectors } from './registry.ts';

const all = Object.values(detectors) as Detector<unknown, unknown>[];
const names = Object.keys(detectors);

/** A run after which every detector has a state other than its initial one. */
const run: readonly AgentStep[] = [
  say('Please look for the colour.', { kind: 'user' }),
  call('ls', 'a.ts b.ts'),
  edit('a.ts', 'x', 'y'),
  call('grep colour', 'No matches found'),
  ...['svc show', 'svc get', 'svc list'].flatMap((command) => [
    call(command, 'one\ntwo\nthree'),
    call('cat a.ts', 'const a = 1;'),
  ]),
  call('svc show -v', 'one\ntwo\nthree'),
  failing('frob', 'frob: command not found'),
  ...['npm test', 'npm test', 'npm test'].map((command) => failing(command, 'Error: 3 failed')),
  ...['frob', 'defrob'].map((tool) => failing(tool, `Error: No such tool available: ${tool}`, { tool })),
  ...[1, 2].flatMap(() => [call('ls', 'a.ts b.ts'), call('grep colour', 'No matches found')]),
  say('', { kind: 'compaction' }),
  say('I will try again. '.repeat(30)),
];
const full = run.reduce(
  (state, step) => observe(state, step, defaultDetectionPolicy).state,
  emptyDetectorState,
);

test('this run changes the state of every detector', () => {
  for (const name of names as (keyof typeof full)[])
    expect([name, full[name]]).not.toEqual([name, emptyDetectorState[name]]);
});

const nextSteps: readonly AgentStep[] = [
  call('ls', 'a.ts b.ts'),
  call('', '', { input: null, output: null, error: null }),
  failing('npm test', 'Error: 3 failed'),
  say('I will try again. '.repeat(30)),
  say('Please go on.', { kind: 'user' }),
  say('', { kind: 'compaction' }),
  say('', { kind: 'system' }),
];

test('nothing is found in an initial state, so that a step need not ask for it', () => {
  for (const detector of all) expect(detector.find(detector.empty, defaultDetectionPolicy, 99)).toBe(null);
});

test.each(names)('a record without the state of %s is judged the same by all others', (name) => {
  const { [name]: _missing, ...others } = JSON.parse(JSON.stringify(full)) as Record<string, unknown>;
  for (const step of nextSteps) {
    const resumed = observe(others as typeof full, step, defaultDetectionPolicy).state;
    const whole = observe(full, step, defaultDetectionPolicy).state;
    expect(resumed).toHaveProperty(name);
    for (const other of names.filter((each) => each !== name))
      expect(resumed[other as keyof typeof full]).toEqual(whole[other as keyof typeof full]);
  }
});

test('a detector finds only its kinds, and every repeat kind has a detector', () => {
  const seen = new Set<FindingKind>();
  for (const { steps } of readFixtures()) {
    let state = emptyDetectorState;
    for (const step of steps) {
      ({ state } = observe(state, step, defaultDetectionPolicy));
      for (const [index, detector] of all.entries()) {
        const own = state[names[index] as keyof typeof state];
        const found = [detector.find(own, defaultDetectionPolicy, state.callCount) ?? []].flat();
        for (const { kind } of found) {
          expect(detector.kinds).toContain(kind);
          seen.add(kind);
        }
      }
    }
  }
  const repeats = (Object.keys(FINDING_KINDS) as FindingKind[]).filter(
    (kind) => FINDING_KINDS[kind].isRepeat,
  );
  // A nudge that was read is a second source against these, and against nothing else.
  expect(repeats.sort()).toEqual([
    'call-cycle',
    'empty-replies',
    'near-duplicate',
    'repeated-call',
    'repeated-text',
    'same-error',
    'unknown-tool',
    'zero-diversity',
  ]);
  const detected = [...new Set(all.flatMap(({ kinds }) => kinds))].sort();
  expect(detected).toEqual(expect.arrayContaining(repeats));
  expect([...seen].sort()).toEqual(detected);
  const page = readFileSync(new URL('../../../../docs/detection.md', import.meta.url), 'utf8');
  for (const kind of detected) expect(page).toContain(`### ${kind}`);
});

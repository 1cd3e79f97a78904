import { describe, expect, it } from 'vitest';
import { type ProcessSample, processEvidence } from './process-evidence.ts';

const sample = (more: Partial<ProcessSample>): ProcessSample => ({
  incarnation: 'a',
  at: 0,
  cpuMs: 1_000,
  isStopped: false,
  ...more,
});
const MINUTES = 60_000;

describe('the evidence of the processes of the Deacon', () => {
  it.each<[string, string, Partial<ProcessSample> | null, Partial<ProcessSample>]>([
    ['unknown', 'one look', null, {}],
    ['unknown', 'looks at two runs', { incarnation: 'b' }, {}],
    ['unknown', 'two looks at once', { at: 3 * MINUTES }, {}],
    ['unknown', 'looks that are far apart, as after a sleep', { at: -20 * MINUTES }, {}],
    ['unknown', 'a CPU time that can not be read', {}, { cpuMs: null }],
    ['unknown', 'stopped just now', {}, { isStopped: true }],
    ['stopped', 'stopped at both', { isStopped: true }, { isStopped: true }],
    ['idle', 'no CPU time between them', {}, {}],
    ['idle', 'timers of a runtime', {}, { cpuMs: 1_900 }],
    ['busy', 'a spinner', {}, { cpuMs: 1_901 }],
    ['busy', 'processes that have ended between them', {}, { cpuMs: 500 }],
  ])('%s: %s', (evidence, _, before, after) => {
    expect(processEvidence(before && sample(before), sample({ at: 3 * MINUTES, ...after }))).toBe(evidence);
  });
});

import { defaultDetectionPolicy } from '@holter/core';
import { expect, test } from 'vitest';
import { compile } from './compile.ts';
import { policyFor } from './policy-set.ts';

const detectionOf = (raw: unknown, agentId = 'ada') => {
  const compiled = compile(raw);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.problems));
  return policyFor(compiled.policies, 'default', agentId).detection;
};

test('without a word, the detectors have the thresholds that they ship with', () => {
  expect(detectionOf({})).toEqual(defaultDetectionPolicy);
});

test('an agent may have its own patience, and its own pollers', () => {
  const raw = {
    detection: { repeated_call: { act: 8 }, pollers: ['queue_status'] },
    agents: { bob: { detection: { repeated_call: { warn: 4, act: 12 } } } },
  };
  expect(detectionOf(raw).repeatedCall).toEqual({ warn: 3, act: 8 });
  expect(detectionOf(raw, 'bob').repeatedCall).toEqual({ warn: 4, act: 12 });
  expect(detectionOf(raw, 'bob').pollers).toEqual(['queue_status']);
});

test('a warning must come before the act, and both have a range', () => {
  const paths = (raw: unknown) => {
    const compiled = compile(raw);
    return compiled.kind === 'invalid' ? compiled.problems.map(({ path }) => path) : [];
  };
  expect(paths({ detection: { call_cycle: { warn: 9, act: 5 } } })).toContain('detection.call_cycle.act');
  expect(paths({ detection: { call_cycle: { act: 1 } } })).toEqual(['detection.call_cycle.act']);
  expect(paths({ detection: { cal_cycle: { act: 7 } } })).toEqual(['detection.cal_cycle']);
});

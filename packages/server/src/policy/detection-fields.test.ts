import { readFileSync } from 'node:fs';
import { defaultDetectionPolicy, FINDING_KINDS } from '@holter/core';
import { expect, test } from 'vitest';
import { compile } from './compile.ts';
import { DETECTION_FIELDS } from './detection-fields.ts';
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

const page = readFileSync(new URL('../../../../docs/detection.md', import.meta.url), 'utf8');

test('every key that docs/detection.md names exists, and every key is named there', () => {
  const named = new Set([...page.matchAll(/`detection\.([\w.]+)`/g)].map(([, path = '']) => path));
  const paths = Object.keys(DETECTION_FIELDS).map((path) => path.replace('detection.', ''));
  const isKnown = (name: string) => paths.some((path) => path === name || path.startsWith(`${name}.`));
  expect([...named].filter((name) => !isKnown(name))).toEqual([]);
  expect(paths.filter((path) => !named.has(path) && !named.has(path.replace(/\.\w+$/, '')))).toEqual([]);
});

test('every other key that docs/detection.md names is in the reference', () => {
  const reference = readFileSync(
    new URL('../../../../docs/reference/holter-yaml.md', import.meta.url),
    'utf8',
  );
  const keys = [...reference.matchAll(/^\| `([\w.]+)`/gm)].map(([, key = '']) => key);
  const named = [...page.matchAll(/`((?:progress_detection|health_monitoring|rules|fleet)[\w.]*)`/g)].map(
    ([, key = '']) => key,
  );
  const isKnown = (name: string) => keys.some((key) => key === name || key.startsWith(`${name}.`));
  expect(named).toContain('progress_detection.token_consumption');
  expect(named.filter((name) => !isKnown(name))).toEqual([]);
});

test('every heading of a kind in docs/detection.md is one', () => {
  const headings = [...page.matchAll(/^### (.+)$/gm)].flatMap(([, kinds = '']) => kinds.split(', '));
  expect(headings.filter((kind) => !Object.hasOwn(FINDING_KINDS, kind))).toEqual([]);
});

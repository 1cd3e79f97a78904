import { describe, expect, it } from 'vitest';
import { policyFor } from '../policy/index.ts';
import { effectiveSettings } from './effective.ts';
import { loadConfig, problemLine } from './load.ts';

/** Seed 000 §2, word for word. */
const SEED = `progress_detection:
  checkpoint_comparison: true # Compare timestamps
  tool_call_analysis:
    repeated_identical: stuck # Same calls = stuck
    no_calls_threshold: 900 # 15+ min = stuck
    diverse_calls: healthy
  token_consumption:
    sudden_spike: potential_loop
    zero_consumption: stuck
    steady_rate: healthy
`;

const load = (text: string) => loadConfig('holter.yaml', () => text);

const loaded = (text: string) => {
  const reading = load(text);
  if (reading.kind === 'invalid') throw new Error(reading.problems.map(problemLine).join('\n'));
  return reading.config;
};

const complaints = (text: string): readonly string[] => {
  const reading = load(text);
  return reading.kind === 'invalid' ? reading.problems.map(problemLine) : [];
};

const policyOf = (text: string, agentId = 'ada') => policyFor(loaded(text).policies, 'default', agentId);

describe('progress_detection of seed 000', () => {
  it('is read as printed, and says what holds by default', () => {
    expect(policyOf(SEED)).toEqual(policyOf(''));
  });

  it('names the key and the line in force', () => {
    const settings = effectiveSettings(loaded(SEED.replace('900', '600')), {
      role: 'default',
      agentId: 'ada',
    });
    expect(settings).toContainEqual({
      path: 'rules.silence_act',
      value: '10m',
      from: 'config',
      place: 'holter.yaml:5',
    });
  });

  it('may differ for one agent', () => {
    const text = `${SEED}agents:\n  bob:\n    progress_detection:\n      checkpoint_comparison: false\n`;
    expect(policyOf(text).severityMax).toEqual({ 'token-spike': 'warn' });
    expect(policyOf(text, 'bob').severityMax).toEqual({ 'token-spike': 'warn', 'checkpoint-stale': 'none' });
  });

  it.each<[why: string, text: string, line: RegExp]>([
    [
      'an unknown key',
      SEED.replace('diverse_calls', 'diverse_cals'),
      /^holter\.yaml:6:5 {2}.*did you mean diverse_calls/,
    ],
    [
      'an unknown word',
      SEED.replace('zero_consumption: stuck', 'zero_consumption: bad'),
      /^holter\.yaml:9:5 {2}.*must be one of stuck, potential_loop, healthy, not "bad"/,
    ],
    [
      'a word that cannot hold',
      SEED.replace('steady_rate: healthy', 'steady_rate: stuck'),
      /^holter\.yaml:10:5 {2}.*must be one of healthy/,
    ],
    [
      'a limit given twice',
      `${SEED}rules:\n  silence_act: 20m\n`,
      /^holter\.yaml:5:5 {2}.*no_calls_threshold is given twice: see rules\.silence_act; keep one/,
    ],
    [
      'a limit below its warning',
      `${SEED}rules:\n  silence_warn: 30m\n`,
      /^holter\.yaml:5:5 {2}.*no_calls_threshold must be more than rules\.silence_warn/,
    ],
    [
      'the age of a checkpoint that is not judged',
      `${SEED.replace('true', 'false')}rules:\n  checkpoint_warn: 5m\n`,
      /^holter\.yaml:12:3 {2}.*no effect beside progress_detection\.checkpoint_comparison: false; keep one/,
    ],
    [
      'a limit of calls that only warn',
      `${SEED.replace('stuck', 'potential_loop')}detection:\n  call_cycle:\n    warn: 4\n    act: 9\n`,
      /^holter\.yaml:14:5 {2}detection\.call_cycle\.act has no effect beside .*repeated_identical: potential_loop/,
    ],
  ])('%s is an error with its line', (_, text, line) => {
    const told = complaints(text);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(line);
  });
});

import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../src/base/time.ts';
import type { Promises } from '../src/record/agent.ts';
import { Bench, policiesOf } from './kit.ts';

/** Seed 000 §2: each key of `progress_detection` changes what an agent is called. */
const bench = (progress: object = {}, promises: Promises = {}): Bench =>
  new Bench(
    { role: 'background', promises: { beatEveryMs: minutes(5), ...promises }, taskId: 't1' },
    policiesOf({ progress_detection: progress }),
  );

const foundOf = ({ agent: { hard } }: Bench, kind: string) =>
  [...hard.derived, ...hard.points].find((finding) => finding.kind === kind)?.severity;

const beat = (ada: Bench, forMs: number, body: () => object = () => ({})): void => {
  for (const end = ada.at + forMs; ada.at < end; ada.advance(seconds(30)))
    ada.signal({ kind: 'heartbeat', ...body() });
};

describe('checkpoint_comparison', () => {
  test.each([
    [true, 'act'],
    [false, undefined],
  ])('%s', (checkpoint_comparison, severity) => {
    const ada = bench({ checkpoint_comparison }, { checkpoints: true });
    beat(ada, minutes(31));
    expect(foundOf(ada, 'checkpoint-stale')).toBe(severity);
  });
});

describe('tool_call_analysis', () => {
  test.each([
    ['stuck', 'act'],
    ['potential_loop', 'warn'],
    ['healthy', undefined],
  ])('repeated_identical: %s', (repeated_identical, severity) => {
    const ada = bench({ tool_call_analysis: { repeated_identical } });
    for (let count = 0; count < 8; count += 1) {
      const callId = `c${count}`;
      const call = { callId, tool: 'Bash', input: { command: 'cat a' } };
      ada.signal({ kind: 'call-begun', ...call });
      ada.signal({ kind: 'call-ended', ...call, output: 'a', isError: false });
    }
    expect(foundOf(ada, 'repeated-call')).toBe(severity);
    expect(ada.agent.hard.incident !== undefined).toBe(severity === 'act');
  });

  test('no_calls_threshold', () => {
    const ada = bench(
      { tool_call_analysis: { no_calls_threshold: 600 } },
      { calls: { modelTimeoutMs: seconds(0) } },
    );
    ada.signal({ kind: 'call-begun', callId: 'c1', tool: 'Bash' });
    ada.signal({ kind: 'call-ended', callId: 'c1', tool: 'Bash', isError: false });
    beat(ada, seconds(570));
    expect(foundOf(ada, 'silent')).toBe('warn');
    beat(ada, seconds(30));
    expect(foundOf(ada, 'silent')).toBe('act');
  });
});

describe('token_consumption', () => {
  test.each([
    ['stuck', 'act'],
    ['potential_loop', 'warn'],
    ['healthy', undefined],
  ])('zero_consumption: %s', (zero_consumption, severity) => {
    const ada = bench({ token_consumption: { zero_consumption } });
    beat(ada, minutes(16), () => ({ tokenCount: 500 }));
    expect(foundOf(ada, 'token-flat')).toBe(severity);
  });

  test.each([
    ['potential_loop', 'warn'],
    ['healthy', undefined],
  ])('sudden_spike: %s', (sudden_spike, severity) => {
    const ada = bench({ token_consumption: { sudden_spike } });
    let tokenCount = 0;
    const use = (tokens: number) => () => {
      tokenCount += tokens;
      return { tokenCount };
    };
    beat(ada, minutes(10), use(1_000));
    beat(ada, minutes(2), use(40_000));
    expect(foundOf(ada, 'token-spike')).toBe(severity);
  });
});

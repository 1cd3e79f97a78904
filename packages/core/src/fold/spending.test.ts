import { expect, test } from 'vitest';
import { Bench, policiesOf } from '../../test/kit.ts';

let calls = 0;

const call = (bench: Bench, input: unknown, output: string): void => {
  calls += 1;
  const callId = `c${calls}`;
  bench.signal({ kind: 'call-begun', callId, tool: 'Bash' }, 'agent');
  bench.signal({ kind: 'call-ended', callId, tool: 'Bash', input, output, isError: false }, 'agent');
};

/** Forty-one calls that read something new, and 3.20 dollars. */
function spend(bench: Bench): void {
  bench.signal({ kind: 'tokens', total: 1_000, costUsd: 0.01 }, 'agent');
  for (let index = 0; index < 41; index += 1) {
    call(bench, { command: `cat ${'x'.repeat(index)}` }, `page ${'y'.repeat(index)}`);
    const costUsd = 0.01 + (3.2 * (index + 1)) / 41;
    bench.signal({ kind: 'tokens', total: 1_000 + 30_000 * (index + 1), costUsd }, 'agent');
  }
}

const spending = (bench: Bench) => bench.agent.hard.points.find(({ kind }) => kind === 'spending');

test('money and calls since the last change are named, once the limit is crossed', () => {
  const bench = new Bench();
  spend(bench);
  expect(spending(bench)).toMatchObject({
    severity: 'warn',
    evidence:
      '$3.04 and 39 calls since the last change; an edit, a better result or a checkpoint would be progress.',
  });
});

test('a change begins the count again', () => {
  const bench = new Bench();
  spend(bench);
  call(bench, { file_path: 'a.ts', old_string: 'x', new_string: 'y' }, 'edited');
  expect(spending(bench)).toBeUndefined();
  bench.signal({ kind: 'tokens', total: 1_300_000, costUsd: 4 }, 'agent');
  expect(spending(bench)).toBeUndefined();
});

test('agents without prices are measured in tokens, and an operator sets the limit', () => {
  const bench = new Bench({}, policiesOf({ detection: { spending: { tokens: 10_000 } } }));
  bench.signal({ kind: 'tokens', total: 1_000 }, 'agent');
  bench.signal({ kind: 'tokens', total: 11_500 }, 'agent');
  expect(spending(bench)?.evidence).toContain('10500 tokens and 0 calls since the last change');
});

test('the figure that exceeded its limit is named', () => {
  const bench = new Bench({}, policiesOf({ detection: { spending: { tokens: 10_000 } } }));
  bench.signal({ kind: 'tokens', total: 1_000, costUsd: 0.01 }, 'agent');
  bench.signal({ kind: 'tokens', total: 11_500, costUsd: 0.05 }, 'agent');
  expect(spending(bench)?.evidence).toMatch(/^10500 tokens and 0 calls since the last change/);
});

test('tokens from a cache are left out of the tokens', () => {
  const bench = new Bench({}, policiesOf({ detection: { spending: { tokens: 10_000 } } }));
  const report = (input: number, cacheRead: number) =>
    bench.signal(
      { kind: 'tokens', total: input + cacheRead, models: [{ model: 'big-1', input, cacheRead }] },
      'agent',
    );
  report(1_000, 0);
  report(2_000, 100_000);
  expect(spending(bench)).toBeUndefined();
  report(12_000, 200_000);
  expect(spending(bench)?.evidence).toMatch(/^11000 tokens and 0 calls/);
});

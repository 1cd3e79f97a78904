import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';

const TAP_RED = 'TAP version 13\nnot ok 1 - rounds\n# tests 3\n# pass 2\n# fail 1';

/** Whether the share of failed calls is reported after `rounds` of an edit and a failing command. */
function hasErrorRate(command: string, output: string, rounds: number): boolean {
  const bench = new Bench();
  let calls = 0;
  const call = (input: unknown, said: string, isError: boolean): void => {
    calls += 1;
    bench.signal({ kind: 'call-ended', callId: `c${calls}`, tool: 'Bash', input, output: said, isError });
  };
  for (let round = 0; round < rounds; round += 1) {
    call({ file_path: 'sum.ts', old_string: `${round}`, new_string: `${round + 1}` }, 'updated', false);
    call({ command }, output, true);
  }
  return bench.agent.hard.points.some(({ kind }) => kind === 'error-rate');
}

test('red test runs with edits between them are no error rate', () => {
  expect(hasErrorRate('node --test', TAP_RED, 12)).toBe(false);
});

test('other failures with edits between them are one', () => {
  expect(hasErrorRate('./deploy.sh', 'ssh: connection refused', 12)).toBe(true);
});

test('what would be progress is said', () => {
  const bench = new Bench();
  for (let call = 0; call < 24; call += 1)
    bench.signal({ kind: 'call-ended', callId: `c${call}`, tool: 'Bash', isError: true });
  const rate = bench.agent.hard.points.find(({ kind }) => kind === 'error-rate');
  expect(rate?.evidence).toMatch(/calls failed; calls that succeed would be progress\.$/);
});

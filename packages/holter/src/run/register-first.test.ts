import { expect, test } from 'vitest';
import { AgentRunning } from './agent-record.ts';
import { registerFirst } from './register-first.ts';

type Clock = Parameters<typeof registerFirst>[1]['clock'];

function world(refusals: number) {
  let now = 0;
  const said: string[] = [];
  let calls = 0;
  const clock = {
    now: () => now,
    after: (ms: number, call: () => void) => {
      now += ms;
      queueMicrotask(call);
    },
  } as unknown as Clock;
  const register = async (): Promise<void> => {
    calls += 1;
    if (calls <= refusals) throw new AgentRunning('ada');
  };
  return {
    said,
    calls: () => calls,
    run: () => registerFirst({ register }, { clock, say: (line) => said.push(line) }),
  };
}

test('a run that was killed a moment ago does not keep the next one out', async () => {
  const { said, calls, run } = world(3);
  await run();
  expect(calls()).toBe(4);
  expect(said).toEqual(['ada is still running; waiting up to 10 s for it to end']);
});

test('one that goes on does', async () => {
  const { said, calls, run } = world(Number.POSITIVE_INFINITY);
  await expect(run()).rejects.toThrow('an agent called ada is already running; choose another name');
  expect(calls()).toBe(21);
  expect(said).toHaveLength(1);
});

import { expect, test } from 'vitest';
import { instant, seconds } from '../src/base/time.ts';
import type { Agent } from '../src/record/agent.ts';
import type { SignalBody } from '../src/vocabulary/signal.ts';
import { Bench } from './kit.ts';

const ended = (callId: string, tool: string, output: string, isError: boolean): SignalBody => ({
  kind: 'call-ended',
  callId,
  tool,
  input: { command: tool },
  output,
  isError,
});

const signalsOf = (round: number): readonly SignalBody[] => [
  { kind: 'said', role: 'user', text: `Please go on with part ${'x'.repeat(round)}.` },
  ...[1, 2, 3, 4].flatMap((turn) => [
    ended(`make-${round}-${turn}`, 'make', 'Error: 3 failed', true),
    ended(`grep-${round}-${turn}`, 'grep', 'No matches found', false),
  ]),
  { kind: 'compaction' },
  { kind: 'said', role: 'assistant', text: 'I will try again. '.repeat(30) },
  { kind: 'verdict', verdict: 'RETRY' },
  { kind: 'tokens', total: 5_000 * round, contextUse: 0.9 },
  { kind: 'checkpoint', checkpointId: `c${round}`, hash: 'h' },
];

function feed(bench: Bench, body: SignalBody): void {
  bench.at = instant(bench.at + seconds(40));
  bench.signal(body);
}

function lived(): Bench {
  const promises = { calls: { modelTimeoutMs: seconds(1) }, verdicts: true, checkpoints: true } as const;
  const bench = new Bench({ promises, taskId: 't1' });
  for (const body of signalsOf(1)) feed(bench, body);
  return bench;
}

/** Every part of the trail. A stored record that is older than a part lacks it. */
const parts = Object.entries(lived().agent.hard.trail ?? {}).flatMap(([part, states]) =>
  part === 'calls' ? Object.keys(states).map((name) => `calls.${name}`) : [part],
);

function without(agent: Agent, path: string): Agent {
  const copy = JSON.parse(JSON.stringify(agent)) as Agent;
  const trail = copy.hard.trail as unknown as Record<string, Record<string, unknown>>;
  const [part = '', name] = path.split('.');
  if (name === undefined) delete trail[part];
  else delete trail[part]?.[name];
  return copy;
}

test('the record contains every part', () => {
  expect(parts.length).toBeGreaterThanOrEqual(18);
});

test.each(parts)('an agent without %s in its record is still judged', (path) => {
  for (const body of signalsOf(2)) {
    const bench = lived();
    bench.agent = without(bench.agent, path);
    expect(() => feed(bench, body)).not.toThrow();
    bench.at = instant(bench.at + seconds(3_600));
    expect(() => bench.feed({ kind: 'tick' })).not.toThrow();
  }
});

import { describe, expect, test } from 'vitest';
import { seconds } from '../src/base/time.ts';
import type { Signal, SignalBody } from '../src/vocabulary/signal.ts';
import { Bench } from './kit.ts';

type Word = SignalBody & Partial<Signal>;

/** Sends all of them, and returns each blocker that was recorded. */
function recorded(bench: Bench, words: readonly Word[]): readonly string[] {
  return words.flatMap((word) =>
    bench
      .signal(word, word.kind === 'process' ? 'holter' : 'agent')
      .events.flatMap((event) => (event.type === 'BLOCKER_REPORTED' ? [event.payload.text] : [])),
  );
}

const lookOf = (count: number): Word => ({
  kind: 'process',
  state: 'running',
  cpuMs: count,
  ioBytes: count,
  childrenAtWork: 0,
  memoryBytes: 1,
  id: `look-${count}`,
});

// Found by simulation: a server that resumed read one request many times, with forty probes in between.
test('probes and signs of life do not push out ids that must be remembered', () => {
  const bench = new Bench({ promises: { beatEveryMs: seconds(60), process: true } });
  const blocker: Word = { kind: 'blocker', text: 'the build is red', id: 'b1' };
  const between = Array.from({ length: 100 }, (_, count): readonly Word[] => [
    lookOf(count),
    { kind: 'activity', id: `sign-${count}` },
  ]).flat();
  expect(recorded(bench, [blocker, ...between, blocker])).toEqual(['the build is red']);
});

describe('a sender that numbers its signals', () => {
  const words = Array.from({ length: 100 }, (_, index): Word => {
    const place = { id: `w${index}`, channel: 'client', seq: index + 1 };
    return { kind: 'blocker', text: `word ${index}`, ...place };
  });

  test('may send a hundred of them again, and each counts once', () => {
    const bench = new Bench({ promises: { tasks: true } });
    expect(recorded(bench, words)).toHaveLength(100);
    expect(recorded(bench, words)).toEqual([]);
  });

  test('uses no room in the list of seen ids', () => {
    const bench = new Bench({ promises: { tasks: true } });
    recorded(bench, words);
    expect(bench.agent.hard.seen).toEqual([]);
  });
});

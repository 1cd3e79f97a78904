import { describe, expect, test } from 'vitest';
import { instant, minutes, seconds } from '../src/base/time.ts';
import type { Registration } from '../src/transition/enroll.ts';
import type { HeartbeatBody } from '../src/vocabulary/signal.ts';
import { Bench } from './kit.ts';

/** Each field of seed 000 §2's payload, sent in beats and nothing else. */
const bench = (fields: Partial<Registration> = {}): Bench =>
  new Bench({ role: 'background', promises: { beatEveryMs: minutes(5) }, ...fields });

/** Beats every 30 s for so long; the agent's clock is an hour ahead of Holter's. */
function beats(ada: Bench, forMs: number, bodyAt: (wall: number) => Omit<HeartbeatBody, 'kind'>): void {
  const end = ada.at + forMs;
  while (ada.at < end) {
    ada.signal({ kind: 'heartbeat', ...bodyAt(ada.at + minutes(60)) });
    ada.advance(Math.min(seconds(30), end - ada.at));
  }
}

const findingsOf = ({ agent: { hard } }: Bench) =>
  [...hard.derived, ...hard.points].map(({ kind, severity }) => `${kind} ${severity}`);

describe('last_tool_call', () => {
  test('that does not move is silence of calls, and 900 s are 900 s', () => {
    const ada = bench();
    const lastToolCall = ada.at + minutes(60);
    const tell = (timestamp: number) => ({ timestamp, lastToolCall, taskId: 't1' });
    beats(ada, seconds(899), tell);
    expect(findingsOf(ada)).toEqual(['silent warn']);
    ada.advance(seconds(1));
    expect(findingsOf(ada)).toEqual(['silent act']);
    expect(ada.agent.hard).toMatchObject({ health: 'STUCK', incident: { cause: 'silent', step: 'nudge' } });
  });

  test('that moves is activity', () => {
    const ada = bench();
    beats(ada, minutes(60), (timestamp) => ({
      timestamp,
      lastToolCall: timestamp - seconds(5),
      taskId: 't1',
    }));
    expect(findingsOf(ada)).toEqual([]);
  });

  test('is not held against an agent that has no task and no turn', () => {
    const ada = bench();
    const lastToolCall = ada.at;
    beats(ada, minutes(60), (timestamp) => ({ timestamp, lastToolCall }));
    expect(findingsOf(ada)).toEqual([]);
  });

  test('that does not move never makes a still process frozen by itself', () => {
    const ada = bench({ promises: { process: true } });
    const lastToolCall = ada.at + minutes(60);
    const look = { cpuMs: 5, ioBytes: 5, childrenAtWork: 0, memoryBytes: 1 };
    beats(ada, minutes(40), (timestamp) => {
      ada.signal({ kind: 'process', state: 'running', ...look }, 'holter');
      return { timestamp, lastToolCall, taskId: 't1' };
    });
    expect(findingsOf(ada)).toEqual(['silent act']);
  });
});

describe('task_id', () => {
  test('opens the task that nobody assigned', () => {
    const ada = bench();
    ada.signal({ kind: 'heartbeat', taskId: 't1' });
    expect(ada.agent.hard.task).toMatchObject({ id: 't1', begunAt: ada.at, isInferred: true });
    ada.signal({ kind: 'heartbeat', taskId: 't2' });
    expect(ada.agent.hard.task).toMatchObject({ id: 't2', isInferred: true });
    expect(findingsOf(ada)).toEqual([]);
    const stopped = ada.signal({ kind: 'stopped', reason: 'done' });
    expect(stopped.events.map(({ type }) => type)).not.toContain('ATTENTION_RAISED');
  });

  test('of another task than the assigned one is an error', () => {
    const ada = bench({ taskId: 't1' });
    ada.signal({ kind: 'heartbeat', taskId: 't2' });
    expect(findingsOf(ada)).toEqual(['foreign-task warn']);
    expect(ada.agent.hard.points[0]?.evidence).toBe('its beats name the task t2, but its open task is t1');
    expect(ada.agent.hard.task?.id).toBe('t1');
    ada.signal({ kind: 'heartbeat', taskId: 't1' });
    expect(findingsOf(ada)).toEqual([]);
  });

  test('of a task that has ended does not open it again', () => {
    const ada = bench({ taskId: 't1' });
    ada.signal({ kind: 'task-ended', taskId: 't1', outcome: 'done' });
    ada.signal({ kind: 'heartbeat', taskId: 't1' });
    expect(ada.agent.hard.task).toBeUndefined();
    expect(findingsOf(ada)).toEqual([]);
  });

  test('becomes an assigned task when somebody assigns it', () => {
    const ada = bench();
    ada.signal({ kind: 'heartbeat', taskId: 't1' });
    const expectedAt = instant(ada.at + minutes(5));
    ada.signal({ kind: 'task-assigned', taskId: 't1', expectedAt }, 'operator');
    expect(ada.agent.hard.task).toMatchObject({ id: 't1', expectedAt });
    expect(ada.agent.hard.task?.isInferred).toBeUndefined();
  });
});

describe('token_count', () => {
  test('that does not grow has a timer', () => {
    const ada = bench({ taskId: 't1' });
    beats(ada, seconds(31), () => ({ tokenCount: 500 }));
    const since = ada.at - seconds(31);
    ada.advance(since + minutes(5) - ada.at);
    expect(findingsOf(ada)).toEqual(['token-flat warn']);
    // No report comes in between.
    ada.advance(minutes(10));
    expect(findingsOf(ada)).toContain('token-flat act');
    ada.signal({ kind: 'heartbeat', tokenCount: 501 });
    expect(findingsOf(ada)).toEqual([]);
  });

  test('is not held against an agent that does other things, waits, or has no work', () => {
    const busy = bench({ taskId: 't1' });
    beats(busy, minutes(30), () => {
      busy.signal({ kind: 'said', role: 'assistant', text: `step ${busy.at}` });
      return { tokenCount: 500 };
    });
    expect(findingsOf(busy).filter((found) => found.startsWith('token'))).toEqual([]);
    const waiting = bench({ taskId: 't1' });
    waiting.signal({ kind: 'hold-begun', hold: 'waiting-for-input' });
    beats(waiting, minutes(30), () => ({ tokenCount: 500 }));
    expect(findingsOf(waiting)).toEqual([]);
    const idle = bench();
    beats(idle, minutes(30), () => ({ tokenCount: 500 }));
    expect(findingsOf(idle)).toEqual([]);
  });

  test('that grows many times faster than usual is a spike', () => {
    const ada = bench({ taskId: 't1' });
    let tokenCount = 0;
    const use = (tokens: number) => () => {
      tokenCount += tokens;
      return { tokenCount };
    };
    beats(ada, minutes(10), use(1_000));
    expect(findingsOf(ada)).toEqual([]);
    beats(ada, minutes(2), use(40_000));
    expect(findingsOf(ada)).toEqual(['token-spike warn']);
  });
});

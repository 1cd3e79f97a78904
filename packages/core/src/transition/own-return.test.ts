import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { hours, minutes, seconds } from '../base/time.ts';
import type { Source } from '../vocabulary/authority.ts';
import { AUTHORITY } from '../vocabulary/authority.ts';
import type { Registration } from './enroll.ts';

const calls = { modelTimeoutMs: minutes(0) };
const terms: Partial<Registration> = {
  role: 'background',
  group: 'crew',
  mode: 'nudge',
  promises: { beatEveryMs: seconds(60), calls },
  can: ['nudge'],
};
/** What an agent would like to be: elsewhere, and left alone. */
const others: Partial<Registration> = {
  instanceId: 'two',
  role: 'standby',
  group: 'elsewhere',
  mode: 'observe',
  promises: { turns: true },
  can: [],
};

let count = 0;
const call = (bench: Bench, times = 1): void => {
  for (let n = 0; n < times; n++) {
    const what = { callId: `c-${++count}`, tool: 'Bash', input: { command: 'make' } };
    bench.signal({ kind: 'call-begun', ...what });
    bench.signal({ kind: 'call-ended', ...what, output: 'same', isError: true });
  }
};
const stop = (bench: Bench, source: Source = 'agent') =>
  bench.signal({ kind: 'stopped', reason: 'done' }, source);
const back = (bench: Bench, source: Source = 'agent', fields: Partial<Registration> = others) => {
  expect(bench.register({ ...fields, source })).toBe(true);
  return bench.agent.hard;
};

describe('the terms of an agent that registers again', () => {
  test.each(Object.keys(AUTHORITY) as readonly Source[])('by the word of %s', (source) => {
    const bench = new Bench(terms);
    stop(bench);
    const { role, group, mode, promises, can } = back(bench, source);
    const isFree = AUTHORITY[source].returns === 'freely';
    expect({ role, group, mode, promises, can }).toEqual({
      role: isFree ? 'standby' : 'background',
      group: isFree ? 'elsewhere' : 'crew',
      mode: isFree ? 'observe' : 'nudge',
      promises: isFree ? { turns: true } : { ...terms.promises, turns: true },
      can: isFree ? [] : ['nudge'],
    });
  });

  test.each<[string, (bench: Bench) => void]>([
    ['a missed beat', (bench) => bench.advance(seconds(80))],
    ['an exit', (bench) => bench.signal({ kind: 'exited', code: 0 }, 'holter')],
  ])('are those that it had after %s too', (_what, happens) => {
    const bench = new Bench(terms);
    happens(bench);
    expect(back(bench)).toMatchObject({ group: 'crew', mode: 'nudge', promises: terms.promises });
  });

  test('may become more: a mode that allows more', () => {
    const bench = new Bench({ ...terms, mode: 'observe' });
    stop(bench);
    expect(back(bench, 'agent', { ...others, mode: 'nudge' })).toMatchObject({
      role: 'background',
      mode: 'nudge',
    });
  });

  test('of an executor end with it', () => {
    const bench = new Bench({ executor: 'run:1', promises: { process: true } });
    bench.signal({ kind: 'exited', code: 0 }, 'holter');
    const own = back(bench, 'agent', { ...others, executor: null });
    expect(own).toMatchObject({ promises: { turns: true }, can: [], executor: null });
  });
});

describe('what is known of an agent that comes back by its own word', () => {
  test('a loop goes on where it was, however often it says that it has stopped', () => {
    const bench = new Bench(terms);
    for (let n = 0; n < 10; n++) {
      call(bench, 4);
      stop(bench);
      back(bench);
    }
    call(bench);
    expect(bench.agent.hard).toMatchObject({ incarnation: 11, health: 'STUCK', incident: { id: 'ada/1' } });
    expect(bench.agent.hard.points.map(({ kind }) => kind)).toContain('repeated-call');
  });

  test('its incident is open again at once, with the next attempt of its step, and closes if all is well', () => {
    const bench = new Bench(terms);
    call(bench, 5);
    expect(bench.agent.hard.incident).toMatchObject({ step: 'nudge', attempt: 1 });
    stop(bench);
    expect(bench.agent.hard.incident).toBeUndefined();
    expect(back(bench).incident).toMatchObject({ id: 'ada/1', step: 'nudge', attempt: 2 });
    for (let n = 0; n < 13; n++) {
      bench.signal({ kind: 'heartbeat' });
      bench.advance(minutes(1));
    }
    expect(bench.agent.hard.incident).toBeUndefined();
  });

  test('after a missed beat its incident goes on', () => {
    const bench = new Bench(terms);
    call(bench, 5);
    bench.advance(seconds(80));
    const { step, attempt } = bench.agent.hard.incident ?? {};
    expect(back(bench).incident).toMatchObject({ id: 'ada/1', step, attempt: (attempt ?? 0) + 1 });
  });

  test.each<[string, Partial<Registration>, (bench: Bench) => void, Source]>([
    ['an exit that was seen', terms, (bench) => bench.signal({ kind: 'exited', code: 0 }, 'holter'), 'agent'],
    ['a start by another program', terms, (bench) => stop(bench), 'starter'],
    ['a start by an operator', terms, (bench) => stop(bench), 'operator'],
  ])('%s is a new start', (_what, fields, happens, source) => {
    const bench = new Bench(fields);
    call(bench, 5);
    happens(bench);
    const { trail, incident, health } = back(bench, source);
    expect({ trail, incident, health }).toEqual({ trail: undefined, incident: undefined, health: 'HEALTHY' });
  });
});

describe('a session that announces its stop while its process is seen', () => {
  const session = { instanceId: 's', reporter: { session: 's' }, promises: { calls, turns: true as const } };

  test('is not ended by its word, and goes on with its next call', () => {
    const bench = new Bench(session);
    expect(stop(bench, 'seen-cli').events.map(({ type }) => type)).toEqual(['STOP_ANNOUNCED']);
    expect(bench.agent.hard).toMatchObject({ stopAnnounced: 'done', incarnation: 1 });
    call(bench);
    expect(bench.agent.hard.stopAnnounced).toBeUndefined();
    bench.advance(hours(1));
    expect(bench.agent.hard.end).toBeUndefined();
  });

  test('has ended when nobody has seen its end and it was silent for long', () => {
    const bench = new Bench(session);
    stop(bench, 'seen-cli');
    bench.advance(minutes(14));
    expect(bench.agent.hard.end).toBeUndefined();
    bench.advance(minutes(2));
    expect(bench.agent.hard.end).toMatchObject({ how: 'stopped', detail: 'done', isOwnWord: true });
  });

  test('has not ended while it is in a call', () => {
    const bench = new Bench(session);
    bench.signal({ kind: 'call-begun', callId: 'long', tool: 'Bash' });
    stop(bench, 'seen-cli');
    bench.advance(hours(1));
    expect(bench.agent.hard.end).toBeUndefined();
  });
});

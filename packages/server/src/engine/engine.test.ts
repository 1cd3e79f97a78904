import { createHash } from 'node:crypto';
import { type HolterEvent, milliseconds, type Registration, type Signal } from '@holter/core';
import { describe, expect, test } from 'vitest';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { CHANNELS, connectChannels } from '../channels/index.ts';
import { compile, defaultPolicies } from '../policy/index.ts';
import { openMemory } from '../store/memory/index.ts';
import { StoreUnavailable } from '../store/store.ts';
import { Engine } from './engine.ts';
import type { Executor } from './executor.ts';
import { ReplyQueue } from './reply-queue.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function world(
  options: {
    store?: ReturnType<typeof openMemory>;
    clock?: ManualClock;
    executors?: readonly Executor[];
    cellsMax?: number;
  } = {},
) {
  const store = options.store ?? openMemory();
  const clock = options.clock ?? new ManualClock();
  let ids = 0;
  const bugs: unknown[] = [];
  const { executor, channelsFor, notices } = connectChannels({
    channels: CHANNELS,
    store,
    clock,
    engine: () => engine,
  });
  const engine: Engine = new Engine({
    store,
    clock,
    policies: defaultPolicies,
    executors: options.executors ?? [],
    ...(!options.executors && { channelsFor }),
    sha256,
    newId: () => `id-${++ids}`,
    newSecret: () => `secret-${++ids}`,
    onBug: (error) => bugs.push(error),
    ...(options.cellsMax !== undefined && { cellsMax: options.cellsMax }),
  });
  const replies = new ReplyQueue(clock, (effect, outcome, detail) => engine.receive(effect, outcome, detail));
  if (!options.executors) {
    engine.addExecutor(replies);
    engine.addExecutor(executor);
  }
  const events: HolterEvent[] = [];
  engine.onCommitted((committed) => events.push(...committed.events));
  return { store, clock, engine, replies, notices, events, bugs };
}

const ada: Registration = {
  agentId: 'ada',
  instanceId: 'ada-1',
  role: 'active-development',
  group: 'default',
  mode: 'act',
  promises: { beatEveryMs: milliseconds(60_000), tasks: true },
  can: ['nudge'],
  executor: null,
};

const beat = (fields: Partial<Signal> = {}): Signal =>
  ({ agentId: 'ada', incarnation: 1, kind: 'heartbeat', ...fields }) as Signal;
const typesOf = (events: readonly HolterEvent[]): string[] => events.map(({ type }) => type);

describe('the engine', () => {
  test.each([
    [30, []],
    [12, ['MASS_FAILURE']],
  ])('counts a group whose %i agents it has never read: four of them lost is %j', async (size, alarm) => {
    const { engine, events } = world();
    await engine.start();
    const names = Array.from({ length: size }, (_, i) => `bot-${i}`);
    await Promise.all(names.map((agentId) => engine.register({ ...ada, agentId, group: 'new' })));
    for (const agentId of names.slice(0, 4))
      await engine.signal(
        { agentId, incarnation: 1, kind: 'exited', code: null, signal: 'SIGKILL' },
        'holter',
      );
    expect(typesOf(events).filter((type) => type === 'MASS_FAILURE')).toEqual(alarm);
    await engine.stop();
  });

  test('a check that finds nothing new makes no commit, but the next check time is stored', async () => {
    const { engine, store, clock } = world();
    let commits = 0;
    const { commit } = store;
    Object.assign(store, {
      commit: (...args: Parameters<typeof commit>) => {
        commits += 1;
        return commit(...args);
      },
    });
    await engine.start();
    await engine.register(ada);
    const version = async () => (await store.load('ada'))?.version;
    const before = [commits, await version()];
    let wakes = 0;
    for (let minute = 0; minute < 10; minute++) {
      const wakeAt = await store.nextWakeAt();
      await engine.signal(beat(), 'agent');
      await clock.advance(60_000);
      if ((await store.nextWakeAt()) !== wakeAt) wakes++;
    }
    expect(wakes).toBeGreaterThan(5);
    expect([commits, await version()]).toEqual(before);
    await clock.advance(300_000);
    expect(engine.peek('ada')?.hard.unknownSince).toBeDefined();
    await engine.stop();
  });

  test('assigns an incarnation and makes it durable', async () => {
    const { engine, store } = world();
    await engine.start();
    const answer = await engine.register(ada);
    expect(answer).toMatchObject({ kind: 'enrolled', agent: { hard: { incarnation: 1 } } });
    expect((await store.load('ada'))?.agent.hard.incarnation).toBe(1);
    await engine.stop();
  });

  test('a plain beat costs no commit, and is flushed within a second', async () => {
    const { engine, store, clock } = world();
    await engine.start();
    await engine.register(ada);
    await engine.signal(beat(), 'agent');
    await clock.advance(1_000);
    const version = (await store.load('ada'))?.version;
    await clock.advance(30_000);
    await engine.signal(beat(), 'agent');
    const heardAt = clock.now();
    await clock.advance(1_000);
    const stored = await store.load('ada');
    expect(stored?.version).toBe(version);
    expect(stored?.agent.soft.beatAt).toBe(heardAt);
    await engine.stop();
  });

  test('beats of a replaced incarnation are refused, and the rejection is recorded once a minute', async () => {
    const { engine, clock, events } = world();
    await engine.start();
    await engine.register(ada);
    await engine.signal(beat(), 'agent');
    await engine.signal({ agentId: 'ada', incarnation: 1, kind: 'exited', code: 0 }, 'holter');
    await engine.register({ ...ada, instanceId: 'ada-2' });
    const refusals = () => typesOf(events).filter((type) => type === 'SIGNAL_REJECTED').length;
    for (let i = 0; i < 3; i++) expect(await engine.signal(beat(), 'agent')).toHaveProperty('rejected');
    expect(refusals()).toBe(1);
    await clock.advance(61_000);
    await engine.signal(beat(), 'agent');
    expect(refusals()).toBe(2);
    await engine.stop();
  });

  test('answers a signal about an unknown agent, and changes nothing', async () => {
    const { engine, store } = world();
    await engine.start();
    expect(await engine.signal(beat({ agentId: 'nobody' }), 'agent')).toEqual({ kind: 'unknown-agent' });
    expect(await store.lastCursor()).toBe(0);
    await engine.stop();
  });

  test('a silent agent is found by the tick, and its time runs from the notice', async () => {
    const { engine, clock, notices, events } = world();
    await engine.start();
    await engine.register(ada);
    await clock.advance(20 * 60_000);
    expect(typesOf(events)).toContain('ESCALATION_TRIGGERED');
    expect(await notices.list()).toHaveLength(1);
    await clock.advance(16 * 60_000);
    expect((await engine.read('ada'))?.hard.incident?.step).toBe('human');
    await engine.stop();
  });

  test('where the operator wants it, a read notice starts the time-out', async () => {
    const { engine, clock, notices } = world();
    const compiled = compile({ rules: { unattended: false } });
    if (compiled.kind === 'compiled') engine.setPolicies(compiled.policies);
    await engine.start();
    await engine.register(ada);
    await clock.advance(80 * 60_000);
    const unread = await notices.list();
    expect(unread).toHaveLength(1);
    expect((await engine.read('ada'))?.hard.incident?.step).toBe('escalate');
    await notices.read(new Set(unread.map(({ noticeId }) => noticeId)), { who: 'olga', channel: 'cli' });
    await clock.advance(16 * 60_000);
    expect((await engine.read('ada'))?.hard.incident?.step).toBe('human');
    await engine.stop();
  });

  test('a nudge is delivered in the reply, and the next signal shows that it was seen', async () => {
    const { engine, clock, replies } = world();
    await engine.start();
    await engine.register({
      ...ada,
      promises: { calls: { modelTimeoutMs: milliseconds(0) }, tasks: true },
      taskId: 't1',
    });
    await clock.advance(16 * 60_000);
    const directives = replies.take('ada', 1);
    expect(directives).toMatchObject([{ type: 'nudge', id: 'ada/1/nudge/1' }]);
    expect(directives[0]?.message).toMatch(/^Holter: /);
    await settled();
    replies.seen('ada', 1, replies.unseen('ada'));
    await settled();
    expect((await engine.read('ada'))?.hard.incident?.isNudgeSeen).toBe(true);
    expect(replies.take('ada', 1)).toEqual([]);
    await engine.stop();
  });

  test('a nudge for an incarnation that has ended is in no reply', async () => {
    const { engine, clock, replies } = world();
    replies.follow(engine);
    await engine.start();
    await engine.register({
      ...ada,
      promises: { calls: { modelTimeoutMs: milliseconds(0) }, tasks: true },
      taskId: 't1',
    });
    await clock.advance(16 * 60_000);
    await engine.signal({ agentId: 'ada', incarnation: 1, kind: 'exited', code: 0 }, 'holter');
    expect(replies.take('ada', 1)).toEqual([]);
    await engine.stop();
  });

  test('a nudge waiting in the reply queue survives a restart', async () => {
    const first = world();
    await first.engine.start();
    await first.engine.register({
      ...ada,
      promises: { calls: { modelTimeoutMs: milliseconds(0) }, tasks: true },
      taskId: 't1',
    });
    await first.clock.advance(16 * 60_000);
    const second = world({ store: first.store, clock: first.clock });
    await first.engine.stop();
    await second.engine.start();
    await second.clock.advance(61_000);
    expect(second.replies.take('ada', 1)).toMatchObject([{ id: 'ada/1/nudge/1' }]);
    await second.engine.stop();
  });

  test('a store outage marks no agent as silent, and no signal is acknowledged during it', async () => {
    const { engine, clock, store, events } = world();
    await engine.start();
    await engine.register(ada);
    await engine.signal(beat(), 'agent');
    store.setHook(() => {
      throw new StoreUnavailable('disk_full', 'no space left');
    });
    await clock.advance(60_000);
    expect(engine.health.store).toBe('unavailable');
    await expect(
      engine.signal(beat({ kind: 'error', message: 'x' } as Partial<Signal>), 'agent'),
    ).rejects.toThrow(StoreUnavailable);
    await clock.advance(30 * 60_000);
    store.setHook(null);
    await clock.advance(2_000);
    expect(engine.health.store).toBe('ok');
    await engine.signal(beat(), 'agent');
    await clock.advance(30_000);
    expect(typesOf(events)).not.toContain('LIVENESS_CHANGED');
    await engine.stop();
  });

  test('a monitor that was suspended marks no agent as silent when it resumes', async () => {
    const { engine, clock, events } = world();
    await engine.start();
    await engine.register(ada);
    await engine.signal(beat(), 'agent');
    clock.jump(3 * 3_600_000);
    await clock.advance(5_000);
    await engine.signal(beat(), 'agent');
    await clock.advance(30_000);
    expect(typesOf(events)).not.toContain('LIVENESS_CHANGED');
    await engine.stop();
  });

  test('two engines over one store: the one that loses the race reloads and folds again', async () => {
    const first = world();
    const second = world({ store: first.store, clock: first.clock });
    await first.engine.start();
    await second.engine.start();
    await first.engine.register(ada);
    const error = (n: number): Signal =>
      beat({ kind: 'error', message: 'x', id: `e${n}` } as Partial<Signal>);
    await Promise.all([1, 2, 3, 4].map((n) => (n % 2 ? first : second).engine.signal(error(n), 'agent')));
    expect((await first.store.load('ada'))?.agent.hard.failuresInRow).toBe(4);
    await first.engine.stop();
    await second.engine.stop();
  });

  test('an effect that no adapter supports is not dropped silently', async () => {
    const { engine, clock, store } = world({ executors: [] });
    const told: HolterEvent[] = [];
    engine.onStreamed((events) => told.push(...events));
    await engine.start();
    engine.addExecutor({
      name: 'deaf',
      id: null,
      kinds: new Set(),
      act: () => Promise.reject(new Error('never')),
    });
    await engine.register(ada);
    await clock.advance(20 * 60_000);
    expect(typesOf(told)).toContain('ATTENTION_RAISED');
    const dead = await store.listEffects({ status: 'dead', limit: 10 });
    expect(dead.map(({ effect }) => effect.kind)).toContain('notify');
    await engine.stop();
  });

  test('a broken invariant affects only its own agent', async () => {
    // Whatever is idle is read again.
    const { engine, clock, store, bugs } = world({ cellsMax: 0 });
    await engine.start();
    await engine.register(ada);
    await engine.register({ ...ada, agentId: 'bob', instanceId: 'bob-1' });
    const { load } = store;
    store.load = async (agentId) => {
      const stored = await load(agentId);
      return agentId === 'bob' && stored
        ? {
            ...stored,
            agent: { ...stored.agent, hard: { ...stored.agent.hard, health: 'NONSENSE' as 'HEALTHY' } },
          }
        : stored;
    };
    await clock.advance(20 * 60_000);
    expect(bugs.length).toBeGreaterThan(0);
    expect((await engine.read('ada'))?.hard.incident?.step).toBe('escalate');
    await engine.stop();
  });
});

test('agents that fall silent and then end on purpose leave nothing to be done', async () => {
  const { engine, clock, store, bugs } = world();
  await engine.start();
  const names = ['bot-1', 'bot-2', 'bot-3', 'bot-4', 'bot-5'];
  for (const agentId of names) {
    await engine.register({ ...ada, agentId, group: agentId, taskId: 't' });
    await engine.signal(beat({ agentId }), 'agent');
  }
  await clock.advance(40 * 60_000);
  expect((await store.listEffects({ isOpen: true, limit: 99 })).length).toBeGreaterThanOrEqual(names.length);
  for (const agentId of names)
    await engine.signal({ kind: 'exited', agentId, incarnation: 1, code: 0 }, 'holter');
  // What an executor had in hand is offered again within a minute, and cancelled then.
  await clock.advance(2 * 60_000);
  expect(await store.listEffects({ isOpen: true, limit: 99 })).toEqual([]);
  expect(bugs).toEqual([]);
  await engine.stop();
});

test('the row of a flood is written once, although the answer of its commit was lost', async () => {
  const memory = openMemory();
  let isAnswerLost = false;
  const store = new Proxy(memory, {
    get: (target, name, receiver) => {
      if (name !== 'commit') return Reflect.get(target, name, receiver);
      return async (...args: Parameters<typeof memory.commit>) => {
        const verdicts = await memory.commit(...args);
        if (!isAnswerLost) return verdicts;
        isAnswerLost = false;
        throw new StoreUnavailable('unknown', 'the connection was lost');
      };
    },
  });
  const { engine, clock } = world({ store });
  await engine.start();
  await engine.register(ada);
  const report = (text: string) => engine.signal(beat({ kind: 'blocker', text } as Partial<Signal>), 'agent');
  const flood = Array.from({ length: 300 }, (_, i) => `flood ${i}`);
  for (const text of flood) await report(text);
  isAnswerLost = true;
  await clock.advance(62_000);
  expect(isAnswerLost).toBe(false);
  await report('after');
  const rows = (await store.readEvents({ after: 0, limit: 999 })).flatMap(({ event }) =>
    event.type === 'BLOCKER_REPORTED' ? [`${event.payload.text} ${event.folded ?? ''}`] : [],
  );
  expect(rows.length).toBeLessThan(flood.length);
  expect(new Set(rows).size).toBe(rows.length);
  expect(rows.slice(-2)).toEqual([expect.stringMatching(/^flood 299 \d+$/), 'after ']);
  await engine.stop();
});

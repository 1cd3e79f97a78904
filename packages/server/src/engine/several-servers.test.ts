import { createHash } from 'node:crypto';
import { type Effect, milliseconds, type Registration, type Signal } from '@holter/core';
import { describe, expect, test } from 'vitest';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { defaultPolicies } from '../policy/index.ts';
import { type MemoryStore, openMemory } from '../store/memory/index.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Clock } from './clock.ts';
import { Engine } from './engine.ts';
import type { ActResult, Executor } from './executor.ts';

/** The clock of one process, which can be stopped (SIGSTOP): its timers fire when it goes on. */
class ProcessClock implements Clock {
  private readonly clock: ManualClock;
  private missed: (() => void)[] | null = null;

  constructor(clock: ManualClock) {
    this.clock = clock;
  }

  now = () => this.clock.now();

  after(ms: number, callback: () => void): () => void {
    return this.clock.after(ms, () => (this.missed ? this.missed.push(callback) : callback()));
  }

  stop(): void {
    this.missed ??= [];
  }

  goOn(): void {
    const missed = this.missed ?? [];
    this.missed = null;
    for (const callback of missed) callback();
  }
}

type TestServer = { readonly engine: Engine; readonly process: ProcessClock; readonly store: MemoryStore };

let ids = 0;

async function start(store: MemoryStore, clock: ManualClock, executors: readonly Executor[] = []) {
  const process = new ProcessClock(clock);
  const own = store.beside();
  const engine = new Engine({
    store: own,
    clock: process,
    policies: defaultPolicies,
    executors,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    newId: () => `id-${++ids}`,
    newSecret: () => `secret-${++ids}`,
    onBug: (error) => {
      throw error;
    },
  });
  await engine.start();
  return { engine, process, store: own } satisfies TestServer;
}

async function two(...executors: readonly Executor[]) {
  const store = openMemory();
  const clock = new ManualClock();
  const a = await start(store, clock, executors);
  await clock.advance(300);
  const b = await start(store, clock, executors);
  return { store, clock, a, b };
}

const ada: Registration = {
  agentId: 'ada',
  instanceId: 'ada-1',
  role: 'active-development',
  group: 'default',
  mode: 'act',
  promises: { beatEveryMs: milliseconds(10_000), process: true },
  can: ['nudge'],
  executor: null,
};

const signal = (fields: object): Signal => ({ agentId: 'ada', incarnation: 1, ...fields }) as Signal;
const beat = signal({ kind: 'heartbeat' });
const findings = async (store: MemoryStore): Promise<readonly string[]> =>
  (await store.readEvents({ after: 0, limit: 10_000 })).flatMap(({ event }) =>
    event.type === 'FINDING_RAISED' ? [`${event.payload.kind} ${event.payload.severity}`] : [],
  );

describe('a beat that one server has heard', () => {
  test('counts when an input makes the other judge the agent', async () => {
    const { a, b, clock, store } = await two();
    // All checks are made by a, so that b hears nothing of the agent.
    Object.assign(b.store, { claimDue: async () => [] });
    await b.engine.register(ada);
    await b.engine.signal(beat, 'agent');
    for (let second = 0; second < 120; second += 5) {
      await a.engine.signal(beat, 'agent');
      await clock.advance(5_000);
    }
    const message = signal({ kind: 'message-delivered', messageId: 'm', priority: 'normal' });
    const told = b.engine.signal(message, 'holter');
    await clock.advance(3_000);
    expect(await told).toMatchObject({ kind: 'folded' });
    expect(await findings(store)).toEqual([]);
  });

  test('counts although that server stores it late: the other waits for it', async () => {
    const { a, b, clock, store } = await two();
    Object.assign(a.store, { claimDue: async () => [] });
    await a.engine.register(ada);
    const deadline = (await store.nextWakeAt()) as number;
    await clock.advance(deadline - clock.now() - 500);
    const { flushSoft } = a.store;
    Object.assign(a.store, {
      flushSoft: async (...args: Parameters<typeof flushSoft>) => {
        await new Promise<void>((resolve) => clock.after(2_400, resolve));
        return flushSoft(...args);
      },
    });
    await a.engine.signal(beat, 'agent');
    await clock.advance(5_000);
    expect(await findings(store)).toEqual([]);
    expect(await store.nextWakeAt()).toBeGreaterThan(clock.now());
    expect(b.engine.servers.others).toHaveLength(1);
  });

  test('is not waited for when that server is gone', async () => {
    const { a, b, clock, store } = await two();
    await b.engine.register(ada);
    await a.engine.signal(beat, 'agent');
    await clock.advance(5_000);
    a.process.stop();
    await clock.advance(90_000);
    expect(await findings(store)).toContain('missed-heartbeats warn');
    expect(b.engine.servers.others).toEqual([]);
  });
});

/** An executor that begins each effect and is never done with it, as one whose server is killed. */
function host(id: string, started: string[], isDone: boolean): Executor {
  return {
    name: 'host',
    id,
    kinds: new Set(['nudge', 'terminate', 'spawn'] as const),
    act: (effect: Effect): Promise<ActResult> => {
      started.push(effect.id);
      if (!isDone) return new Promise(() => undefined);
      return Promise.resolve({ kind: 'receipt', outcome: 'delivered', detail: '' });
    },
  };
}

describe('an effect', () => {
  const nudge = { decision: 'nudge', by: 'olga', reason: 'look up' } as const;

  test('is carried out only by the server to which its executor is connected', async () => {
    const { a, b, clock, store } = await two();
    const [atA, atB]: [string[], string[]] = [[], []];
    a.engine.addExecutor(host('other', atA, true));
    b.engine.addExecutor(host('run:one', atB, true));
    await a.engine.register({ ...ada, executor: 'run:one' });
    await a.engine.decide('ada', nudge);
    await clock.advance(2_000);
    expect([atA, atB]).toEqual([[], [expect.stringContaining('nudge')]]);
    const [effect] = await store.listEffects({ agentId: 'ada', limit: 9 });
    expect(effect).toMatchObject({ status: 'done', outcome: 'delivered', tries: 1 });
  });

  test('is taken over within 5 s when the server that carries it out has died', async () => {
    const { a, b, clock } = await two();
    const [atA, atB]: [string[], string[]] = [[], []];
    a.engine.addExecutor(host('run:one', atA, false));
    await a.engine.register({ ...ada, executor: 'run:one' });
    await a.engine.decide('ada', nudge);
    await clock.advance(20_000);
    // Its executor is connected to both now, and the claim is renewed as long as the first is alive.
    b.engine.addExecutor(host('run:one', atB, true));
    await clock.advance(20_000);
    expect([atA.length, atB.length]).toEqual([1, 0]);
    a.process.stop();
    await clock.advance(5_000);
    expect(atB).toEqual(atA);
  });
});

describe('a stall', () => {
  test('is a time in which no server ticked', async () => {
    const { a, b, clock } = await two();
    await clock.advance(5_000);
    a.process.stop();
    await clock.advance(30_000);
    a.process.goOn();
    await clock.advance(5_000);
    const long = () => b.engine.stalls.filter(({ lostMs }) => lostMs > 2_500);
    expect(long()).toEqual([]);
    expect(a.engine.stalls).toEqual(b.engine.stalls);
    a.process.stop();
    b.process.stop();
    await clock.advance(30_000);
    a.process.goOn();
    b.process.goOn();
    await clock.advance(5_000);
    expect(long()).toMatchObject([{ count: 1 }]);
    expect(long()[0]?.lostMs).toBeGreaterThan(28_000);
    expect(long()[0]?.lostMs).toBeLessThan(32_000);
    expect(a.engine.stalls).toEqual(b.engine.stalls);
  });

  test('is also the last second of a server that died, since what it heard then is lost', async () => {
    const { a, b, clock } = await two();
    await clock.advance(5_000);
    const diedAt = clock.now();
    a.process.stop();
    await clock.advance(5_000);
    expect(b.engine.stalls).toMatchObject([{ lostMs: 2_000 }]);
    const [stall] = b.engine.stalls;
    expect(stall?.from).toBeLessThan(diedAt);
    expect(stall?.to).toBeGreaterThanOrEqual(diedAt);
  });

  test('is not the start or the orderly end of a server beside others', async () => {
    const { a, b, clock, store } = await two();
    await clock.advance(5_000);
    const c = await start(store, clock);
    await clock.advance(5_000);
    await c.engine.stop();
    await clock.advance(5_000);
    expect([a.engine.stalls, b.engine.stalls]).toEqual([[], []]);
    expect(a.engine.servers.others.map(({ id }) => id)).toEqual([b.engine.servers.id]);
  });
});

describe('a server that ticks late', () => {
  const pauseOf = async ({ process }: TestServer, clock: ManualClock, ms: number): Promise<void> => {
    process.stop();
    await clock.advance(ms);
    process.goOn();
    await clock.advance(5_000);
  };

  test('again and again is known to all, until it has not been for ten minutes', async () => {
    const { a, b, clock } = await two();
    await clock.advance(5_000);
    const late = () => [a, b].map(({ engine }) => engine.health.lateServers);
    for (let times = 0; times < 4; times += 1) await pauseOf(a, clock, 2_500);
    expect(late()).toEqual([[], []]);
    await pauseOf(a, clock, 2_500);
    const known = [{ name: a.engine.servers.id, lateTicks: 5 }];
    expect(late()).toEqual([known, known]);
    // No server was late when the other was not, so nothing was a stall.
    expect(b.engine.stalls).toEqual([]);
    await clock.advance(600_000);
    expect(late()).toEqual([[], []]);
  });

  test('because the store is away is not meant', async () => {
    const { a, clock } = await two();
    await clock.advance(5_000);
    const { flushSoft } = a.store;
    const slow: typeof flushSoft = async () => {
      await new Promise<void>((resolve) => clock.after(10_000, resolve));
      throw new StoreUnavailable('unreachable', 'no answer');
    };
    Object.assign(a.store, { flushSoft: slow });
    await a.engine.register(ada);
    await a.engine.signal(beat, 'agent');
    await clock.advance(120_000);
    Object.assign(a.store, { flushSoft });
    await clock.advance(15_000);
    expect(a.engine.servers.others).toHaveLength(1);
    expect(a.engine.health.lateServers).toEqual([]);
  });
});

describe('a server that can not write', () => {
  test('refuses beats, so that the agent finds a server whose word counts', async () => {
    const { a, b, clock, store } = await two();
    await a.engine.register(ada);
    const { flushSoft } = a.store;
    Object.assign(a.store, { flushSoft: () => Promise.reject(new StoreUnavailable('unknown', 'cut off')) });
    await a.engine.signal(beat, 'agent');
    await clock.advance(2_000);
    expect(() => a.engine.signal(beat, 'agent')).toThrow('cut off');
    await b.engine.signal(beat, 'agent');
    Object.assign(a.store, { flushSoft });
    await clock.advance(2_000);
    await a.engine.signal(beat, 'agent');
    // b could write all the time: nothing was lost.
    expect(b.engine.stalls).toEqual([]);
    expect(await findings(store)).toEqual([]);
  });
});

/** Three servers, and agents that are all due at the same moment. */
async function threeWithAgents(count: number) {
  const store = openMemory();
  const clock = new ManualClock();
  const servers = [await start(store, clock), await start(store, clock), await start(store, clock)];
  const registered = Array.from({ length: count }, (_, i) =>
    servers[i % 3]?.engine.register({ ...ada, agentId: `bot-${i}`, group: `g${i % 100}`, mode: 'observe' }),
  );
  await settled();
  await Promise.all(registered);
  const judged = async () => {
    const events = await store.readEvents({ after: 0, limit: 100_000, types: ['LIVENESS_CHANGED'] });
    return events.map(({ agentId }) => agentId);
  };
  return { store, clock, servers, judged };
}

test('10,000 agents that are due at once are judged by three servers, each once', {
  timeout: 120_000,
}, async () => {
  const { clock, judged } = await threeWithAgents(10_000);
  await clock.advance(50_000);
  const changes = await judged();
  expect(new Set(changes).size).toBe(10_000);
  expect(changes.length).toBe(10_000);
});

test('agents that a server has claimed when it dies are judged by the others, each once', async () => {
  const { clock, servers, judged } = await threeWithAgents(1_000);
  const [dying] = servers as [TestServer];
  const claimed: string[] = [];
  const { claimDue } = dying.store;
  const dies: typeof claimDue = async (...args) => {
    const due = await claimDue.apply(dying.store, args);
    claimed.push(...due.map(({ agentId }) => agentId));
    if (due.length > 0) dying.process.stop();
    return due.length > 0 ? new Promise(() => undefined) : due;
  };
  Object.assign(dying.store, { claimDue: dies });
  await clock.advance(120_000);
  expect(claimed.length).toBeGreaterThan(0);
  const changes = await judged();
  expect(new Set(changes).size).toBe(1_000);
  expect(changes.length).toBe(1_000);
});

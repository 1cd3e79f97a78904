import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Effect, Registration } from '@holter/core';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { endFixtures, startFixture, table } from '../../test/process-fixture.ts';
import { until } from '../../test/until.ts';
import { Engine } from '../engine/engine.ts';
import { ReplyQueue } from '../engine/reply-queue.ts';
import { Intake } from '../intake/index.ts';
import { defaultPolicies } from '../policy/index.ts';
import { identityOf, isAlive } from '../processes/index.ts';
import { openMemory } from '../store/memory/index.ts';
import { ExecutorHub } from './executor-hub.ts';
import type { RunRecord } from './run-record.ts';

const worker: Registration = {
  agentId: 'worker',
  instanceId: 'first',
  role: 'default',
  group: 'default',
  mode: 'act',
  promises: { process: true },
  can: ['nudge', 'terminate', 'spawn'],
  executor: 'run:one',
};

const never = new Promise<void>(() => undefined);
const alive = (() => {
  const row = table.row(process.pid);
  if (!row) throw new Error('this process should be seen');
  return identityOf(table, row);
})();
const gone = { ...alive, startedAt: '1' };

const record = (fields: Partial<RunRecord> = {}): RunRecord => ({
  executorId: 'run:one',
  agentId: 'worker',
  incarnation: 1,
  runId: `hub-test-${process.pid}`,
  hostId: 'here',
  run: alive,
  child: null,
  nudgeFile: null,
  words: 'file',
  onLost: 'adopt',
  ...fields,
});

async function world(store = openMemory(), clock = new ManualClock(), name = 'id') {
  let ids = 0;
  const bugs: unknown[] = [];
  const onBug = (error: unknown): void => void bugs.push(error);
  const engine = new Engine({
    store,
    clock,
    policies: defaultPolicies,
    executors: [],
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    newId: () => `${name}-${++ids}`,
    newSecret: () => 'secret',
    onBug,
  });
  const replies = new ReplyQueue(clock, (effect, outcome, detail) => engine.receive(effect, outcome, detail));
  const hub = new ExecutorHub({
    engine,
    intake: new Intake({ engine, replies, store, clock }),
    replies,
    store,
    clock,
    table,
    hostId: 'here',
    onBug,
    presented: () => undefined,
  });
  await engine.start();
  await hub.start();
  /** Unread notices, from the store. */
  const told = async (): Promise<readonly string[]> => {
    const effects = await store.listEffects({ isOpen: true, limit: 50 });
    return effects.flatMap(({ effect }) =>
      effect.kind === 'notify' && effect.id.endsWith('/lost') ? [effect.message] : [],
    );
  };
  return { store, clock, engine, hub, replies, told, bugs };
}

const crash = { agentId: 'worker', incarnation: 1, kind: 'exited', code: 1 } as const;

afterEach(endFixtures);

describe('a connected run', () => {
  it('is given its effects, and its receipt settles them', async () => {
    const { engine, hub, clock, store, bugs } = await world();
    await engine.register(worker);
    await hub.present(record());
    const polled = hub.poll('run:one', [], 20_000, never);
    await engine.decide('worker', { decision: 'nudge', by: 'ada', reason: 'how is it going?' });
    await clock.advance(1_500);
    const [nudge] = (await polled) as Effect[];
    expect(nudge).toMatchObject({ kind: 'nudge', executor: 'run:one', message: 'Holter: how is it going?' });
    // The run already has that effect, so this poll waits for the next one.
    const again = hub.poll('run:one', [nudge?.id ?? ''], 5_000, never);
    await clock.advance(5_500);
    expect(await again).toEqual([]);
    expect(await hub.receipt('run:one', nudge?.id ?? '', 'delivered', 'written')).toBe(true);
    await settled();
    expect(await store.listEffects({ agentId: 'worker', limit: 5 })).toMatchObject([
      { status: 'done', outcome: 'delivered' },
    ]);
    expect(bugs).toEqual([]);
  });

  it('offers a nudge that its command has not read yet, and is told when it has', async () => {
    const { engine, hub, clock, store, bugs } = await world();
    await engine.register(worker);
    await hub.present(record());
    const nudges = async () => (await engine.read('worker'))?.hard.incident?.nudges;
    const polled = hub.poll('run:one', [], 20_000, never);
    await engine.decide('worker', { decision: 'nudge', by: 'ada', reason: 'how is it going?' });
    await clock.advance(1_500);
    const [nudge] = (await polled) as Effect[];
    const id = nudge?.id ?? '';
    expect(await hub.receipt('run:one', id, 'offered', 'it waits in a file')).toBe(true);
    await settled();
    expect(await nudges()).toEqual({ decided: 1, delivered: 0, newest: 'offered' });
    expect(await store.listEffects({ agentId: 'worker', limit: 5 })).toMatchObject([
      { status: 'pending', outcome: null, isOffered: true, detail: 'it waits in a file' },
    ]);
    // Nobody waits for this answer any more; it settles nothing.
    expect(await hub.receipt('run:one', id, 'offered', 'it waits in a file')).toBe(false);
    expect(await hub.receipt('run:one', id, 'seen', 'read')).toBe(true);
    expect(await nudges()).toEqual({ decided: 1, delivered: 1, newest: 'seen' });
    expect(await store.listEffects({ agentId: 'worker', limit: 5 })).toMatchObject([
      { status: 'done', outcome: 'seen' },
    ]);
    expect(bugs).toEqual([]);
  });

  it('gets no messages for a child that reads replies, but stops and starts it', async () => {
    const { engine, hub, clock, replies } = await world();
    await engine.register(worker);
    await hub.present(record({ words: 'replies' }));
    const polled = hub.poll('run:one', [], 5_000, never);
    await engine.decide('worker', { decision: 'nudge', by: 'ada', reason: 'look up' });
    await clock.advance(1_500);
    expect(replies.take('worker', 1)).toMatchObject([{ type: 'nudge', message: 'Holter: look up' }]);
    await engine.decide('worker', { decision: 'terminate', by: 'ada', reason: 'enough' });
    await clock.advance(1_500);
    expect(await polled).toMatchObject([{ kind: 'terminate' }]);
  });

  it('gets an effect again when the response to its poll was lost', async () => {
    const { engine, hub, clock } = await world();
    await engine.register(worker);
    await hub.present(record());
    void hub.poll('run:one', [], 20_000, never);
    await engine.decide('worker', { decision: 'nudge', by: 'ada', reason: 'hello' });
    await clock.advance(1_500);
    expect(await hub.poll('run:one', [], 0, never)).toHaveLength(1);
    expect(await hub.poll('run:one', [], 0, never)).toHaveLength(1);
  });

  it('is not replaced by another executor while it is disconnected but its process is alive', async () => {
    const { engine, hub, clock, store, told } = await world();
    await engine.register(worker);
    await hub.present(record());
    await clock.advance(10_000);
    await engine.signal(crash, 'holter');
    await clock.advance(90_000);
    expect(await told()).toEqual([]);
    expect(
      (await store.listEffects({ agentId: 'worker', limit: 5, status: 'pending' }))[0]?.effect.kind,
    ).toBe('spawn');
    expect(await hub.poll('run:two', [], 0, never)).toBeNull();
  });

  it('is known to a restarted server, and may send receipts for effects claimed before the restart', async () => {
    const store = openMemory();
    const before = await world(store);
    await before.engine.register(worker);
    await before.hub.present(record());
    const polled = before.hub.poll('run:one', [], 20_000, never);
    await before.engine.decide('worker', { decision: 'nudge', by: 'ada', reason: 'hello' });
    await before.clock.advance(1_500);
    const [nudge] = (await polled) as Effect[];
    const after = await world(store);
    expect(after.hub.size).toBe(1);
    expect(await after.hub.receipt('run:one', nudge?.id ?? '', 'delivered', 'written')).toBe(true);
    expect(await after.hub.receipt('run:one', 'nobody/1', 'delivered', 'written')).toBe(false);
  });
});

describe('a run that goes over to another server', () => {
  async function two() {
    const one = await world();
    const other = await world(one.store.beside(), one.clock, 'other');
    await one.clock.advance(2_000);
    await one.engine.register(worker);
    // Neither server can look at its process.
    const run = record({ hostId: 'elsewhere' });
    await one.hub.present(run);
    return { one, other, run, clock: one.clock };
  }

  it('takes its effects along within 5 s, and is not reported as lost', async () => {
    const { one, other, run, clock } = await two();
    const polled = one.hub.poll('run:one', [], 200, never);
    await clock.advance(300);
    expect(await polled).toEqual([]);
    // Claimed by the first server, which waits for the next poll.
    await one.engine.decide('worker', { decision: 'nudge', by: 'ada', reason: 'hello' });
    await clock.advance(300);
    expect(await other.hub.poll('run:one', [], 0, never)).toBeNull();
    const where = () => Promise.all([one, other].map(({ hub }) => hub.elsewhere('run:one')));
    expect(await where()).toEqual([null, one.engine.servers.id]);
    await other.hub.present(run);
    expect(await where()).toEqual([other.engine.servers.id, null]);
    const taken = other.hub.poll('run:one', [], 5_000, never);
    await clock.advance(3_000);
    expect(await taken).toMatchObject([{ kind: 'nudge', message: 'Holter: hello' }]);
    expect([one.hub.size, other.hub.size]).toEqual([0, 1]);
    expect(await one.told()).toEqual([]);
    expect([...one.bugs, ...other.bugs]).toEqual([]);
  });

  it('is looked after by the other when its server has died, and may leave through any', async () => {
    const { one, other, run, clock } = await two();
    void one.hub.poll('run:one', [], 60_000, never);
    await clock.advance(5_000);
    expect(other.hub.size).toBe(0);
    await one.engine.stop();
    one.hub.close();
    await clock.advance(2_000);
    expect(other.hub.size).toBe(1);
    const third = await world(one.store.beside(), clock, 'third');
    await third.hub.present(run);
    await clock.advance(1_000);
    await other.hub.leave('run:one');
    await clock.advance(2_000);
    expect([other.hub.size, third.hub.size]).toEqual([0, 0]);
    expect(await other.told()).toEqual([]);
  });
});

describe('a run that was killed', () => {
  it('leaves its child to the server, which watches and nudges it, and stops it only on order', async () => {
    const { engine, hub, clock, told } = await world();
    const { tree, exited } = await startFixture('hangs-on-a-socket');
    const folder = mkdtempSync(join(tmpdir(), 'holter-hub-'));
    const nudgeFile = join(folder, 'nudges');
    writeFileSync(nudgeFile, '');
    await engine.register(worker);
    await hub.present(record({ run: gone, child: tree.root, nudgeFile }));
    await clock.advance(5_000);
    expect(await told()).toEqual([expect.stringContaining('was killed; the server watches its process')]);
    expect((await engine.read('worker'))?.hard.process?.state).toBeDefined();
    await engine.decide('worker', { decision: 'nudge', by: 'ada', reason: 'still there?' });
    await clock.advance(1_500);
    const line = await until('the nudge is written', () => readFileSync(nudgeFile, 'utf8') || null);
    expect(JSON.parse(line)).toMatchObject({ message: 'Holter: still there?' });
    const newest = async () => (await engine.read('worker'))?.hard.incident?.nudges?.newest;
    expect(await newest()).toBe('offered');
    await engine.decide('worker', { decision: 'nudge', by: 'ada', reason: 'and now?' });
    await clock.advance(1_500);
    await until('only the newest is there', () => {
      const lines = readFileSync(nudgeFile, 'utf8').trim().split('\n');
      return lines.length === 1 && lines[0]?.includes('and now?');
    });
    writeFileSync(nudgeFile, '');
    await until('it counts as seen', async () => {
      await clock.advance(5_000);
      return (await newest()) === 'seen';
    });
    await engine.decide('worker', { decision: 'terminate', by: 'ada', reason: 'enough' });
    await until('it is stopped', async () => {
      await clock.advance(100);
      return !isAlive(table, tree.root);
    });
    await exited;
    await until('its end is on record', async () => {
      await clock.advance(100);
      return (await engine.read('worker'))?.hard.end?.byHolter;
    });
    expect(hub.size).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('manages its child again when it is back, and nothing is wrong any more', async () => {
    const { engine, hub, clock } = await world();
    const { tree } = await startFixture('hangs-on-a-socket');
    await engine.register(worker);
    await hub.present(record({ run: gone, child: tree.root }));
    await clock.advance(5_000);
    const kinds = async () => (await engine.read('worker'))?.hard.points?.map(({ kind }) => kind);
    expect(await kinds()).toEqual(['delivery-failed']);
    await hub.present(record({ child: tree.root }));
    expect(await kinds()).toEqual([]);
  });

  it('has its child stopped, if the run asked for that', async () => {
    const { engine, hub, clock } = await world();
    const { tree } = await startFixture('leaves-a-grandchild');
    await engine.register(worker);
    await hub.present(record({ run: gone, child: tree.root, onLost: 'end' }));
    await until('it is stopped', async () => {
      await clock.advance(250);
      return !isAlive(table, tree.root) && tree.look().length === 0;
    });
  });

  it('is reported as stopped, not crashed, if its child ended too', async () => {
    const { engine, hub, clock, told } = await world();
    await engine.register(worker);
    await hub.present(record({ run: gone, child: gone }));
    await clock.advance(5_000);
    expect(await told()).toEqual(['worker: its `holter run` and its process are gone']);
    expect((await engine.read('worker'))?.hard.end).toMatchObject({ how: 'stopped' });
    expect(hub.size).toBe(0);
  });

  it('has its own row, separate from those of other servers and of earlier versions', async () => {
    const store = openMemory();
    const runs = async () => (await store.listMeta('executors/')).map(({ key }) => key);
    await store.putMeta('executors/runs', JSON.stringify([record({ executorId: 'run:old' })]));
    const one = await world(store);
    const other = await world(store.beside());
    await one.hub.present(record({ executorId: 'run:one' }));
    await other.hub.present(record({ executorId: 'run:two' }));
    expect(await runs()).toEqual(['executors/run/run:old', 'executors/run/run:one', 'executors/run/run:two']);
    expect([one.hub.size, other.hub.size]).toEqual([2, 2]);
    // The run has moved to the other server, so the first server does not delete its row.
    await other.hub.present(record({ executorId: 'run:one', runId: 'again' }));
    await one.hub.leave('run:one');
    await other.hub.leave('run:two');
    expect(await runs()).toEqual(['executors/run/run:old', 'executors/run/run:one']);
  });

  it('is only reported if it was on another machine', async () => {
    const { engine, hub, clock, told } = await world();
    await engine.register(worker);
    await hub.present(record({ run: gone, child: gone, hostId: 'elsewhere' }));
    await clock.advance(20_000);
    expect(await told()).toEqual([expect.stringContaining('on another machine')]);
    expect((await engine.read('worker'))?.hard.end).toBeUndefined();
  });
});

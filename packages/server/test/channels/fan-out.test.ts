import { createHash } from 'node:crypto';
import { type HolterEvent, type Registration, seconds } from '@holter/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANNELS, connectChannels } from '../../src/channels/index.ts';
import type { Channel } from '../../src/channels/shared/channel.ts';
import { pushContract } from '../../src/channels/shared/contract.ts';
import { Engine } from '../../src/engine/engine.ts';
import { defaultPolicies } from '../../src/policy/index.ts';
import { type MemoryStore, openMemory } from '../../src/store/memory/index.ts';
import type { Store } from '../../src/store/store.ts';
import { ManualClock, settled } from '../manual-clock.ts';
import { until } from '../until.ts';
import { openWebhook } from './webhook-channel.ts';

pushContract('webhook', openWebhook);

const ada: Registration = {
  agentId: 'ada',
  instanceId: 'ada-1',
  role: 'active-development',
  group: 'default',
  mode: 'nudge',
  promises: { beatEveryMs: seconds(60) },
  can: [],
  executor: null,
};
const broken: Channel = {
  name: 'broken',
  failuresMax: 3,
  deliver: () => Promise.reject(new Error('the wire is cut')),
};

function start(store: Store, clock: ManualClock, channels: readonly Channel[] | null) {
  let ids = 0;
  const people = connectChannels({ channels: channels ?? [], store, clock, engine: () => engine });
  const engine: Engine = new Engine({
    store,
    clock,
    policies: defaultPolicies,
    executors: channels ? [people.executor] : [],
    ...(channels && { channelsFor: people.channelsFor }),
    isAlone: true,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    newId: () => `id-${++ids}`,
    newSecret: () => 'secret',
    onBug: (error) => {
      throw error;
    },
  });
  return { engine, notices: people.notices };
}

async function escalate(engine: Engine): Promise<string> {
  await engine.register(ada);
  const error = { kind: 'error', message: 'no disk', isUnrecoverable: true } as const;
  await engine.signal({ agentId: 'ada', incarnation: 1, ...error }, 'agent');
  expect((await engine.read('ada'))?.hard.incident).toMatchObject({ step: 'escalate', phase: 'waiting' });
  return 'ada/1/escalate/1';
}

describe('a notice', () => {
  let webhook: Awaited<ReturnType<typeof openWebhook>>;
  let store: MemoryStore;
  let clock: ManualClock;
  beforeEach(async () => {
    webhook = await openWebhook();
    store = openMemory();
    clock = new ManualClock();
  });
  afterEach(() => webhook.other.close());

  const outcomes = async (): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      (await store.listEffects({ limit: 50 })).map(({ effect, status, outcome }) => [
        effect.id,
        outcome ?? status,
      ]),
    );
  const isNoticed = async (engine: Engine): Promise<boolean> =>
    (await engine.read('ada'))?.hard.incident?.noticedAt !== undefined;

  it('goes through every channel by itself: one that fails keeps back and repeats no other', async () => {
    const { engine, notices } = start(store, clock, [...CHANNELS, webhook.channel, broken]);
    await engine.start();
    const id = await escalate(engine);
    await until('it is posted', async () => {
      await clock.advance(100);
      return (await outcomes())[`${id}/to/webhook`] === 'posted';
    });
    // Posted is not seen.
    expect(await isNoticed(engine)).toBe(false);
    await until('the broken channel has given up', async () => {
      await clock.advance(1_000);
      return (await outcomes())[`${id}/to/broken`] === 'refused';
    });
    await until('the others tell so', async () => {
      await clock.advance(100);
      return webhook.requests().length > 1;
    });
    const told = `${id}/to/broken/failed`;
    expect(webhook.requests()).toEqual([`${id}/to/webhook`, `${told}/to/webhook`]);
    expect(await outcomes()).toEqual({
      [`${id}/to/page`]: 'pending',
      [`${id}/to/cli`]: 'pending',
      [`${id}/to/webhook`]: 'posted',
      [`${id}/to/broken`]: 'refused',
      [`${told}/to/page`]: 'pending',
      [`${told}/to/cli`]: 'pending',
      [`${told}/to/webhook`]: 'posted',
    });
    expect((await notices.list()).map(({ message }) => message)).toEqual([
      expect.stringContaining('needs a decision'),
      'The channel broken does not deliver notices: the wire is cut (3 tries).',
    ]);
    await engine.stop();
  });

  it('is read on the page or the command line once for both, and then it is noticed', async () => {
    const { engine, notices } = start(store, clock, CHANNELS);
    const receipts: HolterEvent[] = [];
    engine.onCommitted(({ events }) => {
      receipts.push(...events.filter(({ type }) => type === 'EFFECT_RECEIPT'));
    });
    await engine.start();
    const id = await escalate(engine);
    await settled();
    await notices.read(new Set([id]), { who: 'olga', channel: 'page' });
    expect(await outcomes()).toEqual({ [`${id}/to/page`]: 'delivered', [`${id}/to/cli`]: 'cancelled' });
    expect(receipts.map(({ payload }) => payload)).toMatchObject([
      { effectId: id, outcome: 'delivered', detail: 'read by olga', channel: 'page' },
    ]);
    expect(await isNoticed(engine)).toBe(true);
    expect(await notices.list()).toEqual([]);
    await engine.stop();
  });

  it('that was posted, but not marked before a crash, is posted once more with the same key', async () => {
    const dying: Store = Object.assign(Object.create(store), {
      settleEffect: () => new Promise(() => undefined),
    });
    const first = start(dying, clock, [webhook.channel]);
    await first.engine.start();
    const id = await escalate(first.engine);
    await until('it is posted', () => webhook.requests().length === 1);
    const second = start(store, clock, [webhook.channel]);
    await second.engine.start();
    await until('it is marked', async () => (await outcomes())[`${id}/to/webhook`] === 'posted');
    expect(webhook.requests()).toEqual([`${id}/to/webhook`, `${id}/to/webhook`]);
    expect(webhook.other.arrived()).toEqual([`${id}/to/webhook`]);
    await second.engine.stop();
  });

  it('from before there were channels is shown on all of them', async () => {
    const before = start(store, clock, null);
    await before.engine.start();
    const id = await escalate(before.engine);
    await before.engine.stop();
    const { engine, notices } = start(store, clock, CHANNELS);
    await engine.start();
    expect(await notices.list()).toMatchObject([{ noticeId: id, agentId: 'ada' }]);
    await notices.read(new Set([id]), { who: 'olga', channel: 'cli' });
    expect(await outcomes()).toEqual({ [id]: 'delivered' });
    expect(await isNoticed(engine)).toBe(true);
    await engine.stop();
  });

  it('for a channel that is not there any more is refused', async () => {
    const { engine } = start(store, clock, [webhook.channel]);
    webhook.other.answer('fails');
    await engine.start();
    const id = await escalate(engine);
    await until('it was tried', () => webhook.requests().length > 0);
    await engine.stop();
    const next = start(store, clock, CHANNELS);
    await next.engine.start();
    await clock.advance(120_000);
    expect((await outcomes())[`${id}/to/webhook`]).toBe('refused');
    await next.engine.stop();
  });
});

import { later, minutes, type Registration, seconds } from '@holter/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HolterConfig } from '../../src/policy/index.ts';
import { type MemoryStore, openMemory } from '../../src/store/memory/index.ts';
import type { Store } from '../../src/store/store.ts';
import { openStrict, type StrictServer } from '../channels/strict-http.ts';
import { ManualClock } from '../manual-clock.ts';
import { until } from '../until.ts';
import { type AlertServer, fail, passUntil, register, say, startAlerts } from './kit.ts';

let ops: StrictServer;
let phone: StrictServer;
let store: MemoryStore;
let clock: ManualClock;
let server: AlertServer | null;

beforeEach(async () => {
  ops = await openStrict(() => ({ key: 'ops' }));
  phone = await openStrict(() => ({ key: 'phone' }));
  store = openMemory();
  clock = new ManualClock();
  server = null;
});
afterEach(async () => {
  await server?.stop();
  await ops.other.close();
  await phone.other.close();
});

const config = (more: HolterConfig = {}): HolterConfig => ({
  channels: { ops: { type: 'webhook', url: ops.url } },
  ...more,
});
const begin = async (
  on: Store = store,
  with_: HolterConfig = config(),
  isAlone = true,
): Promise<AlertServer> => {
  server = await startAlerts(on, clock, with_, isAlone);
  return server;
};
const said = ({ requests }: StrictServer): readonly string[] =>
  requests.map(({ body }) => `${body.action} ${body.title}`);
const acknowledge = { decision: 'acknowledge', by: 'olga', reason: 'seen' } as const;

describe('an agent that needs a decision', () => {
  it('is told once after 30 s, and its end within a minute; both are on record beside it', async () => {
    const { engine } = await begin();
    await register(engine, 'ada');
    await fail(engine, 'ada');
    const failedAt = clock.now();
    await passUntil(clock, 'it is told', () => ops.requests.length > 0);
    expect(clock.now() - failedAt).toBeGreaterThanOrEqual(seconds(30));
    expect(ops.requests[0]?.body).toMatchObject({
      topic: 'agent_failed',
      agents: ['ada'],
      lines: [expect.stringContaining('ada: ')],
      link: 'http://127.0.0.1:4658/agents/ada',
    });
    await clock.advance(minutes(10));
    expect(said(ops)).toEqual(['trigger ada has failed']);
    await say(engine, 'ada', { kind: 'stopped', reason: 'done' });
    const closedAt = clock.now();
    await passUntil(clock, 'its end is told', () => ops.requests.length > 1);
    expect(said(ops)).toEqual(['trigger ada has failed', 'resolve Resolved: ada has failed']);
    expect(clock.now() - closedAt).toBeLessThanOrEqual(minutes(1));
    await until('it is recorded', async () => {
      const events = await store.readEvents({
        after: 0,
        limit: 100,
        agentId: 'ada',
        types: ['EFFECT_RECEIPT'],
      });
      return events.filter(({ event }) => JSON.stringify(event).includes('"channel":"ops"')).length === 2;
    });
  });

  it.each<[Registration['can'], boolean, readonly string[]]>([
    [[], true, ['allow_more_time']],
    [['terminate', 'spawn'], true, ['allow_more_time', 'force_handoff', 'terminate_and_recover']],
    [['terminate', 'spawn'], false, ['allow_more_time']],
  ])(
    'is told with the decisions that would be accepted (can: %j, a starter is there: %s)',
    async (can, hasStarter, decisions) => {
      const { engine } = await begin();
      const act = async () => ({ kind: 'receipt', outcome: 'refused', detail: '' }) as const;
      if (hasStarter) engine.addExecutor({ name: 'starter', id: null, kinds: new Set(['spawn']), act });
      await register(engine, 'ada', { can });
      await fail(engine, 'ada');
      await passUntil(clock, 'it is told', () => ops.requests.length > 0);
      const sent = (await store.listEffects({ limit: 9 })).flatMap(({ effect }) =>
        effect.kind === 'notify' && effect.alert ? [effect.alert] : [],
      );
      expect(sent).toMatchObject([{ action: 'trigger', decisions }]);
    },
  );

  it('is not told when it is over before', async () => {
    const { engine } = await begin();
    await register(engine, 'ada');
    await fail(engine, 'ada');
    await clock.advance(seconds(20));
    await say(engine, 'ada', { kind: 'stopped', reason: 'done' });
    await clock.advance(minutes(5));
    expect(said(ops)).toEqual([]);
  });

  it('does not decide anything by being told, and is silent once it is acknowledged', async () => {
    const { engine } = await begin();
    await register(engine, 'ada');
    await fail(engine, 'ada');
    await passUntil(clock, 'it is told', () => ops.requests.length > 0);
    const before = (await engine.read('ada'))?.hard.incident;
    await until(
      'it is marked',
      async () => (await store.listEffects({ isOpen: true, limit: 9 })).length === 2,
    );
    const told = [{ channel: 'ops', at: expect.any(Number) }];
    expect((await engine.read('ada'))?.hard.incident).toEqual({ ...before, told });
    await engine.decide('ada', acknowledge);
    await passUntil(clock, 'that is told', () => ops.requests.length > 1);
    await clock.advance(minutes(250));
    expect(said(ops)).toEqual(['trigger ada has failed', 'acknowledge Acknowledged: ada has failed']);
  });

  it('is told once more with the same key after a crash between sending and marking', async () => {
    let isDead = false;
    const dying: Store = Object.assign(Object.create(store), {
      settleEffect: () => {
        isDead = true;
        return new Promise(() => undefined);
      },
      claimEffects: (...args: Parameters<Store['claimEffects']>) =>
        isDead ? Promise.resolve([]) : store.claimEffects(...args),
    });
    const first = await begin(dying);
    await register(first.engine, 'ada');
    await fail(first.engine, 'ada');
    await passUntil(clock, 'it is sent', () => ops.requests.length === 1);
    await first.alerts.stop();
    await until('it would be marked', () => isDead);
    await begin();
    await passUntil(clock, 'it is sent again', () => ops.requests.length === 2);
    const [before, after] = ops.requests;
    expect(after?.headers['x-holter-key']).toBe(before?.headers['x-holter-key']);
    expect(after?.body.alertId).toBe(before?.body.alertId);
    await clock.advance(minutes(10));
    expect(ops.requests).toHaveLength(2);
  });

  it('is not told again after a restart, and its end still is', async () => {
    const first = await begin();
    await register(first.engine, 'ada');
    await fail(first.engine, 'ada');
    await passUntil(clock, 'it is told', () => ops.requests.length > 0);
    await until(
      'it is marked',
      async () => (await store.listEffects({ isOpen: true, limit: 9 })).length === 2,
    );
    await first.stop();
    const second = await begin();
    await clock.advance(minutes(10));
    expect(ops.requests).toHaveLength(1);
    await say(second.engine, 'ada', { kind: 'stopped', reason: 'done' });
    await passUntil(clock, 'its end is told', () => ops.requests.length > 1);
    expect(said(ops)[1]).toBe('resolve Resolved: ada has failed');
  });

  it('that is over before its channel works again is not told there, and neither is its end', async () => {
    const { engine } = await begin();
    ops.other.answer('fails');
    await register(engine, 'ada');
    await fail(engine, 'ada');
    await passUntil(clock, 'it was tried', () => ops.requests.length > 0);
    await say(engine, 'ada', { kind: 'stopped', reason: 'done' });
    const tries = ops.requests.length;
    await passUntil(clock, 'both are dropped', async () => {
      const effects = await store.listEffects({ limit: 20 });
      const sent = effects.filter(({ effect }) => effect.kind === 'notify' && effect.via?.channel === 'ops');
      return sent.length === 2 && sent.every(({ outcome }) => outcome === 'cancelled');
    });
    // A try that was under way when it ended may still arrive.
    expect(ops.requests.length - tries).toBeLessThanOrEqual(1);
  });
});

describe('several agents in one notice', () => {
  it('each have on record who was told, and when', async () => {
    const { engine } = await begin();
    for (const agentId of ['ada', 'bob']) {
      await register(engine, agentId);
      await fail(engine, agentId);
    }
    await passUntil(clock, 'they are told', () => ops.requests.length === 1);
    expect(ops.requests[0]?.body.agents).toEqual(['ada', 'bob']);
    for (const agentId of ['ada', 'bob'])
      await until('it is on record', async () => (await engine.read(agentId))?.hard.incident?.told);
    const events = await store.readEvents({ after: 0, limit: 100, types: ['EFFECT_RECEIPT'] });
    expect(events.map(({ event }) => event.payload)).toMatchObject([
      { agentId: 'ada', channel: 'ops', outcome: 'posted' },
      { agentId: 'bob', channel: 'ops', outcome: 'posted' },
    ]);
  });
});

describe('an agent that is stuck', () => {
  const short = {
    health_check: { checkpoint_stale_threshold_seconds: 20 },
    intervention: { nudge: { max_attempts: 1, interval_seconds: '45s' } },
    alerting: { agent_failed: { channels: [] } },
  } as const;
  const conductor = { alerting: { stuck_agent: { orchestrator: ['conductor'] } } } as const;
  const both = (more: HolterConfig = {}): HolterConfig => ({
    channels: { ops: { type: 'webhook', url: ops.url }, conductor: { type: 'webhook', url: phone.url } },
    health_monitoring: short,
    rules: { checkpoint_warn: '10s', settle: 1 },
    groups: { crew: { health_monitoring: conductor } },
    ...more,
  });
  const getStuck = async (agentId: string, group: string): Promise<void> => {
    const { engine } = server as AlertServer;
    await register(engine, agentId, {
      group,
      can: ['nudge'],
      promises: { checkpoints: true, tasks: true },
    });
    await say(engine, agentId, { kind: 'task-assigned', taskId: 't1' });
    await passUntil(clock, 'it is stuck', async () => (await engine.read(agentId))?.hard.health === 'STUCK');
  };
  const stepOf = async (agentId: string) => (await server?.engine.read(agentId))?.hard.incident?.step;

  it('is told to the orchestrator at once, and to people when a decision is asked for', async () => {
    await begin(store, both());
    await getStuck('ada', 'crew');
    const since = clock.now();
    await passUntil(clock, 'the orchestrator is told', () => phone.requests.length === 1);
    expect(clock.now() - since).toBeLessThanOrEqual(minutes(1));
    expect([await stepOf('ada'), said(phone), said(ops)]).toEqual(['nudge', ['trigger ada is stuck'], []]);
    expect(phone.requests[0]?.body).toMatchObject({ topic: 'stuck_agent', severity: 'warning' });
    await passUntil(clock, 'people are told', () => ops.requests.length === 1);
    await until('so is the orchestrator', () => phone.requests.length === 2);
    expect([await stepOf('ada'), said(ops)]).toEqual(['escalate', ['trigger ada is stuck']]);
    await clock.advance(minutes(10));
    expect([phone.requests.length, ops.requests.length]).toEqual([2, 1]);
    await say((server as AlertServer).engine, 'ada', { kind: 'stopped', reason: 'done' });
    await passUntil(clock, 'the end is told', () => phone.requests.length === 4 && ops.requests.length === 2);
  });

  it('of another group has another orchestrator, or none', async () => {
    await begin(store, both());
    await getStuck('nora', 'night');
    await passUntil(clock, 'people are told', () => ops.requests.length === 1);
    expect([await stepOf('nora'), said(phone)]).toEqual(['escalate', []]);
  });

  it('is told to people at once with `when: stuck`, and again when a decision is asked for', async () => {
    const alerting = { ...short.alerting, stuck_agent: { when: 'stuck', severity: 'info' } } as const;
    await begin(store, both({ health_monitoring: { ...short, alerting } }));
    await getStuck('ada', 'crew');
    await passUntil(clock, 'people are told', () => ops.requests.length === 1);
    expect(ops.requests[0]?.body).toMatchObject({ topic: 'stuck_agent', severity: 'info' });
    expect(await stepOf('ada')).toBe('nudge');
    await passUntil(clock, 'they are asked', () => ops.requests.length === 2);
    expect(await stepOf('ada')).toBe('escalate');
  });
});

describe('an agent that waits for a person', () => {
  const after = (time: string) => ({
    health_monitoring: { alerting: { waiting_for_person: { after: time } } },
  });

  it('is told after a minute, or after the time of its role or its own', async () => {
    const roles = { ada: 'active-development', calm: 'background', slow: 'background' } as const;
    const { engine } = await begin(
      store,
      config({ profiles: { background: after('2m') }, agents: { slow: after('3m') } }),
    );
    for (const [agentId, role] of Object.entries(roles)) {
      await register(engine, agentId, { role });
      await say(engine, agentId, { kind: 'turn-begun' });
      await say(engine, agentId, { kind: 'hold-begun', hold: 'waiting-for-permission' });
    }
    const since = clock.now();
    await passUntil(clock, 'the first is told', () => ops.requests.length === 1);
    expect(said(ops)).toEqual(['trigger ada is waiting for you']);
    expect(clock.now() - since).toBeGreaterThanOrEqual(minutes(1));
    // Plus a look, and the request itself.
    expect(clock.now() - since).toBeLessThanOrEqual(minutes(1) + seconds(15));
    await passUntil(clock, 'the second is told', () => ops.requests.length === 2);
    expect(said(ops)[1]).toBe('trigger calm is waiting for you');
    expect(clock.now() - since).toBeGreaterThanOrEqual(minutes(2));
    await passUntil(clock, 'the third is told', () => ops.requests.length === 3);
    expect(clock.now() - since).toBeGreaterThanOrEqual(minutes(3));
  });

  it('with an empty prompt is told only if there is work', async () => {
    const { engine } = await begin();
    await register(engine, 'idle');
    await say(engine, 'idle', { kind: 'hold-begun', hold: 'waiting-for-input' });
    await register(engine, 'busy', { promises: { tasks: true } });
    await say(engine, 'busy', { kind: 'task-assigned', taskId: 't1' });
    await say(engine, 'busy', { kind: 'hold-begun', hold: 'waiting-for-input' });
    await passUntil(clock, 'it is told', () => ops.requests.length > 0);
    await clock.advance(minutes(10));
    expect(said(ops)).toEqual(['trigger busy is waiting for you']);
  });
});

describe('routes', () => {
  it('go to the channels of the group, and only to those that are defined', async () => {
    const channels = {
      ops: { type: 'webhook', url: ops.url },
      phone: { type: 'webhook', url: phone.url },
    } as const;
    const to = (...names: string[]) => ({ alerting: { agent_failed: { channels: names } } });
    const { engine } = await begin(store, {
      channels,
      health_monitoring: to('ops', 'nowhere'),
      groups: { night: { health_monitoring: to('phone') } },
    });
    await register(engine, 'ada');
    await register(engine, 'nora', { group: 'night' });
    await fail(engine, 'ada');
    await fail(engine, 'nora');
    await passUntil(clock, 'both are told', () => ops.requests.length > 0 && phone.requests.length > 0);
    expect([said(ops), said(phone)]).toEqual([['trigger ada has failed'], ['trigger nora has failed']]);
  });

  it('a channel that fails is told through the others, and so is that it works again', async () => {
    const { engine, alerts } = await begin(store, {
      channels: { ops: { type: 'webhook', url: ops.url }, phone: { type: 'webhook', url: phone.url } },
    });
    phone.other.answer('fails');
    await register(engine, 'ada');
    await fail(engine, 'ada');
    await passUntil(clock, 'it is told', () => said(ops).includes('trigger Holter needs attention'));
    expect(ops.requests.at(-1)?.body.lines).toEqual([
      'The channel phone does not deliver alerts: it answered 500',
    ]);
    phone.other.answer('takes it');
    await passUntil(clock, 'it works again', () =>
      said(ops).includes('resolve Resolved: Holter needs attention'),
    );
    expect(alerts.state?.channels.phone?.failures).toBe(0);
  });

  it('tell nothing about a group in maintenance, and what is left afterwards', async () => {
    const { engine, alerts } = await begin();
    const from = clock.now();
    await alerts.addWindow({
      group: 'crew',
      from,
      until: later(from, minutes(20)),
      by: 'olga',
      reason: 'new network',
    });
    await register(engine, 'ada');
    await fail(engine, 'ada');
    await clock.advance(minutes(19));
    expect(said(ops)).toEqual([]);
    await passUntil(clock, 'it is told', () => ops.requests.length > 0);
    expect(clock.now() - from).toBeGreaterThanOrEqual(minutes(20));
    expect(await alerts.removeWindow('crew')).toBe(false);
  });

  it('leave a subagent to the incident of its parent', async () => {
    const { engine } = await begin();
    await register(engine, 'ada');
    await register(engine, 'ada.sub', { reporter: { parent: 'ada' } });
    await fail(engine, 'ada');
    await fail(engine, 'ada.sub');
    await passUntil(clock, 'it is told', () => ops.requests.length > 0);
    await clock.advance(minutes(10));
    expect(said(ops)).toEqual(['trigger ada has failed']);
  });

  it('wait when a channel has had its notices for a minute', async () => {
    const channels = { ops: { type: 'webhook', url: ops.url, per_minute: 1 } } as const;
    const { engine } = await begin(store, { channels });
    for (const group of ['a', 'b', 'c']) {
      await register(engine, `agent-${group}`, { group });
      await fail(engine, `agent-${group}`);
    }
    await passUntil(clock, 'one is told', () => ops.requests.length === 1);
    const firstAt = clock.now();
    await passUntil(clock, 'all are told', () => ops.requests.length === 3);
    expect(clock.now() - firstAt).toBeGreaterThanOrEqual(minutes(2) - seconds(2));
  });
});

describe('two servers on one store', () => {
  it('tell each alert once, and keep what the other has been told', async () => {
    const { engine, alerts } = await begin(store.beside(), config(), false);
    const other = await startAlerts(store.beside(), clock, config(), false);
    await clock.advance(seconds(10));
    const from = clock.now();
    const window = { group: 'quiet', from, until: later(from, minutes(60)), by: 'olga', reason: 'upgrade' };
    await alerts.addWindow(window);
    await register(engine, 'ada');
    await register(other.engine, 'bob', { group: 'quiet' });
    await fail(other.engine, 'ada');
    await fail(engine, 'bob');
    await passUntil(clock, 'it is told', () => ops.requests.length > 0);
    await clock.advance(minutes(5));
    expect(said(ops)).toEqual(['trigger ada has failed']);
    expect(other.alerts.state?.windows).toEqual([window]);
    expect(await other.alerts.removeWindow('quiet')).toBe(true);
    await passUntil(clock, 'bob is told, too', () => ops.requests.length > 1);
    await clock.advance(minutes(5));
    expect(said(ops).slice(1)).toEqual(['trigger bob has failed']);
    await other.stop();
  });
});

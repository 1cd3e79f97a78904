import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, TempPostgres } from '../../src/store/contract/temp-postgres.ts';
import { openMemory } from '../../src/store/memory/index.ts';
import { openPostgres } from '../../src/store/postgres/index.ts';
import { openSqlite } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import { shortPolicies, startHttp, stillClock, type TestServer, testClock, until } from './kit.ts';

type Stores = { readonly open: () => Promise<Store>; readonly dispose: () => void | Promise<void> };

const inMemory = (): Stores => {
  const store = openMemory();
  return { open: async () => store.beside(), dispose: () => undefined };
};

const onSqlite = (): Stores => {
  const folder = mkdtempSync(join(tmpdir(), 'holter-two-'));
  return {
    open: () => openSqlite(join(folder, 'holter.db')),
    dispose: () => rmSync(folder, { recursive: true }),
  };
};

const onPostgres = (): Stores => {
  const database = new TempPostgres();
  const made = database.fresh();
  return {
    open: async () => {
      await made;
      return openPostgres(database.url);
    },
    dispose: () => database.dispose(),
  };
};

/** What only the server that heard it knows before the next page of the strips, and what the clock moves. */
const LIVE = new Set(['strip', 'errors', 'tool', 'tokensPerMinute', 'costPerHour', 'inSeconds']);

/** What a person and a collector of metrics are shown, without what is about the server itself. */
async function shown(server: TestServer): Promise<object> {
  const { text } = await server.call('GET', '/v1/fleet?limit=500', { token: server.tokens.viewer });
  const json = JSON.parse(text, (key, value) => (LIVE.has(key) ? undefined : value)) as Record<
    string,
    unknown
  >;
  const { order, counts, groups, total, rows } = json;
  const metrics = await server.operator.metrics();
  const counted = metrics
    .split('\n')
    .filter((line) => /^holter_(agents?|group|brakes_engaged)[_{ ]/.test(line));
  // What `holter status` prints.
  const { agents } = await server.operator.agents({ limit: '500' });
  const listed = JSON.parse(JSON.stringify(agents), (key, value) =>
    LIVE.has(key) || key === 'at' ? undefined : value,
  );
  return { order, counts, groups, total, rows, counted, listed };
}

const totals = async (server: TestServer): Promise<readonly string[]> =>
  (await server.operator.metrics())
    .split('\n')
    .filter(
      (line) => /^holter_(events|effects|breaker_changes)_total\{/.test(line) && !/HEARTBEAT/.test(line),
    )
    .sort();

/** The receipts of which this server has heard. */
function receiptsAt({ engine }: TestServer): () => readonly string[] {
  const heard: string[] = [];
  engine.onFollowed(({ events }) => {
    for (const { type, payload } of events) if (type === 'EFFECT_RECEIPT') heard.push(payload.outcome);
  });
  return () => heard;
}

const { operations, ...rest } = shortPolicies();
const policies = { ...rest, operations: { ...operations, metrics: { isPerAgent: true, agentsMax: 100 } } };

const STORES: readonly [name: string, make: () => Stores][] = [
  ['memory', inMemory],
  ['sqlite', onSqlite],
];

describe.each([...STORES, ...(hasPostgres() ? [['postgres', onPostgres] as const] : [])])(
  'two servers on one store: %s',
  (_name, make) => {
    let stores: Stores;
    let a: TestServer;
    let b: TestServer;
    const clock = testClock();

    const start = async (tokens?: TestServer['tokens']): Promise<TestServer> =>
      startHttp({
        ...{ store: await stores.open(), clock, isShared: true, policies },
        ...(tokens && { tokens }),
      });
    const stop = async (server: TestServer): Promise<void> => {
      await server.stop();
      await server.store.close();
    };
    const agree = async (): Promise<object> => {
      const both = await until(
        async () => [await shown(a), await shown(b)],
        ([one, other]) => JSON.stringify(one) === JSON.stringify(other),
      );
      return both[0] as object;
    };

    const agreeOnTotals = (): Promise<unknown> =>
      until(
        async () => [await totals(a), await totals(b)],
        ([one, other]) => JSON.stringify(one) === JSON.stringify(other),
      );

    beforeEach(async () => {
      stores = make();
      a = await start();
      b = await start(a.tokens);
    });
    afterEach(async () => {
      await stop(a);
      await stop(b);
      await stores.dispose();
    });

    const register = (server: TestServer, agentId: string, group = 'crew', more: object = {}) =>
      server.operator.register({ agentId, instanceId: `${agentId}-1`, group, mode: 'act', ...more });

    it('a beat at one counts for the judgement of the other', async () => {
      await register(a, 'ada', 'crew', { promises: { beatEverySeconds: 10 } });
      // Only b ticks and judges; a hears the beats and flushes them.
      for (let second = 0; second < 60; second += 5) {
        await a.operator.heartbeat('ada', { incarnation: 1 });
        await a.engine.tick();
        await b.pass(5);
      }
      const beatAt = expect.stringMatching(/^holter_agent_beat_time_seconds\{agent="ada".* [1-9]/);
      expect(await agree()).toMatchObject({
        counts: { byState: { HEALTHY: 1 }, incidents: 0 },
        counted: expect.arrayContaining([beatAt]),
        listed: [{ agentId: 'ada', state: 'HEALTHY' }],
      });
      for (let second = 0; second < 60; second += 5) await b.pass(5);
      expect(await agree()).toMatchObject({ rows: [{ agentId: 'ada', liveness: 'unknown' }] });
      await agreeOnTotals();
      // Heard again by the one that did not judge it.
      await a.operator.heartbeat('ada', { incarnation: 1 });
      expect(await agree()).toMatchObject({ rows: [{ agentId: 'ada', liveness: 'alive' }] });
    });

    it('agents, incidents and numbers are the same on both, whoever did what', async () => {
      await Promise.all(['ada', 'bob', 'cyd'].map((agentId) => register(a, agentId)));
      await Promise.all(['dan', 'eve'].map((agentId) => register(b, agentId, 'other')));
      const broken = { kind: 'error', message: 'no disk', isUnrecoverable: true, incarnation: 1 };
      await b.operator.signal('ada', broken);
      await a.operator.signal('dan', broken);
      await a.operator.heartbeat('eve', { incarnation: 1, tokenCount: 70 });
      await a.engine.tick();
      expect(await agree()).toMatchObject({
        total: 5,
        counts: { byState: { FAILING: 2, HEALTHY: 3 }, incidents: 2 },
        groups: ['crew', 'other'],
      });
      await agreeOnTotals();
      const { incident } = await b.operator.agent('dan');
      await b.operator.decide(incident?.incidentId ?? '', {
        decision: 'allow_more_time',
        reason: 'known',
        minutes: 5,
      });
      await until(
        () => a.operator.agent('dan'),
        (agent) => agent.quiet !== null,
      );
      await agree();
    });

    it('a decision, a start and an end at one are known to the other at once', async () => {
      const first = await register(a, 'ada');
      await b.client(first.token).heartbeat('ada');
      await b.operator.pause('ada', { reason: 'lunch' });
      await a.operator.resume('ada', { reason: 'back' });
      await a.operator.signal('ada', { kind: 'stopped', reason: 'done', incarnation: 1 });
      const second = await b.operator.register({ agentId: 'ada', instanceId: 'ada-2', mode: 'act' });
      expect(second.incarnation).toBe(2);
      // Nothing has been read yet here, and the new start is believed all the same.
      expect(await a.client(second.token).heartbeat('ada')).toMatchObject({ ok: true });
    });

    it('a nudge that one has decided is in a reply of the other, once', async () => {
      const { token } = await register(a, 'ada');
      const [atA, atB] = [receiptsAt(a), receiptsAt(b)];
      await a.client(token).heartbeat('ada');
      await b.operator.nudge('ada', { reason: 'slow', message: 'look up' });
      const { directives } = await until(
        () => a.client(token).heartbeat('ada'),
        (reply) => reply.directives.length > 0,
      );
      expect(directives).toMatchObject([{ type: 'nudge', message: expect.stringContaining('look up') }]);
      const outcomes = async () =>
        (await a.operator.events({ agentId: 'ada', type: 'EFFECT_RECEIPT' })).events.map(
          ({ payload }) => (payload as { outcome: string }).outcome,
        );
      await until(outcomes, (told) => told.includes('delivered'));
      // The other has heard of it: it gives it no more, and knows by the agent's next word that it was seen.
      await until(atB, (told) => told.includes('delivered'));
      expect((await b.client(token).heartbeat('ada')).directives).toEqual([]);
      await until(atA, (told) => told.includes('seen'));
      expect((await a.client(token).heartbeat('ada')).directives).toEqual([]);
      expect(await outcomes()).toEqual(['delivered', 'seen']);
    });

    it('a group has the same size on both', async () => {
      const names = Array.from({ length: 12 }, (_, i) => `bot-${i}`);
      // One of b's own, so that it has counted the group before a adds the rest.
      await register(b, 'bot-0', 'red');
      await Promise.all(names.slice(1).map((agentId) => register(a, agentId, 'red')));
      await agree();
      // Three of the twelve have ended when the fourth is lost.
      for (const agentId of names.slice(0, 4))
        await b.operator.signal(agentId, { kind: 'exited', code: null, signal: 'SIGKILL', incarnation: 1 });
      const { events } = await a.operator.events({ type: 'MASS_FAILURE' });
      expect(events).toMatchObject([{ payload: { group: 'red', size: 9 } }]);
      expect(await agree()).toMatchObject({ counted: expect.arrayContaining(['holter_brakes_engaged 1']) });
    });

    it('a restart of one changes nothing', async () => {
      const { token } = await register(a, 'ada');
      await register(b, 'bob');
      await b.operator.signal('bob', { kind: 'error', message: 'no', isUnrecoverable: true, incarnation: 1 });
      await b.operator.nudge('ada', { reason: 'slow', message: 'look up' });
      await until(
        () => b.store.listEffects({ isOffered: true, limit: 9 }),
        (offered) => offered.length > 0,
      );
      const before = await agree();
      await stop(b);
      b = await start(a.tokens);
      expect(await agree()).toEqual(before);
      expect((await b.client(token).heartbeat('ada')).directives).toHaveLength(1);
    });

    it('each due agent is judged by one of them', async () => {
      const names = Array.from({ length: 40 }, (_, i) => `bot-${i}`);
      await Promise.all(
        names.map((agentId, i) =>
          register(i % 2 ? a : b, agentId, 'red', { promises: { beatEverySeconds: 10 } }),
        ),
      );
      for (let second = 0; second < 40; second += 1) {
        clock.skip(1_000);
        await Promise.all([a.engine.tick(), b.engine.tick()]);
      }
      const { events } = await a.operator.events({ type: 'LIVENESS_CHANGED', limit: '500' });
      const judged = events.map(({ agentId }) => agentId);
      expect(new Set(judged).size).toBe(40);
      expect(judged).toHaveLength(40);
    });

    it('a link of one opens the page of the other, once', async () => {
      const { secret } = await a.operator.makeLoginSecret({ role: 'viewer' });
      const login = (server: TestServer) => server.call('POST', '/v1/login', { body: { secret } });
      const first = await login(b);
      expect(first.status).toBe(204);
      expect((await login(a)).status).toBe(401);
      expect((await login(b)).status).toBe(401);
      const secretOf = /=([^;]+)/.exec(first.headers.get('set-cookie') ?? '')?.[1] ?? '';
      const session = { cookie: `holter_${a.port}=${secretOf}` };
      expect((await a.call('GET', '/v1/session', { headers: session })).json).toMatchObject({
        role: 'viewer',
      });
    });

    it('a token that one has revoked is refused by the other after its next tick', async () => {
      const { tokenId, token } = await a.operator.makeToken({ role: 'viewer' });
      await b.client(token).system();
      await a.operator.revokeToken(tokenId);
      await a.engine.tick();
      await b.engine.tick();
      await expect(b.client(token).system()).rejects.toMatchObject({ status: 401 });
    });

    it('a stream goes on at the other where it broke off', async () => {
      await register(a, 'ada');
      await agree();
      const { events } = await a.operator.events({});
      const last = events.at(0)?.cursor ?? 0;
      await register(b, 'bob');
      await agree();
      const all = (await b.operator.events({})).events.map(({ cursor, type }) => `${cursor} ${type}`);
      const missed = all.filter((each) => Number.parseInt(each, 10) > last).sort();
      const seen: string[] = [];
      for await (const { cursor, type } of b.operator.follow({ after: String(last) })) {
        seen.push(`${cursor} ${type}`);
        if (seen.length === missed.length) break;
      }
      expect(missed.length).toBeGreaterThan(0);
      expect(seen.sort()).toEqual(missed);
    });
  },
);

describe('limits of a token on two servers', () => {
  const servers: TestServer[] = [];
  const start = async (): Promise<void> => {
    const memory = openMemory();
    const clock = stillClock();
    const options = {
      clock,
      isShared: true,
      quotas: { requestsPerSecond: 50, streamsPerTokenMax: 2 },
    } as const;
    const first = await startHttp({ ...options, store: memory.beside() });
    servers.push(first, await startHttp({ ...options, store: memory.beside(), tokens: first.tokens }));
  };
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  it('what one has granted the other does not grant again', async () => {
    await start();
    const [a, b] = servers as [TestServer, TestServer];
    const granted = async (server: TestServer): Promise<number> => {
      for (let count = 0; ; count++) {
        const { status } = await server.call('GET', '/v1/system', { token: server.tokens.viewer });
        if (status === 429) return count;
      }
    };
    await b.call('GET', '/v1/system', { token: b.tokens.viewer });
    expect(await granted(a)).toBe(100);
    await a.engine.tick();
    await b.engine.tick();
    expect(await granted(b)).toBe(0);
    a.clock.skip(2_000);
    expect(await granted(a)).toBe(100);
    await a.engine.tick();
    await b.engine.tick();
    expect(await granted(b)).toBe(0);
  });

  it('its streams are counted on both', async () => {
    await start();
    const [a, b] = servers as [TestServer, TestServer];
    const open = async (server: TestServer): Promise<Response> =>
      fetch(`${server.url}/v1/events`, {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${server.tokens.viewer}` },
      });
    const first = await open(a);
    await a.engine.tick();
    await b.engine.tick();
    const second = await open(b);
    expect([first.status, second.status, (await open(b)).status]).toEqual([200, 200, 429]);
    for (const { body } of [first, second]) await body?.cancel();
  });
});

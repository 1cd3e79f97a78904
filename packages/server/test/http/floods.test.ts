import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/store/sqlite/index.ts';
import { startHttp, stillClock, type TestServer, until } from './kit.ts';

/** One client does as much of something as it can; it reaches its own limit, and nobody else notices. */
describe('floods', () => {
  const cleanUps: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });
  const start = async (...args: Parameters<typeof startHttp>): Promise<TestServer> => {
    const server = await startHttp(...args);
    cleanUps.push(() => server.stop());
    return server;
  };
  const register = async (server: TestServer, agentId: string, instanceId = 'i') =>
    (await server.client(server.tokens.enroll).register({ agentId, instanceId })).token;
  const hitsOf = async (server: TestServer, limit: string): Promise<number> => {
    const { text } = await server.call('GET', '/metrics', { token: server.tokens.operator });
    return Number(new RegExp(`holter_limit_hits_total\\{limit="${limit}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
  };

  type Opened = { readonly status: number; readonly ended: Promise<string> };

  async function open(
    server: TestServer,
    token: string,
    path = '/v1/events',
    headers: Record<string, string> = { authorization: `Bearer ${token}` },
  ): Promise<Opened> {
    const controller = new AbortController();
    cleanUps.push(() => controller.abort());
    const response = await fetch(`${server.url}${path}`, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: controller.signal,
    });
    const ended = response.text();
    ended.catch(() => undefined);
    return { status: response.status, ended };
  }

  describe('streams (attacks 15 and 20)', () => {
    it('gives one viewer only its share, and operators always a place', async () => {
      const server = await start({ quotas: { streamsMax: 10, streamsPerTokenMax: 4 } });
      const statuses: number[] = [];
      for (let i = 0; i < 6; i += 1)
        statuses.push(
          (await open(server, server.tokens.viewer, i % 2 ? '/v1/events' : '/v1/fleet/live')).status,
        );
      expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
      expect(await hitsOf(server, 'streams_per_token')).toBe(2);
      const others = await Promise.all([1, 2].map(() => server.operator.makeToken({ role: 'viewer' })));
      const more: number[] = [];
      for (const { token } of others)
        for (let i = 0; i < 4; i += 1) more.push((await open(server, token)).status);
      expect(more).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
      expect(await hitsOf(server, 'streams')).toBe(4);
      expect((await server.operator.system()).limitHits).toEqual([
        { limit: 'streams', count: 4, lastAt: expect.any(Number), lastBy: expect.stringMatching(/^viewer /) },
        expect.objectContaining({ limit: 'streams_per_token', count: 2 }),
      ]);
      expect((await open(server, server.tokens.operator)).status).toBe(200);
    });

    it.each(['/v1/fleet/live', '/v1/events'])('sends a client away that never reads %s', async (path) => {
      const server = await start({ limits: { streamStallMs: 500 } });
      // As if the kernel took no more off the server's hands: what it does take differs from machine to machine.
      server.app.server.once('connection', (socket) => socket.cork());
      const socket = connect(server.port, '127.0.0.1');
      cleanUps.push(() => {
        socket.destroy();
      });
      const ended = new Promise((resolve) => socket.once('close', resolve));
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.tokens.viewer}\r\nAccept: text/event-stream\r\n\r\n`,
      );
      const streams = async () => (await server.call('GET', '/health')).json.streams;
      await until(streams, (count) => count === 1);
      await until(streams, (count) => count === 0);
      socket.resume();
      await ended;
    });

    it.each(['/v1/fleet/live', '/v1/events'])(
      'ends %s of a revoked token within 2 s, busy or not',
      async (path) => {
        const server = await start({ quotas: { agentRequestsPerSecond: 100_000 } });
        const ada = server.client(await register(server, 'ada'));
        const { token, tokenId } = await server.operator.makeToken({ role: 'viewer' });
        const { ended } = await open(server, token, path);
        let isOver = false;
        const over = ended.then(() => {
          isOver = true;
        });
        over.catch(() => undefined);
        await server.operator.revokeToken(tokenId);
        const revokedAt = performance.now();
        while (!isOver && performance.now() - revokedAt < 5_000)
          await ada.heartbeat('ada', { phase: 'busy' });
        await over;
        expect(performance.now() - revokedAt).toBeLessThan(2_000);
      },
    );

    it('ends those of a browser that logs out, and of a log-in that expires', async () => {
      const server = await start();
      const logIn = async () => {
        const { secret } = await server.operator.makeLoginSecret({ role: 'viewer' });
        const { headers } = await server.call('POST', '/v1/login', { body: { secret } });
        return { cookie: (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '', origin: server.url };
      };
      const first = await logIn();
      const { ended } = await open(server, '', '/v1/fleet/live', first);
      await server.call('POST', '/v1/logout', { headers: first, body: {} });
      await ended;
      const second = await open(server, '', '/v1/events', await logIn());
      server.clock.skip(7 * 24 * 3_600_000);
      expect(await second.ended).toContain('has expired');
    });
  });

  describe('of an agent that registers again with its own token', () => {
    /** The same start each time, and another token. */
    const again = async (server: TestServer, token: string, agentId = 'ada') =>
      (await server.client(token).register({ agentId, instanceId: 'i' })).token;

    it('are held to the limit of the agent, not of each token', async () => {
      const server = await start({ clock: stillClock(), quotas: { agentRequestsPerSecond: 10 } });
      let token = await register(server, 'ada');
      const statuses: number[] = [];
      for (let i = 0; i < 40; i += 1) {
        const body = { kind: 'blocker', text: `${i}` };
        const { status } = await server.call('POST', '/v1/agents/ada/signals', { token, body });
        statuses.push(status);
        if (status === 200 && i % 3 === 2) token = await again(server, token);
      }
      // Twenty at once, some of them registrations.
      expect(statuses.filter((status) => status === 200)).toHaveLength(15);
      expect(statuses.at(-1)).toBe(429);
      expect((await hitsOf(server, 'requests')) > 20).toBe(true);
    });

    it('do not use up the limit of the start that has replaced it', async () => {
      const server = await start({ clock: stillClock(), quotas: { agentRequestsPerSecond: 5 } });
      const old = await register(server, 'ada');
      await server.call('POST', '/v1/agents/ada/signals', {
        token: old,
        body: { kind: 'stopped', reason: 'x' },
      });
      const fresh = await register(server, 'ada', 'j');
      const beat = (token: string) =>
        server.call('POST', '/v1/agents/ada/heartbeat', { token, body: {} }).then(({ status }) => status);
      for (let i = 0; i < 20; i += 1) await beat(old);
      expect(await beat(old)).toBe(429);
      expect(await beat(fresh)).toBe(200);
    });

    it('open no more streams than one token, and viewers find a place', async () => {
      const server = await start({ quotas: { streamsMax: 20, streamsPerTokenMax: 4 } });
      let token = await register(server, 'ada');
      const statuses: number[] = [];
      for (let i = 0; i < 12; i += 1) {
        if (i % 4 === 3) token = await again(server, token);
        statuses.push((await open(server, token, '/api/messages/stream')).status);
      }
      expect(statuses).toEqual([200, 200, 200, 200, ...Array(8).fill(429)]);
      expect((await open(server, server.tokens.viewer)).status).toBe(200);
    });

    it('post no more large hooks than one token', async () => {
      const server = await start({ clock: stillClock(), hookFailed: () => undefined });
      let token = await register(server, 'ada');
      const statuses: number[] = [];
      for (let i = 0; i < 12; i += 1) {
        const body = {
          session_id: 'dddddddd-d51f-4305-9248-db9d38df8039',
          cwd: '/x',
          hook_event_name: 'PreToolUse',
          tool_name: 'T',
          tool_use_id: `t${i}`,
          tool_input: { a: 'x'.repeat(2_000_000) },
        };
        statuses.push((await server.call('POST', '/hooks/claude-code', { token, body })).status);
        token = await again(server, token);
      }
      expect(statuses.filter((status) => status !== 429)).toHaveLength(8);
    });

    it('start only so often in a minute, and operators are not limited', async () => {
      const clock = stillClock();
      const server = await start({
        clock,
        quotas: { startsPerMinuteMax: 10, agentRequestsPerSecond: 1_000 },
      });
      let token = await register(server, 'ada');
      const restart = async (n: number): Promise<number> => {
        await server.call('POST', '/v1/agents/ada/signals', {
          token,
          body: { kind: 'stopped', reason: 'x' },
        });
        const body = { agentId: 'ada', instanceId: `i${n}` };
        const { status, json, headers } = await server.call('POST', '/v1/agents', { token, body });
        if (status === 201) token = String(json.token);
        else
          expect([json, headers.get('retry-after')]).toMatchObject([
            { error: { code: 'too_many_starts' } },
            '1',
          ]);
        return status;
      };
      const statuses: number[] = [];
      for (let n = 0; n < 40; n += 1) statuses.push(await restart(n));
      expect(statuses.filter((status) => status === 201)).toHaveLength(10);
      const rows = await server.store.readEvents({ after: 0, agentId: 'ada', limit: 10_000 });
      expect(rows.length).toBeLessThan(100);
      expect(rows.filter(({ event }) => event.type === 'AGENT_REGISTERED')).toHaveLength(11);
      expect(await hitsOf(server, 'starts_per_agent')).toBe(30);
      clock.skip(6_000);
      expect(await restart(40)).toBe(201);
      expect(await restart(41)).toBe(429);
      await server.operator.register({ agentId: 'ada', instanceId: 'by-hand' });
    });
  });

  describe('wrong tokens (attack 16)', () => {
    const guess = async (server: TestServer, count: number): Promise<void> => {
      for (let done = 0; done < count; done += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, i) =>
            server.call('GET', '/v1/agents', { token: `hlt_${'g'.repeat(30)}${done + i}` }),
          ),
        );
    };

    it('do not hurt good ones, not even those that are new or were never seen', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'holter-floods-'));
      const store = await openSqlite(join(folder, 'holter.db'));
      cleanUps.push(async () => {
        await store.close();
        rmSync(folder, { recursive: true });
      });
      const before = await startHttp({ store });
      const seenBefore = await register(before, 'ada');
      await before.stop();
      const server = await start({ store, tokens: before.tokens, limits: { failedLoginsPerSecond: 1 } });
      for (let round = 0; round < 3; round += 1) {
        await guess(server, 100);
        const token = await register(server, `bob-${round}`);
        await server.client(token).heartbeat(`bob-${round}`);
        const { key } = await server.operator.makePingKey(`cron-${round}`, { everySeconds: 60 });
        await guess(server, 50);
        expect((await server.call('POST', `/ping/${key}`)).status).toBe(200);
        if (round === 0) await server.client(seenBefore).heartbeat('ada');
      }
      expect(await hitsOf(server, 'failed_logins')).toBeGreaterThan(300);
    });

    it('at the log-in do not keep anybody out', async () => {
      const server = await start({ limits: { failedLoginsPerSecond: 1 } });
      const logIn = (secret: string) => server.call('POST', '/v1/login', { body: { secret } });
      const statuses = new Set<number>();
      for (let i = 0; i < 20; i += 1) statuses.add((await logIn(`hlt_${i}`)).status);
      expect([...statuses]).toEqual([401, 429]);
      expect((await logIn((await server.operator.makeLoginSecret()).secret)).status).toBe(204);
    });
  });

  describe('checkpoints (attack 11)', () => {
    const quotas = { checkpointBytesPerAgentMax: 100_000, checkpointsPerAgentMax: 30 };
    const content = (n: number) => ({ n, text: 'x'.repeat(9_000) });
    const usableOf = async (server: TestServer) => (await server.operator.checkpoints('ada')).usable;
    const bytesOf = async (server: TestServer) =>
      (await server.store.listCheckpoints('ada', 1_000)).reduce((sum, { bytes }) => sum + bytes, 0);

    it('stay within bytes and rows for each agent, and the newest valid one stays', async () => {
      const server = await start({ quotas });
      const ada = server.client(await register(server, 'ada'));
      for (let n = 0; n < 30; n += 1)
        await ada.writeCheckpoint('ada', { checkpointId: `c${n}`, content: content(n) });
      expect(await bytesOf(server)).toBeLessThanOrEqual(100_000);
      const { checkpoints, usable } = await server.operator.checkpoints('ada');
      expect(usable).toBe('c29');
      expect(checkpoints.map(({ content: kept }) => kept)).toEqual(
        Array.from({ length: checkpoints.length }, (_, i) => content(29 - i)),
      );
      for (let n = 0; n < 60; n += 1) await ada.writeCheckpoint('ada', { content: n });
      expect(await server.store.listCheckpoints('ada', 1_000)).toHaveLength(30);
    });

    it('of another task never push the one out that a successor would start from', async () => {
      const server = await start({ quotas });
      const ada = server.client(await register(server, 'ada'));
      await server.operator.task('ada', { status: 'assigned', taskId: 'T-1' });
      await ada.writeCheckpoint('ada', { checkpointId: 'good', content: content(0) });
      const statuses: number[] = [];
      for (let n = 0; n < 20; n += 1) {
        const body = { taskId: 'T-2', content: content(n) };
        const writing = ada.writeCheckpoint('ada', body).then(
          () => 201,
          ({ status }: { status: number }) => status,
        );
        statuses.push(await writing);
      }
      expect(new Set(statuses)).toEqual(new Set([201, 413]));
      expect(await usableOf(server)).toBe('good');
      expect(await bytesOf(server)).toBeLessThanOrEqual(100_000);
      expect(await hitsOf(server, 'checkpoints_per_agent')).toBeGreaterThan(5);
    });
  });

  it('of long texts are read in pages of at most 1 MiB, and none is left out', async () => {
    const server = await start();
    // Two bytes for each character, of so many agents that each gets all of its rows.
    const text = 'ß'.repeat(30_000);
    for (let i = 0; i < 20; i += 1) {
      const ada = server.client(await register(server, `agent-${i}`));
      await ada.signal(
        `agent-${i}`,
        Array.from({ length: 4 }, () => ({ kind: 'blocker', text })),
      );
    }
    const readAll = async (filter: { after?: string; before?: string }, along: 'after' | 'before') => {
      const cursors: number[] = [];
      let hasMore = true;
      for (let query = filter; hasMore; ) {
        const { events, ...page } = await server.operator.events({ ...query, limit: '1000' });
        expect(Buffer.byteLength(JSON.stringify(events))).toBeLessThan(1024 * 1024 + 10_000);
        cursors.push(...events.map(({ cursor }) => cursor ?? 0));
        hasMore = page.hasMore;
        query = { ...filter, [along]: String(page.nextCursor) };
      }
      return cursors;
    };
    const all = (await server.store.readEvents({ after: 0, limit: 10_000 })).map(({ cursor }) => cursor);
    expect(all.length).toBeGreaterThan(100);
    expect(await readAll({ after: '0' }, 'after')).toEqual(all);
    expect(await readAll({ before: '999999' }, 'before')).toEqual([...all].reverse());
    expect((await server.operator.events({ before: '999999', limit: '2' })).events).toHaveLength(2);
  });

  it('of signals are folded into one row for each minute and sort, with their number (attack 12)', async () => {
    const clock = stillClock();
    const server = await start({ clock, quotas: { agentRequestsPerSecond: 100_000 } });
    const token = await register(server, 'ada');
    const kinds = [
      { kind: 'blocker', text: 'stuck' },
      { kind: 'process', state: 'running', cpuMs: 1, ioBytes: 0, childrenAtWork: 0, memoryBytes: 0 },
      { kind: 'checkpoint', checkpointId: 'c', hash: '00' },
      { kind: 'finding' },
    ];
    const flood = Array.from({ length: 1_000 }, (_, i) => kinds[i % kinds.length]);
    const post = (body: unknown) => server.call('POST', '/v1/agents/ada/signals', { token, body });
    for (let round = 0; round < 4; round += 1) expect((await post(flood)).status).toBe(200);
    const rows = async () => {
      const events = await server.store.readEvents({ after: 0, agentId: 'ada', limit: 10_000 });
      return events.map(({ event }) => event);
    };
    expect((await rows()).length).toBeLessThan(250);
    clock.skip(61_000);
    await post({ kind: 'blocker', text: 'the last one' });
    const after = await rows();
    expect(after.length).toBeLessThan(260);
    const blockers = after.filter(({ type }) => type === 'BLOCKER_REPORTED');
    const count = blockers.reduce((sum, { folded = 0 }) => sum + 1 + folded, 0);
    expect(count).toBe(1_001);
    expect(blockers.at(-1)?.payload).toMatchObject({ text: 'the last one' });
  });

  it('of registrations leave a bounded number of tokens, and the newest work (attack 17)', async () => {
    const server = await start({ quotas: { tokensPerAgentMax: 5 } });
    const other = await register(server, 'bob');
    const tokens: string[] = [];
    for (let i = 0; i < 40; i += 1) tokens.push(await register(server, 'ada'));
    const ofAda = (await server.store.listTokens()).filter(({ agentId }) => agentId === 'ada');
    expect(ofAda).toHaveLength(5);
    const beat = (token: string | undefined) =>
      server.call('POST', '/v1/agents/ada/heartbeat', { token: token ?? '', body: {} });
    expect((await beat(tokens.at(-1))).status).toBe(200);
    expect((await beat(tokens.at(-5))).status).toBe(200);
    expect((await beat(tokens.at(-6))).status).toBe(401);
    await server.client(other).heartbeat('bob');
  });
});

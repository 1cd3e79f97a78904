import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { EventView } from '../../src/http/types.ts';
import { openSqlite } from '../../src/store/sqlite/index.ts';
import { startHttp, type TestServer, until } from './kit.ts';

describe('the event stream', () => {
  const cleanUps: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  const start = async (...args: Parameters<typeof startHttp>): Promise<TestServer> => {
    const server = await startHttp(...args);
    cleanUps.push(() => server.stop());
    return server;
  };
  const join_ = (server: TestServer, agentId: string) =>
    server.client(server.tokens.enroll).register({ agentId, instanceId: 'i' });

  /** Collects in the background what a listener gets. */
  function listen(server: TestServer, filter: object = {}): { seen: EventView[]; abort: () => void } {
    const seen: EventView[] = [];
    const controller = new AbortController();
    const client = server.client(server.tokens.viewer);
    const run = async () => {
      for await (const event of client.follow(filter, { signal: controller.signal, retryMs: 20 }))
        seen.push(event);
    };
    const done = run();
    const abort = () => controller.abort();
    cleanUps.push(async () => {
      abort();
      await done;
    });
    return { seen, abort };
  }
  const isListening = (server: TestServer, count = 1) =>
    until(
      async () => (await server.call('GET', '/health')).json.streams,
      (streams) => streams === count,
    );

  it('tells what is committed, in order, and beats that are not kept', async () => {
    const server = await start();
    const all = listen(server);
    const some = listen(server, { agentId: 'bob', type: ['AGENT_REGISTERED', 'AGENT_ENDED'] });
    await isListening(server, 2);
    const { token } = await join_(server, 'ada');
    const bob = await join_(server, 'bob');
    await server.client(token).heartbeat('ada', { phase: 'x' });
    await server.client(token).heartbeat('ada', { phase: 'x' });
    await server.client(bob.token).signal('bob', { kind: 'stopped', reason: 'done' });
    await until(
      () => all.seen.map(({ type }) => type),
      (types) =>
        types.includes('HEALTH_STATE_CHANGED') && types.filter((t) => t === 'AGENT_HEARTBEAT').length === 2,
    );
    const cursors = all.seen.flatMap(({ cursor }) => (cursor === null ? [] : [cursor]));
    expect(cursors).toEqual([...cursors].sort((a, b) => a - b));
    await until(
      () => some.seen.length,
      (count) => count === 2,
    );
    expect(some.seen.map(({ type, agentId }) => [type, agentId])).toEqual([
      ['AGENT_REGISTERED', 'bob'],
      ['AGENT_ENDED', 'bob'],
    ]);
  });

  it('goes on without a gap when the server was stopped and started again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holter-streams-'));
    cleanUps.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'holter.db');
    let store = await openSqlite(path);
    cleanUps.push(() => store.close());
    let server = await startHttp({ store });
    const { port, tokens } = server;
    const { seen } = listen(server, { type: 'AGENT_REGISTERED' });
    await isListening(server);
    let made = 0;
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 25; i += 1) await join_(server, `agent-${made++}`);
      await server.stop();
      await store.close();
      store = await openSqlite(path);
      // Registered while nobody could listen.
      const away = await startHttp({ store, tokens });
      for (let i = 0; i < 25; i += 1) await join_(away, `agent-${made++}`);
      await away.stop();
      server = await startHttp({ store, tokens, port });
    }
    await until(
      () => seen.length,
      (count) => count >= made,
    );
    expect(seen.map(({ agentId }) => agentId)).toEqual(Array.from({ length: made }, (_, i) => `agent-${i}`));
    cleanUps.push(() => server.stop());
  }, 30_000);

  it('sends a listener away that takes nothing, and keeps its memory small', async () => {
    const server = await start({ limits: { streamBytesMax: 20_000, streamStallMs: 200 } });
    const text = 'x'.repeat(60_000);
    // More than the kernel would take off our hands, of so many agents that each gets all of its rows.
    for (let i = 0; i < 60; i += 1) {
      const { token } = await join_(server, `agent-${i}`);
      await server.client(token).signal(
        `agent-${i}`,
        Array.from({ length: 4 }, () => ({ kind: 'blocker', text })),
      );
    }
    const slow: Socket = connect(server.port, '127.0.0.1');
    cleanUps.push(() => {
      slow.destroy();
    });
    slow.write(
      `GET /v1/events?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.tokens.viewer}\r\nAccept: text/event-stream\r\n\r\n`,
    );
    slow.pause();
    await isListening(server);
    const before = process.memoryUsage().arrayBuffers;
    await isListening(server, 0);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000);
  });

  it('ends when its token is revoked, and takes only so many listeners', async () => {
    const server = await start({ quotas: { streamsMax: 1 } });
    const made = await server.operator.makeToken({ role: 'viewer' });
    const response = await fetch(`${server.url}/v1/events`, {
      headers: { authorization: `Bearer ${made.token}`, accept: 'text/event-stream' },
    });
    await isListening(server);
    const second = await server.call('GET', '/v1/events', {
      token: server.tokens.viewer,
      headers: { accept: 'text/event-stream' },
    });
    expect([second.status, second.json]).toMatchObject([429, { error: { code: 'too_many_streams' } }]);
    await server.operator.revokeToken(made.tokenId);
    server.clock.skip(60_000);
    expect(await response.text()).toContain('the token was revoked');
  });

  it('does not hold up a server that stops', async () => {
    const server = await startHttp();
    listen(server);
    await isListening(server);
    const startedAt = performance.now();
    await server.stop();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

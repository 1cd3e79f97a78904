import { afterEach, describe, expect, it } from 'vitest';
import { openMemory } from '../../src/store/memory/index.ts';
import { startHttp, stillClock, type TestServer } from '../http/kit.ts';
import { Mail, OWN } from './kit.ts';

let server: TestServer;
afterEach(() => server.stop());

describe('calls that wait for a letter', () => {
  it.each(['with a token', 'without one'])('count as streams, %s', async (door) => {
    server = await startHttp({ quotas: { streamsPerTokenMax: 4 } });
    const isOpen = door === 'without one';
    const ada = isOpen
      ? new Mail(server, null, await server.openMaestro())
      : await Mail.register(server, 'ada');
    await ada.call('POST', '/api/agents/ada/heartbeat', { body: {} });
    const wait = () => ada.call('GET', '/api/messages?agent=ada&status=unread&wait=60');
    const waiting = Array.from({ length: 5 }, wait);
    const refused = await Promise.race(waiting);
    expect([refused.status, refused.json, refused.headers.get('retry-after')]).toMatchObject([
      429,
      { error: 'too_many_streams' },
      '5',
    ]);
    await new Mail(server, server.tokens.operator).send(OWN, 'ada');
    const others = (await Promise.all(waiting)).filter((each) => each !== refused);
    for (const { status, json } of others)
      expect([status, json]).toMatchObject([200, { messages: [{ from: OWN }] }]);
    expect((await wait()).status).toBe(200);
  });
});

describe('the list of all agents', () => {
  it('of a large fleet is made once a second, for everybody', async () => {
    let pages = 0;
    const store = openMemory({
      hook: ({ operation, when }) => {
        if (operation === 'listAgents' && when === 'before') pages += 1;
      },
    });
    const clock = stillClock();
    server = await startHttp({ store, clock, quotas: { requestsPerSecond: 10_000 } });
    const enroll = server.client(server.tokens.enroll);
    for (let i = 0; i < 250; i += 1) await enroll.register({ agentId: `agent-${i}`, instanceId: 'i' });
    const open = new Mail(server, null, await server.openMaestro());
    const viewer = new Mail(server, server.tokens.viewer);
    const list = async (mail = open) => (await mail.call('GET', '/api/agents')).json;
    pages = 0;
    const lists = await Promise.all([...Array.from({ length: 20 }, () => list()), list(viewer)]);
    expect(pages).toBe(3);
    expect(lists[0]?.stats).toEqual({ total: 250, online: 0, offline: 0 });
    expect(lists[0]?.agents).toHaveLength(250);
    expect(new Set(lists.map((each) => JSON.stringify(each))).size).toBe(1);
    await enroll.register({ agentId: 'late', instanceId: 'i' });
    expect(pages).toBe(3);
    clock.skip(1_000);
    expect((await list(viewer)).stats).toMatchObject({ total: 251 });
    expect(pages).toBe(6);
  });
});

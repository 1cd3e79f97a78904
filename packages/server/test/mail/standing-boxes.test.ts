import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttp, stillClock, type TestServer } from '../http/kit.ts';
import { Mail, OWN } from './kit.ts';

let server: TestServer;
let open: Mail;
let operator: Mail;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
  open = new Mail(server, null, await server.openMaestro());
  operator = new Mail(server, server.tokens.operator);
});
afterAll(() => server.stop());

describe('the boxes of the overseer and of the Deacon', () => {
  it.each(['overseer', 'deacon'])('%s: exists before anybody has registered', async (name) => {
    expect((await operator.send('boot', name)).status).toBe(201);
    expect(await operator.list(name)).toMatchObject([{ from: 'boot', fromVerified: true }]);
  });

  it('the Deacon is also written to by the name of its session', async () => {
    expect((await operator.send('boot', 'hq-deacon', { subject: 'by session' })).status).toBe(201);
    expect(await operator.list('deacon')).toContainEqual(expect.objectContaining({ subject: 'by session' }));
    expect(await operator.list('hq-deacon')).toHaveLength(2);
  });

  it.each(['overseer', 'deacon', 'hq-deacon', 'daemon'])(
    '%s: without a token nobody reads it, or takes its name',
    async (name) => {
      await operator.call('POST', '/v1/agents', { body: { agentId: 'daemon', instanceId: 'i' } });
      for (const reply of [
        await open.call('GET', `/api/messages?agent=${name}`),
        await open.call('POST', `/api/agents/${name}/heartbeat`, { body: {} }),
      ])
        expect(reply).toMatchObject({ status: 403, json: { error: 'token_required' } });
    },
  );

  it.each(['daemon', OWN])(
    '%s: nobody holds the name without a token, so that it stays free',
    async (name) => {
      const fresh = await startHttp({ clock: stillClock() });
      const stranger = new Mail(fresh, null, await fresh.openMaestro());
      expect(await stranger.call('POST', `/api/agents/${name}/heartbeat`, { body: {} })).toMatchObject({
        status: 403,
        json: { error: 'token_required' },
      });
      expect(await fresh.engine.read(name)).toBeNull();
      const registered = await fresh.operator.register({ agentId: name, instanceId: 'i' });
      expect(registered.incarnation).toBe(1);
      await fresh.stop();
    },
  );

  it('no agent speaks as the overseer', async () => {
    const mail = await Mail.register(server, 'overseer');
    expect((await mail.call('GET', '/api/messages?agent=overseer')).status).toBe(403);
    expect((await mail.send('overseer', 'deacon')).status).toBe(403);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttp, stillClock, type TestServer } from '../http/kit.ts';
import { Mail, OWN } from './kit.ts';

let server: TestServer;
let operator: Mail;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
  operator = new Mail(server, server.tokens.operator);
});
afterAll(() => server.stop());

const acksOf = async (agentId: string) => (await server.engine.read(agentId))?.hard.acks;
const typesOf = async (agentId: string) =>
  (await server.operator.events({ agentId })).events.map(({ type }) => type);

describe('letters of Holter', () => {
  it('await an acknowledgement as soon as they are in the box', async () => {
    const fay = await Mail.register(server, 'fay');
    const ada = await Mail.register(server, 'ada');
    const { json } = await operator.send(OWN, 'fay', { priority: 'urgent' });
    expect(await acksOf('fay')).toMatchObject([{ id: json.id, priority: 'urgent' }]);
    await ada.send('ada', 'fay', { priority: 'urgent' });
    expect(await fay.list('fay')).toHaveLength(2);
    expect(await acksOf('fay')).toHaveLength(1);
    await fay.mark('fay', String(json.id), 'acknowledge');
    expect(await acksOf('fay')).toBeUndefined();
  });

  it('are acknowledged by a reply', async () => {
    const gil = await Mail.register(server, 'gil');
    const { json } = await operator.send(OWN, 'gil');
    await gil.list('gil');
    expect(await acksOf('gil')).toHaveLength(1);
    await gil.send('gil', OWN, { inReplyTo: json.id });
    expect(await acksOf('gil')).toBeUndefined();
    expect(await operator.list(OWN, '&action=sent&status=unacknowledged&to=gil')).toEqual([]);
  });

  it('are not awaited when they are deleted', async () => {
    const hal = await Mail.register(server, 'hal');
    const { json } = await operator.send(OWN, 'hal');
    await hal.call('DELETE', `/api/messages?agent=hal&id=${json.id}`);
    expect(await acksOf('hal')).toBeUndefined();
  });

  it('may be acknowledged for the agent, which is no sign of its life', async () => {
    await Mail.register(server, 'ida');
    const { json } = await operator.send(OWN, 'ida');
    await operator.mark('ida', String(json.id), 'acknowledge');
    const record = await server.engine.read('ida');
    expect(record?.hard.acks).toBeUndefined();
    expect(record?.soft.activityAt).toBe(0);
  });

  it('wait for the successor of an agent that is down', async () => {
    const jan = await Mail.register(server, 'jan');
    await jan.call('POST', '/v1/agents/jan/signals', { body: { kind: 'stopped', reason: 'done' } });
    const { status, json } = await operator.send(OWN, 'jan', { priority: 'high' });
    expect(status).toBe(409);
    await Mail.register(server, 'jan', 'another');
    expect(await acksOf('jan')).toMatchObject([{ id: json.id, priority: 'high' }]);
  });

  it('are all awaited, however many, and again by the successor', async () => {
    const kim = await Mail.register(server, 'kim');
    const sent: string[] = [];
    for (let n = 0; n < 40; n += 1)
      sent.push(String((await operator.send(OWN, 'kim', { priority: 'urgent' })).json.id));
    const watched = async () => ((await acksOf('kim')) ?? []).map(({ id }) => id);
    expect(await watched()).toEqual(sent);
    await kim.call('POST', '/v1/agents/kim/signals', { body: { kind: 'stopped', reason: 'done' } });
    await Mail.register(server, 'kim', 'another');
    expect(await watched()).toEqual(sent);
  });
});

describe('an urgent letter that is overdue', () => {
  const register = async (agentId: string): Promise<Mail> => {
    const enroll = server.client(server.tokens.enroll);
    const promises = { beatEverySeconds: 60 };
    const { token } = await enroll.register({
      agentId,
      instanceId: 'i',
      role: 'active-development',
      promises,
    });
    return new Mail(server, token);
  };

  it('is told to a person while the agent is heard: it is busy, not STUCK', async () => {
    const lea = await register('lea');
    const { json } = await operator.send(OWN, 'lea', { priority: 'urgent' });
    for (let minute = 0; minute < 4; minute += 1) {
      await lea.call('POST', '/api/agents/lea/heartbeat', { body: {} });
      await server.pass(60);
    }
    expect(await server.operator.agent('lea')).toMatchObject({
      state: 'DEGRADED',
      incident: null,
      findings: [{ kind: 'ack-overdue', severity: 'warn' }],
    });
    expect(await typesOf('lea')).toEqual(expect.arrayContaining(['ACK_OVERDUE', 'ATTENTION_RAISED']));
    const { effects } = await server.operator.effects('lea');
    const told = effects.flatMap(({ kind, message }) => (kind === 'notify' ? [message] : []));
    expect(new Set(told).size).toBe(1);
    expect(told[0]).toContain('lea has not acknowledged a letter of priority urgent');
    await lea.send('lea', OWN, { inReplyTo: json.id });
    expect(await server.operator.agent('lea')).toMatchObject({ findings: [] });
  });

  it('is escalated when its beats have stopped too', async () => {
    const max = await register('max');
    await max.call('POST', '/api/agents/max/heartbeat', { body: {} });
    await operator.send(OWN, 'max', { priority: 'urgent' });
    for (let minute = 0; minute < 4; minute += 1) await server.pass(60);
    expect(await server.operator.agent('max')).toMatchObject({
      state: 'STUCK',
      incident: { step: 'escalate', cause: 'ack-overdue' },
    });
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttp, stillClock, type TestServer } from '../http/kit.ts';
import { lettersOf, Mail, OWN } from './kit.ts';

let server: TestServer;
let operator: Mail;
let eva: Mail;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holter-handoff-'));
  await writeFile(join(folder, 'notes.md'), 'half done');
  server = await startHttp({ clock: stillClock() });
  operator = new Mail(server, server.tokens.operator);
  eva = await Mail.register(server, 'eva');
  await Mail.register(server, 'max');
  await Mail.register(server, 'ida');
  await eva.call('POST', '/api/agents/eva/heartbeat', { body: {} });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const handoff = () => ({
  type: 'emergency-handoff',
  message: 'please take over',
  uuid: 'EH-20250115-max-001',
  task: { id: 't1', title: 'bounding boxes', percent: 60, next_steps: ['run the tests'] },
  failed_agent: 'max',
  failure_reason: 'no sign of life for 3 h',
  files: [join(folder, 'notes.md')],
});

it.each([
  ['a field is missing', { failure_reason: undefined }, 'content.failure_reason'],
  ['a field is empty', { task: '  ' }, 'content.task'],
  ['it has no number', { uuid: 'one' }, 'content.uuid'],
  ['a placeholder is left', { task: { id: 't1', next_steps: ['[TBD]'] } }, 'content.task'],
  ['nobody has failed', { failed_agent: 'nobody' }, 'content.failed_agent'],
  ['it goes to the one that failed', { failed_agent: 'eva' }, 'content.failed_agent'],
  ['a file does not exist', { files: ['/nowhere/notes.md'] }, 'content.files'],
  ['a path is relative', { files: ['notes.md'] }, 'content.files'],
])('refuses a handoff when %s, and stores nothing', async (_when, change, field) => {
  const reply = await operator.send(OWN, 'eva', { content: { ...handoff(), ...change } });
  expect(reply).toMatchObject({ status: 400, json: { error: 'invalid_handoff', field } });
  expect(await lettersOf(server, 'eva')).toBe(0);
});

it('refuses a handoff to an agent that is not there', async () => {
  const reply = await operator.send(OWN, 'ida', { content: handoff() });
  expect(reply).toMatchObject({ status: 409, json: { error: 'handoff_target_lost' } });
  expect(await lettersOf(server, 'ida')).toBe(0);
});

it('refuses to forward a handoff to an agent that is not there', async () => {
  const content = { ...handoff(), uuid: 'EH-20250115-max-009' };
  const { json } = await eva.send('eva', 'eva', { content });
  const body = { messageId: json.id, from: 'eva', to: 'ida' };
  expect(await eva.call('POST', '/api/messages/forward', { body })).toMatchObject({
    status: 409,
    json: { error: 'handoff_target_lost' },
  });
  expect(await lettersOf(server, 'ida')).toBe(0);
  await eva.call('DELETE', `/api/messages?agent=eva&id=${json.id}`);
});

it('tells an agent nothing about files of this machine', async () => {
  const content = { ...handoff(), files: ['/nowhere/notes.md'] };
  expect(await eva.send('eva', 'eva', { content })).toMatchObject({ status: 201 });
  const [letter] = await eva.list('eva');
  await eva.call('DELETE', `/api/messages?agent=eva&id=${letter?.id}`);
});

it('awaits the acknowledgement of one that has read it', async () => {
  const { status, json } = await operator.send(OWN, 'eva', { content: handoff(), priority: 'high' });
  expect(status).toBe(201);
  const acks = async () => (await server.engine.read('eva'))?.hard.acks;
  const reply = (isRead: boolean) =>
    eva.send('eva', OWN, {
      inReplyTo: json.id,
      content: { type: 'handoff-acknowledgment', message: 'ok', handoff_document_read: isRead },
    });
  await reply(false);
  expect(await acks()).toHaveLength(1);
  await reply(true);
  expect(await acks()).toBeUndefined();
});

describe('an agent elsewhere that may be asked to stop', () => {
  const register = async (agentId: string): Promise<Mail> => {
    const { token } = await server.operator.register({
      agentId,
      instanceId: 'i',
      role: 'active-development',
      promises: { beatEverySeconds: 60 },
      can: ['nudge', 'terminate'],
    });
    const mail = new Mail(server, token);
    await beat(agentId, mail);
    return mail;
  };
  const beat = (agentId: string, mail: Mail) =>
    mail.call('POST', `/api/agents/${agentId}/heartbeat`, { body: {} });
  const order = (agentId: string) => server.operator.terminate(agentId, { reason: 'enough' });
  const stopLetters = async (agentId: string, mail: Mail) =>
    (await mail.list(agentId)).filter(({ subject }) => String(subject).startsWith('[STOP]'));
  const look = (agentId: string) => server.operator.agent(agentId);

  it('finds the request in its box, once, and its end is believed', async () => {
    const stu = await register('stu');
    await order('stu');
    const [letter] = await stopLetters('stu', stu);
    expect((await stu.read('stu', String(letter?.id))).json).toMatchObject({
      from: OWN,
      fromVerified: true,
      subject: '[STOP] Please save your state and stop',
      priority: 'urgent',
      content: {
        type: 'stop',
        message: 'Holter: please save your state and stop: ordered by operator: enough',
      },
    });
    expect(await stopLetters('stu', stu)).toHaveLength(1);
    await stu.call('POST', '/v1/agents/stu/signals', { body: { kind: 'stopped', reason: 'asked to' } });
    expect(await look('stu')).toMatchObject({ state: 'TERMINATED', end: { byHolter: true } });
  });

  it('finds it in the reply to its next call, and then not in its box', async () => {
    const tim = await register('tim');
    await order('tim');
    const { json } = await tim.call('POST', '/v1/agents/tim/heartbeat', { body: {} });
    expect(json.directives).toMatchObject([{ type: 'stop' }]);
    expect(await stopLetters('tim', tim)).toEqual([]);
  });

  it('is asked twice when it goes on, and then a person is told', async () => {
    const uma = await register('uma');
    await order('uma');
    for (let minute = 0; minute < 6; minute += 1) {
      await beat('uma', uma);
      await stopLetters('uma', uma);
      await server.pass(60);
    }
    expect(await stopLetters('uma', uma)).toHaveLength(2);
    expect(await look('uma')).toMatchObject({ end: null, incident: { step: 'human' } });
    const { effects } = await server.operator.effects('uma');
    const told = effects.flatMap((each) => (each.kind === 'notify' ? [each.message] : []));
    expect(told.at(-1)).toContain('it could not be stopped');
  });

  it('is not offered to be stopped while it is not heard', async () => {
    await register('vic');
    await server.pass(4 * 60);
    const because = 'only the agent can stop itself, and it is not responding';
    expect((await look('vic')).ready).toMatchObject({ stop: { because } });
    await expect(order('vic')).rejects.toThrow(because);
  });
});

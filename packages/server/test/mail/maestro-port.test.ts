import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pingLetter } from '../../src/post/ping-letter.ts';
import { startHttp, stillClock, type TestServer } from '../http/kit.ts';
import { isToolThere } from '../tool-there.ts';
import { letterOf, lettersOf, Mail, OWN } from './kit.ts';

const run = promisify(execFile);
const seed = readFileSync(new URL('../fixtures/mail/seed-001.txt', import.meta.url), 'utf8');

let server: TestServer;
let url: string;
let open: Mail;
let operator: Mail;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
  url = await server.openMaestro();
  open = new Mail(server, null, url);
  operator = new Mail(server, server.tokens.operator);
});
afterAll(() => server.stop());

describe.runIf(await isToolThere('jq'))('the commands of seed 001, as printed', () => {
  const NAME = 'libs-svg-svgbbox';
  const names = /TARGET_AGENT_SESSION_NAME|AGENT_SESSION_NAME|target-agent/g;
  const commands = [
    ...[...seed.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block = '']) => block),
    ...[...seed.matchAll(/`(curl [^`]+)`/g)].map(([, inline = '']) => inline),
  ].filter((command) => command.includes('curl'));

  const shell = async (command: string): Promise<string> => {
    const script = command.replaceAll('http://localhost:23000', url).replace(names, NAME);
    const { stdout } = await run('bash', ['-euc', script], { env: { ...process.env, no_proxy: '*' } }).catch(
      // `jq -e '.error'` ends with 1 when there is no error: the letter was delivered.
      (error: { code: number; stdout: string }) => {
        expect(error.code).toBe(1);
        return error;
      },
    );
    return stdout;
  };

  beforeAll(async () => {
    await open.call('POST', `/api/agents/${NAME}/heartbeat`, { body: { role: 'active-development' } });
  });

  it('are eight', () => expect(commands).toHaveLength(8));

  it('send a ping, a pong and an inquiry', async () => {
    for (const index of [0, 1, 4]) {
      const answer = JSON.parse(await shell(commands[index] ?? '')) as { message: { content: object } };
      const printed = /-d '(\{[\s\S]*\})'/.exec(commands[index] ?? '')?.[1] ?? '';
      const { content } = JSON.parse(printed.replace(names, NAME)) as { content: object };
      expect(answer.message.content).toEqual(content);
    }
  });

  it('send a task, and tell that it was not delivered', async () => {
    expect(await shell(commands[2] ?? '')).toBe('null\n');
    const toNobody = (commands[2] ?? '').replace('target-agent', 'nobody');
    expect(await shell(toNobody)).toBe('"agent_not_found"\nDELIVERY FAILED\n');
  });

  it('list what was not acknowledged', async () => {
    const printed = await shell(commands[3] ?? '');
    expect(printed).toContain('"subject": "Task assignment"');
    expect(printed).toContain('"acknowledgedAt": null');
  });

  it('tell the status of an agent', async () => {
    expect(JSON.parse(await shell(commands[5] ?? ''))).toMatchObject({
      session_name: NAME,
      status: 'online',
      unread_messages: expect.any(Number),
    });
  });

  it('tell the health of the server', async () => {
    for (const command of commands.slice(6))
      expect(JSON.parse(await shell(command))).toMatchObject({ status: 'ok' });
  });
});

describe('without a token', () => {
  it('nothing counts for an agent that registered with one', async () => {
    const ada = await Mail.register(server, 'ada');
    const { json } = await operator.send(OWN, 'ada', {
      priority: 'urgent',
      content: { type: 'heartbeat', message: 'ping', sequence: 7 },
    });
    await ada.list('ada');
    server.clock.skip(1_000);
    const known = async () => {
      const { soft, hard } = (await server.engine.read('ada')) ?? {};
      return { soft, acks: hard?.acks, isBusy: hard?.isBusy };
    };
    const before = await known();
    const pong = { type: 'heartbeat-response', message: 'pong', sequence: 7, status: 'busy' };
    expect(await open.send('ada', OWN, { inReplyTo: json.id, content: pong })).toMatchObject({
      status: 201,
      json: { message: { fromVerified: false } },
    });
    expect(await open.call('POST', '/api/agents/ada/heartbeat', { body: {} })).toMatchObject({
      status: 403,
      json: { error: 'token_required' },
    });
    for (const reply of [
      await open.read('ada', String(json.id)),
      await open.mark('ada', String(json.id), 'acknowledge'),
      await open.call('DELETE', `/api/messages?agent=ada&id=${json.id}`),
      await open.call('GET', '/api/messages?agent=ada'),
    ])
      expect(reply).toMatchObject({ status: 403, json: { error: 'token_required' } });
    expect(await known()).toEqual(before);
    expect(before.acks).toHaveLength(1);
    expect(await server.store.readLetter(String(json.id))).toMatchObject({ acknowledgedAt: null });
  });

  it('a letter in the name of Holter is kept as claimed, and is no ping', async () => {
    await open.call('POST', '/api/agents/bob/heartbeat', { body: {} });
    const ping = { type: 'heartbeat', message: 'ping', sequence: 8 };
    await open.send(OWN, 'bob', { priority: 'urgent', content: ping });
    expect(await open.list('bob')).toMatchObject([{ from: OWN, fromVerified: false }]);
    expect((await server.engine.read('bob'))?.hard.acks).toBeUndefined();
    const pong = { type: 'heartbeat-response', message: 'pong', sequence: 8 };
    expect((await open.send('bob', OWN, { content: pong })).json.notes).toEqual([
      'no ping of Holter has this sequence',
    ]);
    expect((await server.engine.read('bob'))?.soft.pongAt).toBe(0);
  });

  it('a letter in the name of Holter takes the place of none of its pings', async () => {
    await Mail.register(server, 'gil');
    const ping = pingLetter({ from: OWN, to: 'gil', incarnation: 1, sequence: 9, at: server.clock.now() });
    expect(ping.clientId).toBe('ping ping-9-1-gil');
    for (const clientId of [ping.clientId, 'directive x', 'offline-x', 'unverified x'])
      for (const mail of [open, operator])
        expect(await mail.send(OWN, 'gil', { clientId })).toMatchObject({
          status: 400,
          json: { field: 'clientId', message: expect.stringContaining('must not begin with `ping `') },
        });
    const put = { letter: ping, acknowledges: null, boxMax: Number.POSITIVE_INFINITY };
    expect((await server.store.putLetter(put)).kind).toBe('stored');
  });

  it.each([
    ['another letter', 'hal', { subject: 'forged' }],
    ['the same letter', 'hue', {}],
  ])(
    '%s with the client id of an agent does not keep its own from being stored',
    async (_what, from, forged) => {
      const hal = await Mail.register(server, from);
      const place = { clientId: 'letter-1' };
      expect((await open.send(from, OWN, { ...place, ...forged })).status).toBe(201);
      const own = await hal.send(from, OWN, place);
      expect(own).toMatchObject({ status: 201, json: { message: { fromVerified: true } } });
      // Each of them is still stored once.
      expect((await hal.send(from, OWN, place)).json.id).toBe(own.json.id);
      const again = await open.send(from, OWN, { ...place, ...forged });
      expect(again).toMatchObject({ status: 201, json: { message: { fromVerified: false } } });
      expect(await operator.list(OWN, `&from=${from}`)).toHaveLength(2);
    },
  );

  it('a letter to an agent that is offline does not keep the same one of its sender from being stored', async () => {
    const ivy = await Mail.register(server, 'ivy');
    await Mail.register(server, 'jo');
    await server.operator.signal('jo', { incarnation: 1, kind: 'stopped', reason: 'done' });
    const stored = { status: 409, json: { error: 'agent_offline', stored: true } };
    expect(await open.send('ivy', 'jo')).toMatchObject(stored);
    expect(await ivy.send('ivy', 'jo')).toMatchObject(stored);
    expect(await operator.list('jo')).toMatchObject([{ fromVerified: true }, { fromVerified: false }]);
  });

  it('letters between agents with tokens are not shown', async () => {
    const cal = await Mail.register(server, 'cal');
    await operator.send(OWN, 'cal', { subject: 'secret plan' });
    expect(await cal.list('cal')).toHaveLength(1);
    expect(await open.list(OWN, '&action=sent&to=cal')).toEqual([]);
    const { json } = await cal.send('cal', OWN, { subject: 'secret answer' });
    const id = String(json.id);
    expect((await open.list(OWN)).map(({ subject }) => subject)).not.toContain('secret answer');
    expect(await open.read(OWN, id)).toMatchObject({ status: 404 });
    for (const reply of [
      await open.mark(OWN, id, 'acknowledge'),
      await open.call('DELETE', `/api/messages?agent=${OWN}&id=${id}`),
      await open.call('POST', '/api/messages/forward', { body: { messageId: id, from: OWN, to: 'bob' } }),
    ])
      expect(reply).toMatchObject({ status: 403, json: { error: 'token_required' } });
    expect(await server.store.readLetter(id)).toMatchObject({ acknowledgedAt: null });
  });

  it('letters with a token hide none that came without, and the count is that of the list', async () => {
    await open.call('POST', '/api/agents/gus/heartbeat', { body: {} });
    await Mail.register(server, 'hal');
    const sent = '&action=sent&status=unacknowledged';
    const before = await open.list(OWN, sent);
    const { json } = await open.send(OWN, 'gus');
    for (let n = 0; n < 30; n += 1) await operator.send(OWN, 'hal');
    const ids = (await open.list(OWN, sent)).map(({ id }) => id);
    expect(ids).toEqual([json.id, ...before.map(({ id }) => id)]);
    const all = await open.list(OWN, '&action=sent&limit=0');
    const count = async (action: string) =>
      (await open.call('GET', `/api/messages?agent=${OWN}&action=${action}`)).json.count;
    expect(await count('sent-count')).toBe(all.length);
    expect(await count('unread-count')).toBe((await open.list(OWN, '&status=unread&limit=0')).length);
    expect(await open.call('GET', `/api/messages?agent=${OWN}&verified=true`)).toMatchObject({
      json: { error: 'token_required' },
    });
    expect((await operator.list('hal', '&verified=false')).length).toBe(0);
    expect((await operator.list('hal', '&verified=true&limit=0')).length).toBe(30);
  });

  it('an agent that registered so is heard, and one with a token takes its name over at once', async () => {
    await open.call('POST', '/api/agents/dan/heartbeat', { body: {} });
    expect((await open.call('GET', '/api/agents/dan/status')).json).toMatchObject({ status: 'online' });
    const dan = await Mail.register(server, 'dan', 'with a token');
    expect(await open.call('POST', '/api/agents/dan/heartbeat', { body: {} })).toMatchObject({
      json: { error: 'token_required' },
    });
    expect(await dan.call('POST', '/api/agents/dan/heartbeat', { body: {} })).toMatchObject({ status: 200 });
  });

  it('a role that is named only later is taken over, and none is changed', async () => {
    const heard = async (body: object) => {
      await open.call('POST', '/api/agents/fay/heartbeat', { body });
      const { role, promises, incarnation } = (await server.engine.read('fay'))?.hard ?? {};
      return { role, promises, incarnation };
    };
    expect(await heard({})).toEqual({ role: 'default', promises: {}, incarnation: 1 });
    const named = { role: 'critical-infrastructure', promises: { pongs: true }, incarnation: 1 };
    expect(await heard({ role: 'critical-infrastructure' })).toEqual(named);
    expect(await heard({ role: 'standby' })).toEqual(named);
    expect(await heard({})).toEqual(named);
    await server.pass(38);
    expect((await server.engine.read('fay'))?.hard.derived.map(({ kind }) => kind)).toEqual(['no-pong']);
  });

  it('a box can be filled only in part', async () => {
    await Mail.register(server, 'eve');
    for (let n = 0; n < 200; n += 1) {
      server.clock.skip(10);
      expect((await open.send('whoever', 'eve')).status).toBe(201);
    }
    expect(await open.send('whoever', 'eve')).toMatchObject({ status: 507, json: { error: 'box_full' } });
    expect((await operator.send('ada', 'eve')).status).toBe(201);
  });

  it.each([
    ['another host', { host: 'evil.example.org' }, 421, 'wrong_host'],
    ['another origin', { origin: 'https://evil.example.org' }, 403, 'wrong_origin'],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 403, 'foreign_page'],
    ['a body that is not JSON', { 'content-type': 'text/plain' }, 415, 'wrong_content_type'],
  ])('%s is refused', async (_what, headers, status, error) => {
    const before = await lettersOf(server, OWN);
    const { port } = new URL(url);
    const { request } = await import('node:http');
    const reply = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const call = request(
        {
          host: '127.0.0.1',
          port,
          method: 'POST',
          path: '/api/messages',
          headers: { 'content-type': 'application/json', ...headers },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString();
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      call.on('error', reject);
      call.end(JSON.stringify(letterOf('ada', OWN)));
    });
    expect({ status: reply.status, error: (JSON.parse(reply.text) as { error: string }).error }).toEqual({
      status,
      error,
    });
    expect(await lettersOf(server, OWN)).toBe(before);
  });

  it('nothing but the post is there', async () => {
    for (const path of ['/v1/agents', '/metrics', '/openapi.json', '/'])
      expect(await open.call('GET', path)).toMatchObject({ status: 404, json: { error: 'not_found' } });
  });
});

import { afterEach, expect, it } from 'vitest';
import { startHttp, stillClock, type TestServer, until } from '../http/kit.ts';
import { Mail, OWN } from './kit.ts';

const cleanUps: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(): Promise<{ server: TestServer; operator: Mail; token: string }> {
  const server = await startHttp();
  cleanUps.push(() => server.stop());
  const { token } = await server.client(server.tokens.enroll).register({ agentId: 'ada', instanceId: 'i' });
  return { server, operator: new Mail(server, server.tokens.operator), token };
}

const streamOf = (url: string, token: string | null, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/messages/stream?agent=ada`, {
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
  });

/** Reads events until so many have come; the rest of the stream is left. */
async function letters(response: Response, count: number): Promise<{ id: string; subject: string }[]> {
  const reader = response.body?.getReader();
  cleanUps.push(async () => {
    await reader?.cancel();
  });
  const decoder = new TextDecoder();
  let text = '';
  const found = () => [...text.matchAll(/^id: (\S+)\nevent: letter\ndata: (.*)\n\n/gm)];
  while (found().length < count) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) throw new Error(`the stream ended: ${text}`);
    text += decoder.decode(chunk.value, { stream: true });
  }
  return found().map(([, id = '', data = '']) => ({ id, ...(JSON.parse(data) as { subject: string }) }));
}

it('begins with unread letters, goes on with each that comes, and resumes after the last one', async () => {
  const { operator, server, token } = await start();
  for (const subject of ['one', 'two']) await operator.send(OWN, 'ada', { subject });
  const reading = letters(await streamOf(server.url, token), 3);
  await operator.send(OWN, 'ada', { subject: 'three' });
  const seen = await reading;
  expect(seen.map(({ subject }) => subject)).toEqual(['one', 'two', 'three']);
  const third = await until(
    () => server.store.readLetter(seen[2]?.id ?? ''),
    (letter) => letter?.deliveredAt !== null,
  );
  expect(third).toMatchObject({ deliveredAt: expect.any(Number), readAt: null });
  const resumed = await streamOf(server.url, token, { 'last-event-id': seen[1]?.id ?? '' });
  expect((await letters(resumed, 1)).map(({ subject }) => subject)).toEqual(['three']);
});

it('is read by the client', async () => {
  const { operator, server, token } = await start();
  await operator.send(OWN, 'ada', { subject: 'one' });
  for await (const { subject } of server.client(token).followLetters()) {
    expect(subject).toBe('one');
    break;
  }
});

it('repeats nothing when the letter where it was is deleted, and forgets no letter', async () => {
  const { operator, server, token } = await start();
  const ada = new Mail(server, token);
  for (const subject of ['one', 'two']) await operator.send(OWN, 'ada', { subject });
  const response = await streamOf(server.url, token);
  const reading = letters(response, 3);
  await until(
    () => server.store.listLetters({ of: 'ada', box: 'inbox', limit: 9 }),
    (all) => all.every(({ deliveredAt }) => deliveredAt !== null),
  );
  const [two] = await ada.list('ada');
  await ada.call('DELETE', `/api/messages?agent=ada&id=${two?.id}`);
  await operator.send(OWN, 'ada', { subject: 'three' });
  expect((await reading).map(({ subject }) => subject)).toEqual(['one', 'two', 'three']);
  const again = await streamOf(server.url, token, { 'last-event-id': two?.id ?? '' });
  expect((await letters(again, 2)).map(({ subject }) => subject)).toEqual(['one', 'three']);
});

it('is no sign of life beyond its beginning', async () => {
  const { server, token, operator } = await start();
  const response = await streamOf(server.url, token);
  const heardAt = async () => (await server.engine.read('ada'))?.soft.activityAt;
  const opened = await heardAt();
  expect(opened).toBeGreaterThan(0);
  server.clock.skip(60_000);
  await operator.send(OWN, 'ada');
  await letters(response, 1);
  expect(await heardAt()).toBe(opened);
});

it('is the connection of the agent: closed by it, it is offline once it has missed its beats', async () => {
  const server = await startHttp({ clock: stillClock() });
  cleanUps.push(() => server.stop());
  const { token } = await server
    .client(server.tokens.enroll)
    .register({ agentId: 'ada', instanceId: 'i', role: 'critical-infrastructure' });
  const hard = async () => (await server.engine.read('ada'))?.hard;
  const isClosed = (isSo: boolean) => until(hard, (now) => (now?.isConnectionClosed === true) === isSo);
  const two = [await streamOf(server.url, token), await streamOf(server.url, token)];
  await two[0]?.body?.cancel();
  await server.pass(1);
  expect((await hard())?.isConnectionClosed).toBeUndefined();
  await two[1]?.body?.cancel();
  await isClosed(true);
  const third = await streamOf(server.url, token);
  await isClosed(false);
  await third.body?.cancel();
  await isClosed(true);
  expect(await hard()).toMatchObject({ health: 'HEALTHY' });
  await server.pass(69);
  expect(await hard()).toMatchObject({ health: 'FAILING', incident: { cause: 'no-pong' } });
  const operator = new Mail(server, server.tokens.operator);
  expect((await operator.call('GET', '/api/agents/ada/status')).json).toMatchObject({ status: 'offline' });
  expect((await operator.send(OWN, 'ada')).json).toMatchObject({ error: 'agent_offline', stored: true });
  // One that comes back and polls is connected; it is heard when it answers.
  await new Mail(server, token).list('ada');
  expect((await operator.call('GET', '/api/agents/ada/status')).json).toMatchObject({ status: 'unknown' });
});

it('that Holter itself ends says nothing about the connection of the agent', async () => {
  const { server, token } = await start();
  const response = await streamOf(server.url, token);
  await server.stop();
  expect(await response.text()).toContain('the server stops');
  expect((await server.engine.read('ada'))?.hard.isConnectionClosed).toBeUndefined();
});

it('ends when the token is revoked, and when the agent has started again', async () => {
  const { server, token, operator } = await start();
  const viewer = await server.operator.makeToken({ role: 'viewer' });
  const watching = await streamOf(server.url, viewer.token);
  await server.operator.revokeToken(viewer.tokenId);
  server.clock.skip(60_000);
  expect(await watching.text()).toContain('the token was revoked');
  const reading = await streamOf(server.url, token);
  const waiting = new Mail(server, token).call('GET', '/api/messages?agent=ada&status=unread&wait=60');
  await server.client(token).signal('ada', { kind: 'stopped', reason: 'done' });
  await server.client(server.tokens.enroll).register({ agentId: 'ada', instanceId: 'j' });
  await operator.send(OWN, 'ada', { subject: 'for the successor' });
  const said = await reading.text();
  expect(said).toContain('started again');
  expect(said).not.toContain('for the successor');
  expect((await waiting).text).not.toContain('for the successor');
});

it('needs no token on the port without tokens, and holds up neither server that stops', async () => {
  const server = await startHttp();
  const url = await server.openMaestro();
  const open = new Mail(server, null, url);
  await open.call('POST', '/api/agents/ada/heartbeat', { body: {} });
  await open.send('bob', 'ada', { subject: 'hello' });
  const response = await streamOf(url, null);
  expect((await letters(response, 1)).map(({ subject }) => subject)).toEqual(['hello']);
  const [{ id } = { id: '' }] = await open.list('ada');
  await open.mark('ada', id, 'read');
  const waiting = open.list('ada', '&status=unread&wait=60');
  await until(
    async () => (await server.call('GET', '/health')).json.streams,
    (streams) => streams === 1,
  );
  await server.stop();
  expect(await waiting).toEqual([]);
});

import { EventEmitter } from 'node:events';
import { type ConnectOptions, connect, type Directive, type HolterClient, OptionError } from '@holter/agent';
import { expect, it } from 'vitest';
import { FakeServer } from './fake-server.ts';
import { sleep, together, until } from './kit.ts';

type World = { readonly server: FakeServer; readonly client: HolterClient };

async function world(options: Partial<ConnectOptions> = {}, server = new FakeServer()): Promise<World> {
  await server.start();
  const client = connect({ agentId: 'ada', url: server.url, token: 't', watchdog: 'off', ...options });
  return { server, client };
}

const errorBody = (code: string) => ({ error: { code, message: 'because' } });

together('registers, beats and reports; throttled, and the newest beat wins', async () => {
  const { server, client } = await world({ taskId: 'T-1', role: 'background', promises: { calls: true } });
  for (let i = 0; i <= 500; i += 1) client.beat({ phase: `step ${i}` });
  client.activity();
  client.tokens({ tokens: 100, costUsd: 0.5 });
  client.tokens({ tokens: 20 });
  client.reportBlocker('no access');
  client.requestHandoff('context is full');
  await until(() => server.kinds().includes('handoff-requested'), 5_000, 'the signals arrive');
  await sleep(300);
  expect(server.seen[0]).toMatchObject({
    path: '/v1/agents',
    body: {
      agentId: 'ada',
      role: 'background',
      taskId: 'T-1',
      promises: { calls: true, beatEverySeconds: 30 },
    },
  });
  const beats = server.signals.filter(({ kind }) => kind === 'heartbeat');
  expect(beats).toHaveLength(1);
  expect(beats[0]).toMatchObject({ phase: 'step 500', taskId: 'T-1', tokenCount: 120, errorCount: 0 });
  expect(server.signals.find(({ kind }) => kind === 'tokens')).toMatchObject({ total: 120, costUsd: 0.5 });
  expect(client.status).toMatchObject({ state: 'connected', incarnation: 1, waiting: 0, rejectionCount: 0 });
  await client.close('done');
  expect(server.signals.at(-1)).toMatchObject({ kind: 'stopped', reason: 'done' });
  await server.stop();
});

together('records tools with result and error, and leaves them as they are', async () => {
  const { server, client } = await world();
  const add = client.tool('add', (a: number, b: number) => a + b);
  const read = client.tool('read', async (path: string) => `content of ${path}`);
  const fail = client.tool('fail', async () => {
    throw new Error('no such file');
  });
  const object = {
    base: 2,
    times: client.tool('times', function (this: { base: number }, n: number) {
      return this.base * n;
    }),
  };
  expect(add(1, 2)).toBe(3);
  expect(object.times(4)).toBe(8);
  expect(await read('a.txt')).toBe('content of a.txt');
  await expect(fail()).rejects.toThrow('no such file');
  const ring: Record<string, unknown> = { big: 1n, run: () => 1 };
  ring.self = ring;
  client.tool('odd', () => 'fine')(...([ring] as unknown as []));
  await until(() => server.kinds().filter((kind) => kind === 'call-ended').length === 5, 5_000, 'all calls');
  const ended = server.signals.filter(({ kind }) => kind === 'call-ended');
  expect(ended.map(({ tool, isError }) => [tool, isError])).toEqual([
    ['add', false],
    ['times', false],
    ['read', false],
    ['fail', true],
    ['odd', false],
  ]);
  expect(ended[2]).toMatchObject({ input: 'a.txt', output: 'content of a.txt' });
  expect(ended[3]).toMatchObject({ output: 'Error: no such file' });
  // Numbered in order, so that a batch whose answer was lost may come again and counts once.
  const places = server.signals
    .filter(({ channel }) => String(channel).startsWith('client:'))
    .map(({ seq }) => Number(seq));
  expect(places.length).toBeGreaterThanOrEqual(10);
  expect(places).toEqual([...places].sort((left, right) => left - right));
  expect(new Set(places).size).toBe(places.length);
  expect(client.status.rejections).toEqual([]);
  await client.close();
  await server.stop();
});

together('feeds breakers: asks first, reports how it went, and stops what keeps failing', async () => {
  const { server, client } = await world();
  let calls = 0;
  const search = client.tool(
    'search',
    (query: string) => {
      calls += 1;
      if (query === 'bad') throw new Error('no index');
      return query.length;
    },
    { breaker: 'tool_execution' },
  );
  // Not connected yet: there is no server to ask, so the tool is called.
  expect(await search('early')).toBe(5);
  await until(() => client.status.state === 'connected', 5_000, 'connected');
  expect(await search('good')).toBe(4);
  await expect(search('bad')).rejects.toThrow('no index');
  server.permit = { kind: 'refused', because: 'open', retryAt: 1_000 };
  await expect(search('again')).rejects.toMatchObject({ code: 'breaker_open', retryAt: 1_000 });
  expect(await client.checkpoint({})).toMatchObject({ because: 'breaker-open' });
  expect(calls).toBe(3);
  await sleep(300);
  const asked = server.seen.filter(({ path }) => path.includes('/breakers/tool_execution/'));
  const words = asked.map(({ path }) => path.split('/').at(-1));
  expect(words).toEqual(['acquire', 'success', 'acquire', 'failure', 'acquire']);
  expect(asked[1]?.body).toMatchObject({ generation: 3, permitId: 7 });
  await client.close();
  await server.stop();
});

together('hands each directive to the host once, also one that came before it listened', async () => {
  const { server, client } = await world({ beatThrottleMs: 10 });
  const nudge: Directive = { type: 'nudge', id: 'n1', message: 'Holter: 5 equal calls.' };
  server.directives = [nudge, nudge, { type: 'stop', id: 's1', message: 'Holter: stop.' }, 'nonsense'];
  client.beat();
  await until(() => client.status.rejectionCount > 0, 5_000, 'the reply was read');
  const heard: string[] = [];
  client.onNudge(({ id }) => heard.push(id));
  client.onStop(({ id }) => {
    heard.push(id);
    throw new Error('a handler of the host');
  });
  client.onHandoff(() => ({ next: 'write the tests' }));
  server.directives = [nudge, { type: 'handoff', id: 'h1', message: 'Holter: a note, please.' }];
  client.beat();
  await until(() => server.kinds().includes('handoff-written'), 5_000, 'the note is written');
  expect(heard).toEqual(['n1', 's1']);
  const note = server.seen.find(({ path }) => path.endsWith('/checkpoints'));
  expect(note?.body).toMatchObject({ content: { handoffNote: { next: 'write the tests' } } });
  expect(client.status.rejections.map(({ code }) => code)).toEqual(['bad_directive', 'handler_failed']);
  await client.close();
  await server.stop();
});

together('survives a server that is away, comes back, and has forgotten it', async () => {
  const server = await new FakeServer().start();
  await server.stop();
  const client = connect({ agentId: 'ada', url: server.url, token: 't', watchdog: 'off', bufferMax: 50 });
  for (let i = 0; i < 200; i += 1) client.said(`line ${i}`);
  await sleep(700);
  expect(client.status).toMatchObject({ state: 'connecting', waiting: 50, dropped: 150 });
  await server.start();
  await until(() => client.status.waiting === 0, 10_000, 'the buffer is sent');
  const said = server.signals.filter(({ kind }) => kind === 'said').map(({ text }) => text);
  expect(said).toEqual(Array.from({ length: 50 }, (_, i) => `line ${150 + i}`));
  // It restarts with an empty memory: registered again, and nothing is lost.
  server.incarnation = 2;
  let hasForgotten = true;
  server.answer = ({ path }) => {
    if (path === '/v1/agents') hasForgotten = false;
    return hasForgotten ? { status: 404, body: errorBody('unknown_agent') } : undefined;
  };
  client.reportBlocker('after the restart');
  await until(
    () => client.status.incarnation === 2 && client.status.waiting === 0,
    10_000,
    'it is known again',
  );
  expect(server.kinds()).toContain('blocker');
  await client.close();
  await server.stop();
});

together('goes on beside a server that answers nonsense', async () => {
  const { server, client } = await world();
  server.answer = () => '<html>not Holter</html>';
  client.beat();
  await until(() => client.status.rejectionCount > 0, 5_000, 'the nonsense is recorded');
  expect(client.status.rejections[0]).toMatchObject({ what: 'register', code: 'unreachable' });
  expect(client.status.rejections[0]?.message).toMatch('without JSON: that is not Holter');
  server.answer = () => ({ status: 200, body: { hello: 'world' } });
  await until(() => client.status.rejections.at(-1)?.code === 'nonsense', 5_000, 'no token');
  server.answer = ({ path }) => (path === '/v1/agents' ? undefined : { status: 200, body: [1, 2] });
  await until(() => client.status.incarnation === 1, 8_000, 'registered');
  await until(() => client.status.rejections.at(-1)?.what === 'signals', 5_000, 'recorded');
  await client.close();
  await server.stop();
});

together('is refused with a reason, and asks again', async () => {
  const server = new FakeServer();
  server.answer = () => ({ status: 403, body: errorBody('forbidden') });
  const { client } = await world({}, server);
  await until(() => client.status.state === 'refused', 5_000, 'refused');
  expect(client.status.rejections[0]).toMatchObject({
    what: 'register',
    code: 'forbidden',
    message: 'because',
  });
  expect(await client.checkpoint({ step: 1 })).toEqual({
    kind: 'not-written',
    because: 'refused',
    message: 'forbidden: because',
  });
  server.answer = () => undefined;
  await until(() => client.status.state === 'connected', 5_000, 'connected');
  expect(await client.checkpoint({ step: 1 })).toMatchObject({ kind: 'written' });
  await client.close();
  await server.stop();
});

together('gives way to a newer start of the same agent', async () => {
  const { server, client } = await world({ beatThrottleMs: 10 });
  await until(() => client.status.state === 'connected', 5_000, 'connected');
  server.answer = ({ path }) =>
    path === '/v1/agents' ? undefined : { status: 409, body: errorBody('stale_incarnation') };
  const stopped = new Promise<Directive>((resolve) => client.onStop(resolve));
  client.beat();
  expect((await stopped).message).toMatch('a newer start');
  expect(client.status.state).toBe('superseded');
  const count = server.seen.length;
  client.beat();
  await sleep(500);
  expect(server.seen).toHaveLength(count);
  await client.close();
  await server.stop();
});

together('writes checkpoints, and says what became of each', async () => {
  const { server, client } = await world({ checkpointTimeoutMs: 2_000 });
  const outcome = await client.checkpoint({ step: 3 });
  expect(outcome).toMatchObject({ kind: 'written', hash: 'abc' });
  const ring: Record<string, unknown> = {};
  ring.self = ring;
  expect(await client.checkpoint(ring)).toMatchObject({ kind: 'not-written', because: 'not-json' });
  expect(await client.checkpoint('x'.repeat(5_000_000))).toMatchObject({ because: 'too-large' });
  server.answer = () => ({ status: 422, body: errorBody('hash_mismatch') });
  expect(await client.checkpoint(1)).toMatchObject({ because: 'refused', message: 'hash_mismatch: because' });
  server.answer = () => 'silence';
  const all = await Promise.all([1, 2, 3, 4].map((step) => client.checkpoint({ step })));
  expect(all.map((each) => (each.kind === 'written' ? 'written' : each.because))).toEqual([
    'superseded',
    'unreachable',
    'unreachable',
    'unreachable',
  ]);
  await server.stop();
  await client.close();
});

together('beats for an agent with work only while something backs them', async () => {
  const timing = { beatEveryMs: 300, beatThrottleMs: 20, beatsBackedForMs: 900 };
  const [idle, stuck] = [await world(timing), await world({ ...timing, taskId: 'T-1' })];
  await sleep(2_500);
  const beatsOf = ({ server }: World): number => server.kinds().filter((kind) => kind === 'heartbeat').length;
  expect(beatsOf(idle)).toBeGreaterThan(7);
  expect(beatsOf(stuck)).toBeLessThan(7);
  const before = beatsOf(stuck);
  const call = stuck.client.toolStarted('long');
  await sleep(1_500);
  expect(beatsOf(stuck)).toBeGreaterThan(before + 3);
  call.succeeded();
  for (const { server, client } of [idle, stuck]) {
    await client.close();
    await server.stop();
  }
});

together('reports what an emitter emits, and swallows no error of it', async () => {
  const { server, client } = await world();
  const agent = new EventEmitter();
  const stop = client.instrument(agent);
  agent.emit('tool_executed', { tool: 'search', args: { q: 'x' }, result: 'found' });
  agent.emit('tool_executed', { name: 'write', error: new Error('read-only') });
  agent.emit('response_generated', 'hello');
  expect(() => agent.emit('error', new Error('unheard'))).toThrow('unheard');
  await until(() => server.kinds().includes('error'), 5_000, 'the error is reported');
  const ended = server.signals.filter(({ kind }) => kind === 'call-ended');
  expect(ended.map(({ tool, isError }) => [tool, isError])).toEqual([
    ['search', false],
    ['write', true],
  ]);
  stop();
  expect(agent.eventNames()).toEqual([]);
  await client.close();
  await server.stop();
});

it('refuses options that make no sense, and records signals that do', async () => {
  const wrong: readonly [options: object, message: string][] = [
    [{}, 'agentId must be'],
    [{ agentId: 'a b' }, 'agentId must be'],
    [{ agentId: 'ada', url: 'ftp://x' }, 'url must be'],
    [{ agentId: 'ada', beatEveryMs: 1 }, 'beatEveryMs must be at least 100'],
    [{ agentId: 'ada', taskID: 'T' }, 'connect has no option taskID'],
  ];
  for (const [options, message] of wrong) {
    expect(() => connect(options as ConnectOptions), message).toThrow(OptionError);
    expect(() => connect(options as ConnectOptions), message).toThrow(message);
  }
  const client = connect({ agentId: 'ada', url: 'http://127.0.0.1:9', token: 't', watchdog: 'off' });
  client.toolStarted('').succeeded();
  client.tokens({ tokens: Number.NaN });
  client.taskUpdated();
  expect(client.status.rejections.map(({ code }) => code)).toEqual([
    'out_of_range',
    'out_of_range',
    'bad_value',
    'no_task',
  ]);
  await client.close();
});

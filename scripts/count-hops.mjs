// `node scripts/count-hops.mjs [FOLDER]`: how many of Holter's own functions a request goes through, before its reply
// and behind it. A hop is a function in `packages/*/dist` that ran because of the request, counted once however
// often it ran, in the main thread and in the thread of the database. V8's precise coverage counts the calls, so
// nothing is added to the code; what runs anyway, such as the tick, is measured first and left out. Every number is
// the smallest of several rounds. FOLDER is another built clone, to compare with.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const ROUNDS = 7;
/** One tick of the engine falls into it. */
const BEHIND_MS = 1_000;

const root = resolve(process.argv[2] ?? '.');
const { createLogger, loadConfig, startServer } = await import(
  pathToFileURL(join(root, 'packages/server/dist/index.js')).href
);
const session = new Session();
session.connect();
const database = await attachToThreads();
for (const each of [session, database]) {
  await each.post('Profiler.enable');
  await each.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
}

const dataFolder = mkdtempSync(join(tmpdir(), 'holter-hops-'));
const config = loadConfig({ operator: null, workingDirectory: null, operatorDefault: 'holter.yaml' }).config;
const logger = createLogger({ write: () => undefined, isPretty: false, level: 'silent' });
const server = await startServer({ dataFolder, config, version: 'hops', logger, port: 0 });
try {
  await database.ready;
  const operator = readFileSync(join(dataFolder, 'operator.token'), 'utf8').trim();
  const { token } = await post('/v1/agents', operator, {
    agentId: 'ada',
    instanceId: 'ada-1',
    promises: { beatEverySeconds: 300 },
  });
  const beat = () => post('/v1/agents/ada/heartbeat', token, {});
  const sessionId = randomUUID();
  const hook = (event, more) =>
    post('/hooks/claude-code', operator, { hook_event_name: event, session_id: sessionId, ...more });
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' } };
  for (let i = 0; i < 3; i += 1) await beat();
  await hook('UserPromptSubmit', { prompt: 'work' });
  await sleep(1_500);
  await flow('heartbeat', beat);
  await flow('hook', (i) => hook('PreToolUse', { ...call, tool_use_id: `call-${i}` }));
  await flow(
    'nudge',
    () => post('/v1/agents/ada/nudge', operator, { reason: 'slow', message: 'look up' }),
    beat,
  );
} finally {
  await server.stop();
  rmSync(dataFolder, { recursive: true });
}

/** `last` is the request whose reply carries what the first one led to. */
async function flow(name, request, last) {
  const rounds = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    await take();
    await sleep(BEHIND_MS);
    const idle = await take();
    await request(i);
    const reply = await take();
    if (last) {
      await sleep(50);
      await last();
    }
    await sleep(BEHIND_MS);
    const behind = await take();
    const hops = [...reply.keys()];
    const later = [...behind].filter(([key, count]) => !reply.has(key) && count > (idle.get(key) ?? 0));
    const operations = (calls) => [...calls].reduce((sum, [key, n]) => sum + (isOperation(key) ? n : 0), 0);
    rounds.push({
      flow: name,
      'to the reply': hops.length,
      behind: later.length,
      'store operations': operations(reply) + operations(behind) - operations(idle),
      list: [...hops, '…', ...later.map(([key]) => key)],
    });
  }
  const least = (key) => Math.min(...rounds.map((round) => round[key]));
  const { list } = rounds.find((round) => round['to the reply'] === least('to the reply'));
  console.log(
    `${name}: ${least('to the reply')} hops to the reply, ${least('behind')} behind it, ${Math.max(0, least('store operations'))} store operations`,
  );
  if (process.env.HOPS_LIST) console.log(list.map((key) => `  ${key}`).join('\n'));
}

/** Calls since the last take, by file and function. */
async function take() {
  const calls = new Map();
  for (const each of [session, database]) {
    const { result } = await each.post('Profiler.takePreciseCoverage');
    for (const { url, functions } of result) {
      const file = url.split(`${root}/packages/`)[1];
      if (!file?.includes('/dist/')) continue;
      for (const { functionName, ranges } of functions) {
        const [{ startOffset, count }] = ranges;
        // The module itself is no function.
        if (count > 0 && startOffset > 0)
          calls.set(`${file} ${functionName || 'anonymous'} ${startOffset}`, count);
      }
    }
  }
  return calls;
}

function isOperation(key) {
  return /store\/sqlite\/session\.js perform /.test(key);
}

async function post(path, token, body) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** The inspector's way into worker threads; commands wait until the thread is there. */
async function attachToThreads() {
  let attached;
  const ready = new Promise((done) => {
    attached = done;
  });
  const waiting = new Map();
  session.on('NodeWorker.attachedToWorker', ({ params }) => attached(params.sessionId));
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message);
    waiting.get(id)?.(result);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  let id = 0;
  const queue = [];
  const send = async (method, params) => {
    const sessionId = await ready;
    id += 1;
    const answer = new Promise((done) => waiting.set(id, done));
    await session.post('NodeWorker.sendMessageToWorker', {
      sessionId,
      message: JSON.stringify({ id, method, params }),
    });
    return answer;
  };
  return {
    ready: ready.then(() => Promise.all(queue)),
    post: (method, params) => {
      const answer = send(method, params);
      // Before the thread is there nobody may wait for it: it starts with the server.
      if (method !== 'Profiler.takePreciseCoverage') {
        queue.push(answer);
        return Promise.resolve();
      }
      return answer;
    },
  };
}

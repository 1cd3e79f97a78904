// `node scripts/count-hops.mjs [FOLDER]`: how many of Holter's own functions a request goes through, before its reply
// and behind it. A hop is a function in `packages/*/dist` that ran because of the request, counted once however
// often it ran, in the main thread and in the thread of the database. V8's precise coverage counts the calls, so
// nothing is added to the code. What runs in any second is measured first and left out behind the reply. Each number
// is the median of several rounds. FOLDER is another built clone, to compare with; HOPS_LIST=1 names the functions.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { Session } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const ROUNDS = 5;
/** From right after a tick on, one tick of the engine falls into it. */
const WINDOW_MS = 1_200;
const COVERAGE = 'Profiler.takePreciseCoverage';

const root = resolve(process.argv[2] ?? '.');
const session = new Session();
session.connect();
const toThread = threadOf(session);
for (const [method, params] of [
  ['Profiler.enable', {}],
  ['Profiler.startPreciseCoverage', { callCount: true, detailed: false }],
]) {
  session.post(method, params);
  void toThread(method, params);
}

/** Calls by file and function since the window began, and those of them that came before the first reply. */
let calls = new Map();
let atReply = new Map();
const { end } = ServerResponse.prototype;
ServerResponse.prototype.end = function (...args) {
  if (atReply === null) {
    // A session in the same thread answers before `post` returns.
    session.post(COVERAGE, (_error, answer) => add(answer));
    atReply = new Set(calls.keys());
  }
  return end.apply(this, args);
};

const { createLogger, loadConfig, startServer } = await import(
  pathToFileURL(join(root, 'packages/server/dist/index.js')).href
);
const dataFolder = mkdtempSync(join(tmpdir(), 'holter-hops-'));
const { config } = loadConfig(null);
const logger = createLogger({ write: () => undefined, isPretty: false, level: 'silent' });
const server = await startServer({ dataFolder, config, version: 'hops', logger, port: 0 });
try {
  const operator = readFileSync(join(dataFolder, 'operator.token'), 'utf8').trim();
  const promises = { beatEverySeconds: 300 };
  const { token } = await post('/v1/agents', operator, { agentId: 'ada', instanceId: 'ada-1', promises });
  const beat = () => post('/v1/agents/ada/heartbeat', token, {});
  const sessionId = randomUUID();
  const hook = (event, more) =>
    post('/hooks/claude-code', operator, { hook_event_name: event, session_id: sessionId, ...more });
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' } };
  for (let i = 0; i < 3; i += 1) await beat();
  await hook('UserPromptSubmit', { prompt: 'work' });
  await flow('heartbeat', beat);
  await flow('hook', (i) => hook('PreToolUse', { ...call, tool_use_id: `call-${i}` }));
  const words = { reason: 'slow', message: 'look up' };
  await flow('nudge', () => post('/v1/agents/ada/nudge', operator, words), beat);
} finally {
  await server.stop();
  rmSync(dataFolder, { recursive: true });
}

/** `last` is the request whose reply carries what the first one led to. */
async function flow(name, request, last) {
  const rounds = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    await afterTick();
    await sleep(WINDOW_MS);
    const idle = await collect();
    await afterTick();
    atReply = null;
    await request(i);
    if (last) await sleep(100).then(last);
    await sleep(WINDOW_MS);
    const all = await collect();
    const behind = [...all].filter(([key, count]) => !atReply.has(key) && count > (idle.get(key) ?? 0));
    rounds.push({
      reply: [...atReply],
      behind: behind.map(([key]) => key),
      operations: operationsOf(all) - operationsOf(idle),
    });
  }
  const median = (read) => rounds.map(read).sort((x, y) => x - y)[Math.floor(ROUNDS / 2)];
  const toReply = median(({ reply }) => reply.length);
  const behind = median((round) => round.behind.length);
  const operations = median((round) => round.operations);
  console.log(`${name}: ${toReply} hops to the reply, ${behind} behind it, ${operations} store operations`);
  if (!process.env.HOPS_LIST) return;
  const shown = rounds.find(({ reply }) => reply.length === toReply);
  console.log([...shown.reply, '… behind it:', ...shown.behind].map((key) => `  ${key}`).join('\n'));
}

async function afterTick() {
  for (;;) {
    await sleep(20);
    if ([...(await collect()).keys()].some((key) => /engine\/(?:engine\.js tick|ticks\.js run) /.test(key)))
      break;
  }
  // Until it is done with what it began.
  await sleep(150);
  await collect();
}

/** Ends the window, and begins the next. */
async function collect() {
  add(await toThread(COVERAGE));
  session.post(COVERAGE, (_error, answer) => add(answer));
  const ended = calls;
  calls = new Map();
  return ended;
}

function add({ result }) {
  for (const { url, functions } of result) {
    const file = url.split(`${root}/packages/`)[1];
    if (!file?.includes('/dist/')) continue;
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, count }] = ranges;
      const key = `${file} ${functionName || 'anonymous'} ${startOffset}`;
      // The module itself is no function.
      if (count > 0 && startOffset > 0) calls.set(key, (calls.get(key) ?? 0) + count);
    }
  }
}

function operationsOf(counted) {
  let sum = 0;
  for (const [key, count] of counted) if (/store\/sqlite\/session\.js perform /.test(key)) sum += count;
  return sum;
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

/** Sends commands to the inspector of the database's thread, from when there is one. */
function threadOf(main) {
  const waiting = new Map();
  const attached = new Promise((done) => {
    main.on('NodeWorker.attachedToWorker', ({ params }) => done(params.sessionId));
  });
  main.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message);
    waiting.get(id)?.(result);
  });
  main.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  let id = 0;
  return async (method, params = {}) => {
    const sessionId = await attached;
    id += 1;
    const message = JSON.stringify({ id, method, params });
    const answer = new Promise((done) => waiting.set(id, done));
    main.post('NodeWorker.sendMessageToWorker', { sessionId, message });
    return answer;
  };
}

// `npm run measure:mail`: for each role of seed 001 three agents as processes of their own, which are the clients of
// docs/remote-agents.md: one in bash that is well, one in Python that gets a task which blocks its loop for ten minutes,
// and one in TypeScript that is killed. Prints when Holter noticed what. Each role has a server whose clock runs faster
// than life, by a factor that leaves a client some seconds for each ping; the agents themselves do not run faster, so a
// second that a busy machine makes them wait counts that many times. A server whose ticks come 0.2 s late takes that for
// a stall of 2 s, and gives everybody grace. About ten minutes.

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, loadConfig, startServer } from '../../packages/server/dist/index.js';
import { realClock } from '../../packages/server/dist/real-clock.js';
import { fastClock } from '../../packages/sim/dist/demo/fast-clock.js';

const MINUTE = 60_000;
/** How much faster than life, how long everybody is well first, and how long is looked then. */
const ROLES = [
  { role: 'critical-infrastructure', speed: 6, warmUpMs: 3 * MINUTE, endMs: 15 * MINUTE },
  { role: 'active-development', speed: 8, warmUpMs: 3 * MINUTE, endMs: 15 * MINUTE },
  { role: 'background', speed: 10, warmUpMs: 6 * MINUTE, endMs: 27 * MINUTE },
  { role: 'standby', speed: 10, warmUpMs: 16 * MINUTE, endMs: 85 * MINUTE },
];
const BLOCKED_MS = 10 * MINUTE;
const AGENTS = [
  ['bash', 'well'],
  ['python', 'blocked for 10 min'],
  ['typescript', 'killed'],
];

const page = readFileSync(new URL('../../docs/remote-agents.md', import.meta.url), 'utf8');
const snippet = (language) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)[1];
const ROUND = {
  bash: 'bash -c "$SNIPPET"',
  python: 'python3 -c "$SNIPPET"',
  typescript: 'node --input-type=module -e "$SNIPPET"',
};

async function measure({ role, speed, warmUpMs, endMs }) {
  const folder = mkdtempSync(join(tmpdir(), 'holter-three-agents-'));
  const clock = fastClock(realClock(), speed);
  const server = await startServer({
    dataFolder: join(folder, 'data'),
    config: loadConfig('holter.yaml', () => '').config,
    version: 'measured',
    logger: createLogger({ write: (text) => process.stderr.write(text), isPretty: false, level: 'error' }),
    port: 0,
    demo: { clock, speed, begin: () => () => undefined },
  });
  writeWork(folder, BLOCKED_MS / 1_000 / speed);
  const operator = readFileSync(join(folder, 'data', 'operator.token'), 'utf8').trim();
  const call = async (method, path, body) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${operator}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const children = new Map();
  const passed = (ms) => sleep(ms / speed);
  try {
    for (const [language] of AGENTS) {
      const registration = { agentId: language, instanceId: 'i', role, promises: { pongs: true } };
      const { token } = await call('POST', '/v1/agents', registration);
      children.set(language, startAgent(folder, language, server.url, token));
    }
    await passed(warmUpMs);
    const troubledAt = clock.now();
    end(children.get('typescript'));
    const content = { type: 'task', message: 'a long one' };
    await call('POST', '/api/messages', { to: 'python', subject: 'Task assignment', content });
    const askedAt = performance.now();
    const { error } = await call('POST', '/api/messages', { to: 'nobody', subject: 's', content });
    const refused = `${error} after ${(performance.now() - askedAt).toFixed(0)} ms`;
    await passed(endMs);
    const { events } = await call('GET', '/v1/events?limit=1000');
    return { refused, rows: AGENTS.map(([agent, what]) => rowOf(role, agent, what, events, troubledAt)) };
  } finally {
    for (const child of children.values()) end(child);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the clients hand their letters to: it blocks their loop. They have said that they are busy. */
function writeWork(folder, seconds) {
  writeFileSync(join(folder, 'work'), `#!/bin/sh\nsleep ${seconds}\n`);
  chmodSync(join(folder, 'work'), 0o755);
}

/** In a process group of its own, so that all of it can be killed. */
function startAgent(cwd, language, url, token) {
  const env = {
    ...process.env,
    HOLTER_URL: url,
    HOLTER_TOKEN: token,
    HOLTER_AGENT_ID: language,
    SNIPPET: snippet(language),
    NO_PROXY: '*',
    no_proxy: '*',
  };
  // A call that fails ends this round, and the next one begins.
  const loop = `while :; do ${ROUND[language]} || sleep 0.1; done`;
  return spawn('bash', ['-c', loop], { cwd, env, detached: true, stdio: 'ignore' });
}

function end(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function rowOf(role, agentId, what, events, troubledAt) {
  const first = (is) => {
    const at = events.find((event) => event.agentId === agentId && event.at > troubledAt && is(event))?.at;
    return at === undefined ? '–' : inWords(at - troubledAt);
  };
  const became = (type, to) => (event) => event.type === type && event.payload.to === to;
  return [
    role,
    `${agentId}, ${what}`,
    first(({ type, payload }) => type === 'FINDING_RAISED' && payload.kind === 'no-pong'),
    first(became('LIVENESS_CHANGED', 'unknown')),
    first(({ type }) => type === 'AGENT_RETURNED'),
    first(became('HEALTH_STATE_CHANGED', 'FAILING')),
    first(({ type }) => type === 'ESCALATION_TRIGGERED'),
  ];
}

function inWords(ms) {
  const seconds = Math.round(ms / 1_000);
  return seconds < 120 ? `${seconds} s` : `${(seconds / 60).toFixed(1)} min`;
}

const load = loadavg()[0].toFixed(1);
const measured = await Promise.all(ROLES.map(measure));
const columns = ['role', 'agent', 'a ping missed', 'asked', 'heard again', 'FAILING', 'a person told'];
console.log(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`);
for (const { rows } of measured) for (const row of rows) console.log(`| ${row.join(' | ')} |`);
console.log(`a letter to a name that nobody has: ${measured.map(({ refused }) => refused).join(', ')}`);
console.log(`load ${load} at the beginning, ${loadavg()[0].toFixed(1)} at the end`);

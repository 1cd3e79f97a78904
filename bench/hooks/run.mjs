// `npm run bench:hooks`: how long a hook of Claude Code waits for its reply, with 100 agents at work at once on
// a real server with its SQLite store. The goal is a p99 below 10 ms, so that watching does not slow agents.
// The load comes from this process, the server is another one. Every hook is also posted to a bare node:http
// server at the same time: the time that it needs is not caused by Holter.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const AGENTS = Number(process.env.BENCH_AGENTS ?? 100);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
/** A busy agent makes a call every two seconds, since its model thinks in between. Each call is three hooks. */
const CALL_EVERY_MS = 2_000;
const GOAL_MS = 10;

const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'holter-bench-hooks-'));
const main = new URL('../../packages/holter/dist/main.js', import.meta.url).pathname;
const server = spawn(
  process.execPath,
  [main, 'up', '--port', '0', '--data', join(folder, 'data'), '--log-level', 'silent'],
  { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env.PATH, HOME: folder } },
);

const bare = spawn(
  process.execPath,
  [
    '-e',
    `const s = require('node:http').createServer((q, r) => q.resume().once('end', () => r.end('{}')));
     s.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + s.address().port));`,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);

try {
  const url = await addressOf(server);
  const bareUrl = await addressOf(bare);
  const token = readFileSync(join(folder, 'data', 'enroll.token'), 'utf8').trim();
  const http = new Agent({ keepAlive: true, maxSockets: AGENTS });
  const bareHttp = new Agent({ keepAlive: true, maxSockets: AGENTS });
  const post = poster(url, token, http);
  const postBare = poster(bareUrl, token, bareHttp);
  const sessions = Array.from({ length: AGENTS }, () => randomUUID());
  for (const session of sessions) await post(session, 'UserPromptSubmit', { prompt: 'work' });
  const times = [];
  const bareTimes = [];
  const postBoth = async (...hook) => {
    times.push(await post(...hook));
    bareTimes.push(await postBare(...hook));
  };
  const cpuBefore = cpuMsOf(server.pid);
  const endAt = performance.now() + SECONDS * 1_000;
  await Promise.all(sessions.map((session, index) => work(session, index, endAt, postBoth)));
  const percentiles = (list) => {
    list.sort((a, b) => a - b);
    return (share) => list[Math.min(list.length - 1, Math.floor(list.length * share))].toFixed(2);
  };
  const at = percentiles(times);
  const bareAt = percentiles(bareTimes);
  const perSecond = Math.round(times.length / SECONDS);
  const cpu = ((cpuMsOf(server.pid) - cpuBefore) / times.length).toFixed(2);
  process.stdout.write(
    `${AGENTS} agents, ${times.length} hooks in ${SECONDS} s (${perSecond}/s): ` +
      `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms, ${cpu} ms CPU of the server per hook (goal: p99 < ${GOAL_MS} ms)\n` +
      `a bare server beside it: p50 ${bareAt(0.5)} ms, p99 ${bareAt(0.99)} ms, max ${bareAt(1)} ms\n`,
  );
  if (Number(at(0.99)) >= GOAL_MS) process.exitCode = 1;
  http.destroy();
  bareHttp.destroy();
} finally {
  for (const child of [server, bare]) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}

/** The CPU time of the server so far, including its threads. NaN on systems other than Linux. */
function cpuMsOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

/** One agent: a call, its end, the end of its batch, then a pause. */
async function work(session, index, endAt, post) {
  await sleep((index / AGENTS) * CALL_EVERY_MS);
  for (let n = 0; performance.now() < endAt; n++) {
    const began = performance.now();
    const call = {
      tool_name: 'Bash',
      tool_input: { command: `make part-${index}-${n}` },
      tool_use_id: `toolu_${index}_${n}`,
    };
    const tool_response = { stdout: `part ${index} ${n} `.repeat(200), stderr: '' };
    await post(session, 'PreToolUse', call);
    await post(session, 'PostToolUse', { ...call, tool_response });
    await post(session, 'PostToolBatch', { tool_calls: [{ ...call, tool_response: 'ok' }] });
    await sleep(Math.max(0, began + CALL_EVERY_MS - performance.now()));
  }
}

function poster(url, token, agent) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (session_id, hook_event_name, fields) =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      const sent = request(`${url}/hooks/claude-code`, { method: 'POST', agent, headers }, (reply) => {
        reply.resume();
        reply.once('end', () => {
          if (reply.statusCode === 200) resolve(performance.now() - began);
          else reject(new Error(`a hook was answered ${reply.statusCode}`));
        });
      });
      sent.once('error', reject);
      sent.end(JSON.stringify({ session_id, hook_event_name, cwd: '/home/dev/shop', ...fields }));
    });
}

async function addressOf(child) {
  for await (const chunk of child.stdout) {
    const found = /http:\/\/\S+/.exec(String(chunk))?.[0];
    if (found) return found;
  }
  throw new Error('the server did not come up');
}

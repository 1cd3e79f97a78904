// `node bench/top/run.mjs [AGENTS] [SECONDS]`: the CPU time of `holter top` in tmux, at 80×24 and at 200×50, while 1,000
// agents beat and call, and how much it writes to the terminal. Exit 1 above 5 % of a core.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [agents = 1_000, seconds = 60] = process.argv.slice(2).map(Number);
const SHARE_MAX = 0.05;
/** Each agent beats twice a minute, and some fifty calls begin and end in a second. */
const BEAT_S = 30;
const CALLS = 50;
const bin = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  '..',
  'packages',
  'holter',
  'dist',
  'main.js',
);
const folder = mkdtempSync(join(tmpdir(), 'holter-bench-top-'));
const socket = `holter-bench-${process.pid}`;
const env = { PATH: process.env.PATH, HOME: folder, HOLTER_DATA: join(folder, 'data'), LANG: 'C.UTF-8' };
const tmux = (...args) =>
  execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env }).trim();

/** Seconds of CPU time since its start. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop().split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const writtenBy = (pid) => Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))[1]);

async function measure(pid) {
  const [cpu, bytes, startedAt] = [cpuOf(pid), writtenBy(pid), performance.now()];
  await pause(seconds * 1_000);
  const elapsed = (performance.now() - startedAt) / 1_000;
  return { share: (cpuOf(pid) - cpu) / elapsed, bytes: (writtenBy(pid) - bytes) / elapsed };
}

const server = spawn(process.execPath, [bin, 'up', '--port', '0'], {
  env,
  stdio: ['ignore', 'pipe', 'ignore'],
});
let isDone = false;
try {
  const url = await new Promise((resolve) =>
    server.stdout.on('data', (chunk) => {
      const found = /https?:\/\/\S+/.exec(String(chunk))?.[0];
      if (found) resolve(found);
    }),
  );
  const token = readFileSync(join(folder, 'data', 'operator.token'), 'utf8').trim();
  const post = async (path, body, type = 'application/json') => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.text();
  };
  const name = (index) => `worker-${index}`;
  const promises = { beatEverySeconds: BEAT_S, calls: true };
  for (let index = 0; index < agents; index += 1)
    await post('/v1/agents', JSON.stringify({ agentId: name(index), instanceId: 'one', promises }));
  let calls = 0;
  const load = (async () => {
    for (let second = 0; !isDone; second += 1) {
      const lines = [];
      for (let index = second % BEAT_S; index < agents; index += BEAT_S)
        lines.push({ agentId: name(index), incarnation: 1, kind: 'heartbeat', phase: `step ${second}` });
      for (let count = 0; count < CALLS; count += 1) {
        calls += 1;
        const call = {
          agentId: name((calls * 7) % agents),
          incarnation: 1,
          callId: `c${calls}`,
          tool: 'Bash',
        };
        const input = { command: `echo ${calls}` };
        lines.push(
          { ...call, kind: 'call-begun', input },
          { ...call, kind: 'call-ended', input, output: 'ok', isError: calls % 11 === 0 },
        );
      }
      await post('/v1/signals', lines.map((line) => JSON.stringify(line)).join('\n'), 'application/x-ndjson');
      await pause(1_000);
    }
  })();
  console.log(`${agents} agents, ${seconds} s, load ${loadavg()[0].toFixed(1)}`);
  for (const [columns, rows] of [
    [80, 24],
    [200, 50],
  ]) {
    const size = ['-x', String(columns), '-y', String(rows)];
    tmux('new-session', '-d', '-s', 'top', ...size, process.execPath, bin, 'top');
    await pause(5_000);
    const pid = Number(tmux('display-message', '-p', '-t', 'top', '#{pane_pid}'));
    const { share, bytes } = await measure(pid);
    const line = `${(share * 100).toFixed(2)} % of a core, ${(bytes / 1_000).toFixed(1)} kB/s written`;
    console.log(`${columns}×${rows}  ${line}`);
    if (share > SHARE_MAX) process.exitCode = 1;
    tmux('send-keys', '-t', 'top', 'q');
    await pause(1_000);
  }
  isDone = true;
  await load;
} finally {
  isDone = true;
  const ended = new Promise((resolve) => server.once('close', resolve));
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

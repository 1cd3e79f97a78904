// The worst late tick of a server whose agents put FIFOs, devices, links, huge files and hostile lines where it
// looks, beside the same sessions with ordinary files.
// usage: node bench/hostile-files/run.mjs [SECONDS] [CHECKOUT]      another checkout has to be built
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const seconds = Number(process.argv[2] ?? 20);
const root = resolve(process.argv[3] ?? fileURLToPath(new URL('../..', import.meta.url)));
const SESSIONS = 24;
const NO_ANSWER_MS = 10_000;

const fifo = (path) => execFileSync('mkfifo', [path]);
const sparse = (path) => {
  writeFileSync(path, '');
  truncateSync(path, 10 * 1024 ** 3);
};
const kinds = [fifo, (path) => symlinkSync('/dev/zero', path), sparse, (path) => mkdirSync(path)];
const sessionId = (n) => `${String(n).padStart(8, '0')}-d51f-4305-9248-db9d38df8039`;
/** As slow to parse as a line can be: half opens, half closes. */
const nested = `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}\n`;
const plain = `${JSON.stringify({ type: 'user', message: { content: 'go on' } })}\n`;

async function measure(isHostile) {
  const folder = mkdtempSync(join(tmpdir(), 'holter-hostile-'));
  const projects = join(folder, '.claude', 'projects', '-p');
  const sessions = join(folder, '.claude', 'sessions');
  for (const each of [projects, sessions]) mkdirSync(each, { recursive: true });
  const transcripts = Array.from({ length: SESSIONS }, (_, n) => join(projects, `${sessionId(n)}.jsonl`));
  for (const [n, path] of transcripts.entries()) {
    // Every fifth is a file, and gets hostile lines.
    if (isHostile && n % 5 < 4) kinds[n % 5](path);
    else writeFileSync(path, '');
    if (isHostile) kinds[n % 4](join(sessions, `${n + 1}.json`));
  }
  const env = { PATH: process.env.PATH, HOME: folder, HOLTER_DATA: join(folder, 'data') };
  const main = join(root, 'packages', 'holter', 'dist', 'main.js');
  const server = spawn(process.execPath, [main, 'up', '--port', '0', '--log-level', 'silent'], {
    cwd: folder,
    env,
  });
  const [line] = await once(server.stdout, 'data');
  const url = /http:\/\/\S+/.exec(String(line))[0];
  const token = readFileSync(join(folder, 'data', 'enroll.token'), 'utf8').trim();
  const ask = (path, options) =>
    fetch(`${url}${path}`, { ...options, signal: AbortSignal.timeout(NO_ANSWER_MS) });
  const hook = (n) =>
    ask('/hooks/claude-code', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: gzipSync(
        JSON.stringify({
          session_id: sessionId(n),
          transcript_path: transcripts[n],
          cwd: '/p',
          hook_event_name: 'UserPromptSubmit',
          prompt: 'go on',
        }),
      ),
    });
  const worst = { tickMs: 0, answerMs: 0, isLost: false };
  try {
    for (const until = Date.now() + seconds * 1_000; Date.now() < until; await pause(50)) {
      const from = performance.now();
      await Promise.all(transcripts.map((_, n) => hook(n)));
      const { tickLagMs } = await (await ask('/health')).json();
      worst.answerMs = Math.max(worst.answerMs, performance.now() - from);
      worst.tickMs = Math.max(worst.tickMs, tickLagMs);
      for (const [n, path] of transcripts.entries())
        if (n % 5 === 4) appendFileSync(path, isHostile ? nested : plain);
    }
  } catch {
    worst.isLost = true;
  } finally {
    server.kill('SIGKILL');
    await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
  return worst;
}

for (const [name, isHostile] of [
  ['ordinary files', false],
  ['hostile files', true],
]) {
  const { tickMs, answerMs, isLost } = await measure(isHostile);
  const lost = isLost ? `; no answer within ${NO_ANSWER_MS / 1_000} s` : '';
  console.log(
    `${name.padEnd(16)} worst late tick ${tickMs} ms, ${SESSIONS} hooks and /health answered within ${Math.round(answerMs)} ms${lost}`,
  );
}

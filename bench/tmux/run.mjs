// `node bench/tmux/run.mjs [PANES] [SECONDS]`: the CPU time of `holter tmux watch`, of its Holter server and of the
// tmux server, with 100 panes whose agents all work; and of the tmux server alone before. Exit 1 above 2 % of a core.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [panes = 100, seconds = 60] = process.argv.slice(2).map(Number);
const SHARE_MAX = 0.02;
const here = dirname(fileURLToPath(import.meta.url));
const bin = join(here, '..', '..', 'packages', 'holter', 'dist', 'main.js');
const folder = mkdtempSync(join(tmpdir(), 'holter-bench-tmux-'));
const socket = `holter-bench-${process.pid}`;
const env = { PATH: process.env.PATH, HOME: folder, HOLTER_DATA: join(folder, 'data'), LANG: 'C.UTF-8' };
const tmux = (...args) =>
  execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env }).trim();

/** Seconds of CPU time since its start. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop().split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function shareOf(...pids) {
  const before = pids.map(cpuOf);
  const startedAt = performance.now();
  await pause(seconds * 1_000);
  const elapsed = (performance.now() - startedAt) / 1_000;
  return pids.map((pid, index) => (cpuOf(pid) - before[index]) / elapsed);
}

const percent = (share) => `${(share * 100).toFixed(2)} %`;
let watch = null;
try {
  for (let pane = 0; pane < panes; pane += 1) {
    tmux('new-session', '-d', '-s', `s${pane}`, '-x', '120', '-y', '40', 'env', join(here, 'claude'));
    // tmux 3.3a has crashed when many panes were started back to back.
    await pause(50);
  }
  const tmuxPid = Number(tmux('display-message', '-p', '#{pid}'));
  const [alone] = await shareOf(tmuxPid);
  watch = spawn(process.execPath, [bin, 'tmux', 'watch', '--socket', socket], { env });
  let said = '';
  watch.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const watched = () => said.split(' is watched: ').length - 1;
  for (const deadline = Date.now() + 120_000; watched() < panes; await pause(500))
    if (Date.now() > deadline) throw new Error(`only ${watched()} of ${panes} panes are watched\n${said}`);
  await pause(10_000);
  const server = JSON.parse(readFileSync(join(env.HOLTER_DATA, 'server.json'), 'utf8'));
  const [own, holter, beside] = await shareOf(watch.pid, server.pid, tmuxPid);
  console.log(`${panes} panes, ${seconds} s, load ${loadavg()[0].toFixed(1)}`);
  console.log(`holter tmux watch  ${percent(own)} of a core`);
  console.log(`Holter server      ${percent(holter)}`);
  console.log(`tmux server        ${percent(beside)}, ${percent(alone)} without the watch`);
  if (own > SHARE_MAX) process.exitCode = 1;
} finally {
  if (watch) {
    const ended = new Promise((resolve) => watch.once('close', resolve));
    watch.kill('SIGTERM');
    await ended;
    execFileSync(process.execPath, [bin, 'down'], { env, stdio: 'ignore' });
  }
  for (const name of tmux('list-sessions', '-F', '#{session_name}').split('\n'))
    tmux('kill-session', '-t', `=${name}`);
  rmSync(folder, { recursive: true, force: true });
}

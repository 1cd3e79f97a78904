// `node bench/town/run.mjs [MINUTES]`: the CPU time of an idle town with the real tmux: the daemon, Boot's triages,
// which it starts and waits for, and Holter's own Deacon. Begins when the first tick is over, and lasts so many minutes
// (20). Exit 1 above 0.2 % of a core. The Holter server is shown beside them.
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const minutes = Number(process.argv[2] ?? 20);
const SHARE_MAX = 0.002;
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const bin = join(root, 'packages', 'holter', 'dist', 'main.js');
const folder = mkdtempSync(join(tmpdir(), 'holter-bench-town-'));
const town = join(folder, 'town');
const socket = `holter-bench-${process.pid}`;
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  XDG_CONFIG_HOME: folder,
  HOLTER_DATA: join(folder, 'data'),
  LANG: 'C.UTF-8',
};
const holter = (...args) => execFileSync(process.execPath, [bin, ...args], { env, encoding: 'utf8' });
const tmux = (...args) => execFileSync('tmux', ['-L', socket, ...args], { env, encoding: 'utf8' }).trim();

/** Seconds of CPU time of a process, and of the children that it has waited for. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop().split(' ').map(Number);
  return { own: (fields[11] + fields[12]) / 100, children: (fields[13] + fields[14]) / 100 };
}

/** A process and all below it that are there now. */
function treeOf(pid) {
  const below = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...below.flatMap(treeOf)];
}

async function until(what, find) {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await pause(250)) {
    const found = find();
    if (found) return found;
  }
  throw new Error(`never came: ${what}`);
}

mkdirSync(join(folder, 'holter'));
writeFileSync(join(folder, 'holter', 'holter.yaml'), JSON.stringify({ town: { socket } }));
holter('up', '--detach');
holter('town', 'init', town);
const daemon = spawn(process.execPath, [bin, 'daemon', '--town', town], { env, stdio: 'ignore' });
try {
  await until('the heartbeat of the Deacon', () => existsSync(join(town, 'deacon', 'heartbeat.json')));
  const status = join(town, 'deacon', 'dogs', 'boot', '.boot-status.json');
  await until("Boot's first triage", () => existsSync(status));
  await pause(10_000);
  const server = JSON.parse(readFileSync(join(env.HOLTER_DATA, 'server.json'), 'utf8')).pid;
  const deacon = treeOf(Number(tmux('list-panes', '-t', '=hq-deacon:', '-F', '#{pane_pid}')));
  const look = () => ({
    daemon: cpuOf(daemon.pid).own,
    "Boot's triages": cpuOf(daemon.pid).children,
    Deacon: deacon.reduce((sum, pid) => sum + cpuOf(pid).own + cpuOf(pid).children, 0),
    'Holter server': cpuOf(server).own,
  });
  const before = look();
  const startedAt = performance.now();
  await pause(minutes * 60_000);
  const elapsed = (performance.now() - startedAt) / 1_000;
  const after = look();
  let chain = 0;
  for (const [name, seconds] of Object.entries(after)) {
    const used = seconds - before[name];
    if (name !== 'Holter server') chain += used;
    console.log(
      `${name.padEnd(16)}${used.toFixed(2).padStart(7)} s   ${((100 * used) / elapsed).toFixed(3)} %`,
    );
  }
  const { ticks } = JSON.parse(readFileSync(join(town, 'daemon', 'state.json'), 'utf8'));
  console.log(
    `the chain: ${((100 * chain) / elapsed).toFixed(3)} % of a core, ${Math.round(elapsed)} s, ${ticks} ticks, load ${loadavg()[0].toFixed(1)}`,
  );
  if (chain / elapsed > SHARE_MAX) process.exitCode = 1;
} finally {
  const ended = new Promise((resolve) => daemon.once('close', resolve));
  daemon.kill('SIGTERM');
  await ended;
  holter('session', 'kill', 'hq-deacon', '--town', town, '--socket', socket);
  holter('down');
  rmSync(folder, { recursive: true, force: true });
}

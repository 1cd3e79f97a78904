// What `holter run` costs: CPU and memory of the run alone (the server counted apart), and pipe throughput.
// node bench/run-overhead/run.mjs [--seconds 30] [--megabytes 1000]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, megabytes: { type: 'string', default: '1000' } },
});
const seconds = Number(values.seconds);
const megabytes = Number(values.megabytes);
const here = dirname(fileURLToPath(import.meta.url));
const holter = join(here, '..', '..', 'packages', 'holter', 'dist', 'main.js');
const folder = mkdtempSync(join(tmpdir(), 'bench-run-overhead-'));
const env = { ...process.env, HOME: folder, HOLTER_DATA: join(folder, 'data') };
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** CPU in ms and resident memory in MB, as the system counts them. */
function cost(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const memory = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, mb: Number(memory?.[1]) / 1024 };
}

/** A child that works a little and prints a line a second, as agents do. */
async function measureIdle() {
  const script = 'while :; do echo tick; sleep 1; done';
  const run = spawn(process.execPath, [holter, 'run', '--', 'sh', '-c', script], { env, stdio: 'ignore' });
  await sleep(8_000);
  const server = JSON.parse(readFileSync(join(folder, 'data', 'server.json'), 'utf8'));
  const [runBefore, serverBefore] = [cost(run.pid), cost(server.pid)];
  await sleep(seconds * 1_000);
  const [runAfter, serverAfter] = [cost(run.pid), cost(server.pid)];
  run.kill('SIGTERM');
  const share = (before, after) => (100 * (after.cpuMs - before.cpuMs)) / (seconds * 1_000);
  return {
    runCpuPercent: share(runBefore, runAfter),
    runMb: runAfter.mb,
    serverCpuPercent: share(serverBefore, serverAfter),
    serverMb: serverAfter.mb,
  };
}

function throughput(name, command) {
  const make = `head -c ${megabytes * 1_000_000} /dev/zero`;
  const startedAt = performance.now();
  spawnSync('sh', ['-c', command(make)], { env, stdio: 'ignore' });
  const ms = performance.now() - startedAt;
  return { name, megabytes, mbPerSecond: Math.round((megabytes * 1_000) / ms) };
}

const idle = await measureIdle();
const pipes = [
  throughput('cat', (make) => `sh -c '${make}' | cat | cat > /dev/null`),
  throughput(
    'holter run',
    (make) => `${process.execPath} ${holter} run -- sh -c '${make}' | cat > /dev/null`,
  ),
];
console.table([idle]);
console.table(pipes);
console.log(JSON.stringify({ bench: 'run-overhead', seconds, idle, pipes }));
process.kill(JSON.parse(readFileSync(join(folder, 'data', 'server.json'), 'utf8')).pid, 'SIGTERM');
await sleep(1_000);
rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });

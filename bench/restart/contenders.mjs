import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const holter = join(here, '..', '..', 'packages', 'holter', 'dist', 'main.js');
export const agent = join(here, 'agent.mjs');

/** Each starts the agent under a supervisor and returns a function that ends both; null if it is not available. */
export const contenders = {
  'shell loop': (folder, args) => {
    const loop = 'while :; do "$@"; done';
    const shell = spawn('sh', ['-c', loop, 'loop', process.execPath, agent, ...args], {
      stdio: 'ignore',
      cwd: folder,
    });
    return () => shell.kill('SIGKILL');
  },

  pm2: (folder, args) => {
    const bin = install(folder, 'pm2', () => {
      const npm = ['install', '--prefix', folder, 'pm2', '--ignore-scripts', '--no-audit', '--no-fund'];
      spawnSync('npm', npm, { stdio: 'ignore', timeout: 180_000 });
      return join(folder, 'node_modules', '.bin', 'pm2');
    });
    if (!bin) return null;
    const env = { ...process.env, PM2_HOME: join(folder, 'home') };
    const pm2 = (...words) => spawnSync(bin, words, { env, stdio: 'ignore', cwd: folder, timeout: 60_000 });
    pm2('start', agent, '--name', 'agent', '--restart-delay', '0', '--', ...args);
    return () => void pm2('kill');
  },

  supervisord: (folder, args) => {
    const root = join(folder, 'root');
    const script = install(folder, 'supervisord', () => {
      mkdirSync(root, { recursive: true });
      const fetch =
        'apt-get download supervisor python3-pkg-resources && for f in *.deb; do dpkg -x "$f" root; done';
      spawnSync('sh', ['-c', fetch], { cwd: folder, stdio: 'ignore', timeout: 180_000 });
      return join(root, 'usr', 'bin', 'supervisord');
    });
    if (!script) return null;
    const config = join(folder, 'supervisord.conf');
    const command = [process.execPath, agent, ...args].join(' ');
    writeFileSync(
      config,
      `[supervisord]\nnodaemon=true\nlogfile=/dev/null\nlogfile_maxbytes=0\npidfile=${folder}/s.pid\n` +
        `[program:agent]\ncommand=${command}\nautorestart=true\nstartsecs=0\nstartretries=1000\n`,
    );
    const env = { ...process.env, PYTHONPATH: join(root, 'usr', 'lib', 'python3', 'dist-packages') };
    const daemon = spawn('/usr/bin/python3', [script, '-c', config], { env, stdio: 'ignore', cwd: folder });
    return () => daemon.kill('SIGTERM');
  },

  holter: (folder, args) => {
    const [state] = args;
    const config = join(folder, 'holter.yaml');
    writeFileSync(
      config,
      'health_monitoring:\n  recovery: { backoff_seconds: [0], max_attempts_per_task: 20, max_attempts_per_hour: 60 }\n' +
        '  circuit_breaker: { default: { failure_threshold: 1000 } }\n' +
        'fleet:\n  brake: { losses_min: 1000 }\n  budgets: { start: { per_minute: 1000, burst: 1000 } }\n',
    );
    const env = { ...process.env, HOME: folder, HOLTER_DATA: join(folder, 'data'), HOLTER_CONFIG: config };
    const words = [
      holter,
      'run',
      '--no-daemon',
      '--checkpoint-file',
      state,
      '--',
      process.execPath,
      agent,
      ...args,
    ];
    // With the server inside or in the background, the decision takes the same way, over HTTP and SQLite.
    if (process.argv.includes('--daemon')) words.splice(2, 1);
    const run = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'], cwd: folder });
    return () => run.kill('SIGTERM');
  },
};

function install(folder, name, make) {
  const path = make();
  if (existsSync(path)) return path;
  console.error(`${name} can't be installed into ${folder}: left out`);
  return null;
}

// A PostgreSQL of its own for tests and benchmarks, in a temporary folder, on a free port of the loopback. It ends with the
// process that started it, even if that is killed. PostgreSQL refuses to run as root: root starts it as another user.

import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { find } from './system-packages.mjs';

const USER = 'holter';

/** What a test needs to know beside the defaults: it runs on small machines, beside others. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  log_min_messages: 'warning',
};

/** Only for data that may be lost with the machine: a crash of PostgreSQL alone loses nothing. */
const FAST = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/**
 * Starts PostgreSQL, or returns null where it is not installed. `isDurable` keeps what a crash of the machine must not
 * lose, as in production. `env` is added to its environment.
 */
export async function startPostgres({ isDurable = false, env = {} } = {}) {
  const program = find('postgresql');
  if (program === null) return null;
  const folder = mkdtempSync(join(reachableFolder(), 'holter-postgres-'));
  const owner = unprivilegedUser();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const postgres = new Postgres(program, folder, owner, env);
  try {
    postgres.create(isDurable ? SETTINGS : { ...SETTINGS, ...FAST });
    for (let tries = 1; !(await postgres.start(await freePort())); tries += 1)
      if (tries === 5) throw new Error(`PostgreSQL does not start: ${postgres.log()}`);
  } catch (error) {
    await postgres.dispose();
    throw error;
  }
  return postgres;
}

class Postgres {
  #program;
  #owner;
  #password;
  #guard = null;
  #env;

  constructor(program, folder, owner, env, password = randomBytes(12).toString('hex')) {
    this.#env = env;
    this.#password = password;
    this.#program = program;
    this.#owner = owner;
    this.folder = folder;
  }

  /** The address of a database; `postgres` exists from the start. */
  url(database = 'postgres') {
    return `postgres://${USER}:${this.#password}@127.0.0.1:${this.port}/${database}`;
  }

  get #data() {
    return join(this.folder, 'data');
  }

  get #options() {
    // The checkout may be in a folder that the other user may not enter.
    return { cwd: '/', ...this.#owner, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', ...this.#env } };
  }

  create(settings) {
    const passwordFile = join(this.folder, 'password');
    writeFileSync(passwordFile, this.#password);
    if (this.#owner) chownSync(passwordFile, this.#owner.uid, this.#owner.gid);
    const args = [
      '-D',
      this.#data,
      '-U',
      USER,
      `--pwfile=${passwordFile}`,
      '-A',
      'scram-sha-256',
      '--no-sync',
    ];
    args.push('--encoding=UTF8', ...localeOf(this.#program));
    const made = spawnSync(join(dirname(this.#program), 'initdb'), args, {
      ...this.#options,
      encoding: 'utf8',
    });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr ?? made.error}`);
    const lines = Object.entries(settings).map(([key, value]) => `${key} = '${value}'\n`);
    writeFileSync(join(this.#data, 'postgresql.conf'), lines.join(''), { flag: 'a' });
  }

  /** After `stop`: again, with the same data. False if the port is taken. */
  async start(port = this.port) {
    this.port = port;
    const logged = this.log().length;
    this.#guard = new Guarded(
      [this.#program, '-D', this.#data, '-p', String(port)],
      this.folder,
      this.#options,
    );
    const deadline = Date.now() + 60_000;
    while (!this.#isReady()) {
      const isTaken = this.log().includes('could not create any TCP/IP sockets', logged);
      if (isTaken || Date.now() > deadline) {
        await this.stop('QUIT');
        return false;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return true;
  }

  /** `INT` ends connections and writes everything; `QUIT` is a crash of PostgreSQL, `KILL` one without any goodbye. */
  async stop(how = 'INT') {
    const guard = this.#guard;
    this.#guard = null;
    await guard?.stop(how);
  }

  /**
   * A standby in a folder of its own. From now on a commit is acknowledged when the standby has it too, so that none is
   * lost when the standby is promoted.
   */
  async startStandby() {
    const folder = mkdtempSync(join(reachableFolder(), 'holter-postgres-'));
    if (this.#owner) chownSync(folder, this.#owner.uid, this.#owner.gid);
    const standby = new Postgres(this.#program, folder, this.#owner, this.#env, this.#password);
    const copy = spawn(
      join(dirname(realpathSync(this.#program)), 'pg_basebackup'),
      ['-D', standby.#data, '-d', this.url(), '-R', '--checkpoint=fast'],
      { ...this.#options, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const [code] = await once(copy, 'exit');
    if (code !== 0) throw new Error('pg_basebackup failed');
    while (!(await standby.start(await freePort())));
    await this.query("alter system set synchronous_standby_names = '*'");
    await this.query('select pg_reload_conf()');
    return standby;
  }

  async query(text) {
    const client = new pg.Client(this.url());
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async dispose() {
    await this.stop('QUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The process that all others of this PostgreSQL descend from. */
  get pid() {
    return Number(this.#pidFile()[0]);
  }

  /** `SIGSTOP` freezes it with all its processes, `SIGCONT` lets it go on. */
  signal(name) {
    const children = read(`/proc/${this.pid}/task/${this.pid}/children`).trim().split(' ').filter(Boolean);
    for (const pid of [this.pid, ...children.map(Number)]) process.kill(pid, name);
  }

  log() {
    return read(join(this.folder, 'log'));
  }

  #pidFile() {
    return read(join(this.#data, 'postmaster.pid')).split('\n');
  }

  #isReady() {
    return ['ready', 'standby'].includes(this.#pidFile()[7]?.trim());
  }
}

/** A program that ends with this process at the latest, and its folder with it. Its output goes to `log` in the folder. */
export class Guarded {
  #shell;

  constructor(command, folder, options) {
    // The shell reads how to stop from its input, which ends with this process.
    const script = `folder=$1; shift; "$@" </dev/null >>"$folder/log" 2>&1 & program=$!
      if read -r how; then kill -"$how" $program; wait $program
      else kill -QUIT $program; wait $program; rm -rf "$folder"; fi`;
    this.#shell = spawn('sh', ['-c', script, 'sh', folder, ...command], {
      ...options,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#shell.stdin.on('error', () => undefined);
  }

  async stop(how) {
    const ended = once(this.#shell, 'exit');
    this.#shell.stdin.end(`${how}\n`);
    await ended;
  }
}

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** A locale that sorts and compares unlike bytes, so that tests find a query that depends on it. */
function localeOf(program) {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const major = Number(/\d+/.exec(stdout ?? '')?.[0] ?? 0);
  return ['--locale=C.UTF-8', ...(major >= 15 ? ['--locale-provider=icu', '--icu-locale=en-US'] : [])];
}

/** Null unless this process is root. */
export function unprivilegedUser() {
  if (process.getuid?.() !== 0) return null;
  const users = new Map(
    read('/etc/passwd')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  );
  const user = users.get('postgres') ?? users.get('nobody');
  if (!user)
    throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody');
  return user;
}

/** The temporary folder, if every user may enter it. */
export function reachableFolder() {
  for (let folder = tmpdir(); folder !== dirname(folder); folder = dirname(folder))
    if ((statSync(folder).mode & 0o001) === 0) return '/tmp';
  return tmpdir();
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

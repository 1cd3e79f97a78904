// pgbouncer in transaction mode in front of a PostgreSQL, in a temporary folder, on a free port of the loopback. It ends
// with the process that started it. It refuses to run as root, as PostgreSQL does.

import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort, Guarded, reachableFolder, unprivilegedUser } from './postgres.mjs';
import { ensure } from './system-packages.mjs';

/** Fewer connections than the servers ask for, so that their transactions really share them. */
const POOL = 6;

/** Null where it is not installed and can't be. */
export async function startPgbouncer(postgres) {
  const program = ensure('pgbouncer');
  if (program === null) return null;
  const pgbouncer = new Pgbouncer(program, postgres.url(), await freePort());
  await pgbouncer.start();
  return pgbouncer;
}

class Pgbouncer {
  #program;
  #owner = unprivilegedUser();
  #folder = mkdtempSync(join(reachableFolder(), 'holter-pgbouncer-'));
  #guard = null;

  constructor(program, postgresUrl, port) {
    this.#program = program;
    this.port = port;
    const { username, password, hostname, port: postgresPort, pathname } = new URL(postgresUrl);
    const name = pathname.slice(1);
    this.#write('users', `"${username}" "${password}"\n`);
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'plain',
      auth_file: join(this.#folder, 'users'),
      pool_mode: 'transaction',
      default_pool_size: POOL,
      max_client_conn: 500,
      server_login_retry: 1,
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
    this.#write(
      'pgbouncer.ini',
      `[databases]\n${name} = host=${hostname} port=${postgresPort}\n[pgbouncer]\n${lines.join('\n')}\n`,
    );
    if (this.#owner) chownSync(this.#folder, this.#owner.uid, this.#owner.gid);
  }

  async start() {
    const options = { cwd: '/', ...this.#owner };
    this.#guard = new Guarded([this.#program, join(this.#folder, 'pgbouncer.ini')], this.#folder, options);
    while (!(await isListening(this.port))) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Cuts all connections. */
  async stop() {
    await this.#guard?.stop('KILL');
    this.#guard = null;
  }

  async dispose() {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(name, text) {
    const path = join(this.#folder, name);
    writeFileSync(path, text);
    if (this.#owner) chownSync(path, this.#owner.uid, this.#owner.gid);
  }
}

const isListening = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

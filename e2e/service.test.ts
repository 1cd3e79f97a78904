import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bin, cleanEnvironment, freePort } from './holter-process.ts';
import { isThere, until } from './run/kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-service-'));
afterAll(async () => {
  await holter('down');
  rmSync(folder, { recursive: true, force: true });
});

type Ran = { readonly code: number; readonly out: string; readonly err: string };

const more: Record<string, string> = {};

const holter = (...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const options = { cwd: folder, env: cleanEnvironment(folder, more) };
    execFile(process.execPath, [bin, ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

const server = (): { readonly pid: number; readonly url: string } =>
  JSON.parse(readFileSync(join(folder, 'data', 'server.json'), 'utf8'));

it('up --detach starts one server that stays, and down stops it', async () => {
  const first = await holter('up', '--detach');
  expect(first).toMatchObject({ code: 0, out: `Holter is listening on ${server().url}\n` });
  const { pid } = server();
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('--stay');
  expect((await holter('up', '--detach')).out).toBe(first.out);
  expect(server().pid).toBe(pid);
  expect(await holter('down')).toMatchObject({ code: 0, out: expect.stringContaining(`(pid ${pid})`) });
  expect(isThere(pid)).toBe(false);
  expect(await holter('down')).toMatchObject({ code: 0, out: expect.stringContaining('no server runs') });
});

it('up --detach keeps a server that a run has started, and takes a port', async () => {
  const main = join(dirname(bin), 'run', 'main.js');
  const port = await freePort();
  const args = [
    main,
    'daemon',
    '--data',
    join(folder, 'data'),
    '--idle-seconds',
    '600',
    '--port',
    String(port),
  ];
  const daemon = spawn(process.execPath, args, { env: cleanEnvironment(folder), stdio: 'ignore' });
  await until('it is up', () => existsSync(join(folder, 'data', 'server.json')));
  expect(await holter('up', '--detach', '--port', String(port))).toMatchObject({
    code: 0,
    out: `Holter is listening on http://127.0.0.1:${port}\n`,
  });
  expect(await holter('up', '--detach', '--port', '1')).toMatchObject({
    code: 1,
    err: expect.stringContaining(`listens on http://127.0.0.1:${port} already, not on port 1`),
  });
  const second = await holter('up', '--detach', '--port', String(port), '--data', join(folder, 'other'));
  expect(second).toMatchObject({ code: 1, out: '' });
  expect(second.err).toMatch(
    /^holter: the server in the background did not start: port \d+ on 127\.0\.0\.1 is taken by another program\n {2}next: its log: .*server\.log\n$/,
  );
  expect(server().pid).toBe(daemon.pid);
  expect(readFileSync(join(folder, 'data', 'stay'), 'utf8')).toBe(`${daemon.pid}\n`);
  await holter('down');
  expect(existsSync(join(folder, 'data', 'stay'))).toBe(false);
});

it('a server in the background has the variables that its configuration names, and no other secrets', async () => {
  mkdirSync(join(folder, 'holter'));
  const config = join(folder, 'holter', 'holter.yaml');
  writeFileSync(config, 'dead_man_ping: { url_env: OUTSIDE, every: 1h }\n');
  Object.assign(more, { OUTSIDE: 'http://127.0.0.1:9/ping', OTHER_KEY: 'x' });
  expect(await holter('up', '--detach')).toMatchObject({ code: 0 });
  const environment = readFileSync(`/proc/${server().pid}/environ`, 'utf8').split('\0');
  expect(environment).toContain('OUTSIDE=http://127.0.0.1:9/ping');
  expect(environment).not.toContain('OTHER_KEY=x');
  await holter('down');
  rmSync(config);
});

it('service install --daemon writes a unit with a watchdog, and refuses a second unit', async () => {
  const unit = join(folder, 'systemd', 'user', 'holter-daemon.service');
  const tools = join(folder, '$tools 100%');
  mkdirSync(tools);
  more.PATH = `${tools}:relative:/nowhere:${process.env.PATH}:${tools}`;
  const installed = await holter(
    'service',
    'install',
    '--no-start',
    '--daemon',
    '--town',
    join(folder, 'town'),
    '--socket',
    'town',
  );
  expect(installed).toMatchObject({ code: 0, out: `${unit}\n` });
  const text = readFileSync(unit, 'utf8');
  expect(text).toMatch(/^Type=notify\nNotifyAccess=all\nWatchdogSec=540\n/m);
  expect(text).toContain(`"daemon" "--town" "${join(folder, 'town')}"`);
  expect(text).toMatch(/^ExecStart=.* "--socket" "town"$/m);
  // Where the shell of the installing person finds its programs; systemd expands `%`, and here not `$`.
  const path = /^Environment="PATH=(.*)"$/m.exec(text)?.[1]?.split(':') ?? [];
  expect(path[0]).toBe(join(folder, '$tools 100%%'));
  expect(path).toContain(dirname(process.execPath));
  expect(path.filter((each) => !each.startsWith('/') || each === '/nowhere')).toEqual([]);
  expect(new Set(path).size).toBe(path.length);
  delete more.PATH;
  expect((await holter('service', 'install', '--no-start')).err).toContain('would start a second server');
  await holter('service', 'remove');
  expect(existsSync(unit)).toBe(false);
});

it('service install writes a unit that systemd accepts, and remove takes it away', async () => {
  const unit = join(folder, 'systemd', 'user', 'holter.service');
  const installed = await holter('service', 'install', '--no-start', '--data', join(folder, 'a "b" 100%'));
  expect(installed).toMatchObject({ code: 0, out: `${unit}\n` });
  const text = readFileSync(unit, 'utf8');
  expect(text).toContain(`ExecStart="${process.execPath}" `);
  expect(text).toContain('a \\"b\\" 100%%" "--stay"');
  if (existsSync('/usr/bin/systemd-analyze'))
    execFileSync('systemd-analyze', ['verify', '--user', '--man=no', unit], {
      env: cleanEnvironment(folder, { XDG_RUNTIME_DIR: folder }),
    });
  await holter('service', 'remove');
  expect(existsSync(unit)).toBe(false);
  expect((await holter('service', 'remove')).out).toContain('nothing to do');
});

it('service install changes nothing where systemd can not be used, and remove takes the unit away', async () => {
  const unit = join(folder, 'systemd', 'user', 'holter.service');
  const tools = join(folder, 'no-systemd');
  mkdirSync(tools);
  writeFileSync(join(tools, 'systemctl'), '#!/bin/sh\necho "Failed to connect to bus" >&2\nexit 1\n', {
    mode: 0o755,
  });
  more.PATH = `${tools}:${process.env.PATH}`;
  await holter('up', '--detach');
  const { pid } = server();
  const refused = await holter('service', 'install');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toBe(
    "holter: systemd of this user can't be used: Failed to connect to bus\n  next: start the server without it: holter up --detach\n",
  );
  expect(existsSync(unit)).toBe(false);
  expect(server().pid).toBe(pid);
  await holter('service', 'install', '--no-start');
  expect(await holter('service', 'remove')).toMatchObject({ code: 0, out: `removed ${unit}\n` });
  expect(existsSync(unit)).toBe(false);
  delete more.PATH;
});

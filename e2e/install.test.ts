import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../packages/server/test/until.ts';
import { cachedProgram } from './cached-program.ts';
import { cleanEnvironment, root } from './holter-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-install-'));
const { version } = JSON.parse(readFileSync(join(root, 'packages', 'holter', 'package.json'), 'utf8'));
const tarball = `holter-${version}.tgz`;
const stuck = join(root, 'tests', 'fixtures', 'detect', 'stuck.jsonl');
const execute = promisify(execFile);
const servers: ChildProcess[] = [];

// npm reaches its registry as it does for the user who runs the tests: the same cache, proxy and certificates.
const {
  npm_config_cache = join(homedir(), '.npm'),
  npm_config_userconfig = join(homedir(), '.npmrc'),
  npm_config_registry = '',
  NODE_EXTRA_CA_CERTS = '',
} = process.env;
const npm = {
  npm_config_cache,
  npm_config_userconfig,
  ...(npm_config_registry && { npm_config_registry }),
  ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
};

/** A person with an empty home whose `node` is this one. */
class User {
  private readonly home: string;
  readonly env: Readonly<Record<string, string>>;

  constructor(name: string, node: string) {
    this.home = join(folder, name);
    const own = cleanEnvironment(this.home);
    this.env = { ...own, ...npm, PATH: `${dirname(node)}:${own.PATH}` };
  }

  /** A folder that nothing can be found from but what was installed. */
  folder(name: string): string {
    const path = join(this.home, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  async run(command: string, args: readonly string[], cwd: string): Promise<string> {
    const { stdout } = await execute(command, [...args], { cwd, env: this.env, maxBuffer: 16 * 1024 * 1024 });
    return stdout;
  }
}

beforeAll(async () => {
  await execute(process.execPath, [join(root, 'scripts', 'pack.mjs'), folder], { cwd: root });
}, 600_000);

afterAll(async () => {
  for (const server of servers.filter(({ exitCode }) => exitCode === null)) {
    const gone = once(server, 'exit');
    server.kill('SIGTERM');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** The oldest Node.js that Holter supports runs the tests; the newest that it is made for is fetched. */
const NEWER = '24.21.0';
const newer = () =>
  cachedProgram(
    `node-${process.platform}-${process.arch}`,
    NEWER,
    `node-${process.platform}-${process.arch}/bin/node`,
  );

describe.each<[string, () => Promise<string>]>([
  [process.version, async () => process.execPath],
  [`v${NEWER}`, newer],
])('with Node.js %s', { timeout: 600_000 }, (name, nodeOf) => {
  let user: User;
  beforeAll(async () => {
    user = new User(name, await nodeOf());
    expect((await user.run('node', ['--version'], user.folder('node'))).trim()).toBe(name);
  }, 600_000);

  it('npm i -g gives a holter that serves, watches, replays and opens', async () => {
    const prefix = user.folder('prefix');
    const here = user.folder('empty');
    await user.run('npm', ['install', '--global', '--prefix', prefix, join(folder, tarball)], here);
    const program = join(prefix, 'bin', 'holter');
    const holter = (...args: string[]) => user.run(program, args, here);
    expect((await holter('--version')).trim()).toBe(version);

    let said = '';
    const server = spawn(program, ['up', '--port', '0'], {
      cwd: here,
      env: user.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    servers.push(server);
    server.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const url = await until('it listens', () => /http:\/\/\S+/.exec(said)?.[0]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ version });
    expect(await (await fetch(`${url}/`)).text()).toContain('<script');

    expect(await holter('run', '--agent', 'ada', '--', 'echo', 'hi')).toBe('hi\n');
    expect(await holter('status', '--all')).toMatch(/^ada +ended/m);
    expect(await holter('open', '--print')).toContain(`${url}/#login=`);
    // Exit code 3: something was found.
    await expect(holter('replay', stuck)).rejects.toMatchObject({ code: 3 });
  });

  it('npx runs it in an empty folder', async () => {
    const here = user.folder('npx');
    copyFileSync(join(folder, tarball), join(here, tarball));
    expect((await user.run('npx', ['--yes', `./${tarball}`, '--version'], here)).trim()).toBe(version);
    // Installed once more for all of them; the server of the test before answers.
    const all = `holter up --detach; holter run --agent bob -- echo hi; holter open --print; holter replay ${stuck} > /dev/null; echo $?`;
    const said = await user.run('npx', ['--yes', '--package', `./${tarball}`, '--call', all], here);
    expect(said).toMatch(/^Holter is listening on (http:\S+)\nhi\n.*\1\/#login=.*\n3\n$/);
  });

  it('@holter/agent is installed beside it', async () => {
    const here = user.folder('project');
    writeFileSync(join(here, 'package.json'), '{"type": "module", "private": true}');
    await user.run('npm', ['install', join(folder, `holter-agent-${version}.tgz`)], here);
    const program = "import { connect } from '@holter/agent'; console.log(typeof connect)";
    expect(await user.run('node', ['--input-type=module', '-e', program], here)).toBe('function\n');
  });
});

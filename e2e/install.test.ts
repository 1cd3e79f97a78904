import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../packages/server/test/until.ts';
import { cleanEnvironment, root } from './holter-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-install-'));
const home = join(folder, 'home');
const { version } = JSON.parse(readFileSync(join(root, 'packages', 'holter', 'package.json'), 'utf8'));
const tarball = `holter-${version}.tgz`;
const execute = promisify(execFile);
let server: ChildProcess | undefined;

// npm reaches its registry as it does for the user who runs the tests: the same cache, proxy and certificates.
const {
  npm_config_cache = join(homedir(), '.npm'),
  npm_config_userconfig = join(homedir(), '.npmrc'),
  npm_config_registry = '',
  NODE_EXTRA_CA_CERTS = '',
} = process.env;
const env = {
  ...cleanEnvironment(home),
  npm_config_cache,
  npm_config_userconfig,
  ...(npm_config_registry && { npm_config_registry }),
  ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
};

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await execute(command, [...args], { cwd, env, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** A folder that nothing can be found from but what was installed. */
function emptyFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

beforeAll(async () => {
  mkdirSync(home);
  await run(process.execPath, [join(root, 'scripts', 'pack.mjs'), folder], root);
}, 600_000);

afterAll(async () => {
  if (server?.exitCode === null) {
    const gone = once(server, 'exit');
    server.kill('SIGTERM');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

it('npm i -g gives a holter that serves, watches, replays and opens', { timeout: 600_000 }, async () => {
  const prefix = join(folder, 'prefix');
  const here = emptyFolder('empty');
  await run('npm', ['install', '--global', '--prefix', prefix, join(folder, tarball)], here);
  const holter = (...args: string[]) => run(join(prefix, 'bin', 'holter'), args, here);
  expect((await holter('--version')).trim()).toBe(version);

  let said = '';
  server = spawn(join(prefix, 'bin', 'holter'), ['up', '--port', '0'], {
    cwd: here,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  server.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const url = await until('it listens', () => /http:\/\/\S+/.exec(said)?.[0]);
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ version });
  expect(await (await fetch(`${url}/`)).text()).toContain('<script');

  expect(await holter('run', '--agent', 'ada', '--', 'echo', 'hi')).toBe('hi\n');
  expect(await holter('status', '--all')).toMatch(/^ada +ended/m);
  expect(await holter('open', '--print')).toContain(`${url}/#login=`);
  // Exit code 3: something was found.
  const replayed = holter('replay', join(root, 'tests', 'fixtures', 'detect', 'stuck.jsonl'));
  await expect(replayed).rejects.toMatchObject({ code: 3 });
});

it('npx runs it in an empty folder', { timeout: 600_000 }, async () => {
  const here = emptyFolder('npx');
  copyFileSync(join(folder, tarball), join(here, tarball));
  expect((await run('npx', ['--yes', `./${tarball}`, '--version'], here)).trim()).toBe(version);
  // Installed once more for all of them; the server of the test before answers.
  const replayed = `holter replay ${join(root, 'tests', 'fixtures', 'detect', 'stuck.jsonl')} > /dev/null`;
  const all = `holter up --detach; holter run --agent bob -- echo hi; holter open --print; ${replayed}; echo $?`;
  const said = await run('npx', ['--yes', '--package', `./${tarball}`, '--call', all], here);
  expect(said).toMatch(/^Holter is listening on (http:\S+)\nhi\n.*\1\/#login=.*\n3\n$/);
});

it.each(process.env.HOLTER_NODE24 ? [process.env.HOLTER_NODE24] : [])(
  'runs with %s as well',
  async (node) => {
    const main = realpathSync(join(folder, 'prefix', 'bin', 'holter'));
    const here = emptyFolder('another-node');
    expect((await run(node, [main, '--version'], here)).trim()).toBe(version);
    expect(await run(node, [main, 'up', '--detach'], here)).toContain('Holter is listening on http:');
    expect(await run(node, [main, 'run', '--agent', 'cyd', '--', 'echo', 'hi'], here)).toBe('hi\n');
    expect(await run(node, [main, 'status', '--all'], here)).toMatch(/^cyd +ended/m);
  },
);

it('@holter/agent is installed beside it', { timeout: 600_000 }, async () => {
  const here = emptyFolder('project');
  writeFileSync(join(here, 'package.json'), '{"type": "module", "private": true}');
  await run('npm', ['install', join(folder, `holter-agent-${version}.tgz`)], here);
  const program = "import { connect } from '@holter/agent'; console.log(typeof connect)";
  expect(await run(process.execPath, ['--input-type=module', '-e', program], here)).toBe('function\n');
});

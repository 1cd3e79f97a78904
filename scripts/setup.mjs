// Installs and builds what a fresh or changed clone still needs, and nothing else.
// Plain Node without dependencies, because it runs before there are any.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const modules = join(root, 'node_modules');
const lockFile = join(root, 'package-lock.json');
const installStamp = join(modules, '.holter-lock');
const buildStamp = join(modules, '.holter-build');
const pageStamp = join(modules, '.holter-page');
const nodeMin = [20, 19];

class SetupError extends Error {}

/** Makes the clone ready to run. If that fails, prints the reason and returns false. */
export function setup() {
  const started = Date.now();
  try {
    checkNode();
    const did = [maybeInstall(), maybeBuild(), maybeBuildPage()].some(Boolean);
    if (did) say(`ready after ${seconds(started)}`);
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    return false;
  }
}

/** Runs a tool out of node_modules with this Node; returns its exit code. */
export function runTool(script, args, options = {}) {
  const run = spawnSync(process.execPath, [join(modules, script), ...args], {
    cwd: root,
    stdio: 'inherit',
    ...options,
  });
  if (run.error) throw run.error;
  return run.status ?? 1;
}

export function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])) return;
  throw new SetupError(
    `Holter needs Node ${nodeMin.join('.')} or newer; this is ${process.versions.node}. See https://nodejs.org`,
  );
}

/** Installs the versions of the lock file without changing it; unlike `npm ci` it keeps what is already installed. */
function maybeInstall() {
  const wanted = existsSync(lockFile) ? hash(readFileSync(lockFile)) : 'no lock file';
  if (read(installStamp) === wanted) return false;
  say('installing packages (npm install)');
  // stdout belongs to the command that the user asked for, so npm's goes to stderr. Development packages are
  // needed to build, whatever NODE_ENV says.
  const npm = spawnSync('npm', ['install', '--no-save', '--include=dev', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) throw new SetupError('npm install failed; its message is above');
  writeFileSync(installStamp, wanted);
  return true;
}

function maybeBuild() {
  const wanted = fingerprint();
  if (read(buildStamp) === wanted && packages().every((dir) => existsSync(join(dir, 'dist')))) return false;
  say('building (tsc -b)');
  const status = runTool('typescript/bin/tsc', ['-b'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new SetupError('the build failed; its errors are above');
  writeFileSync(buildStamp, wanted);
  return true;
}

/** Bundles the page only when one of its files has changed. */
function maybeBuildPage() {
  const dashboard = join(root, 'packages', 'dashboard');
  if (!existsSync(dashboard)) return false;
  const files = [lockFile, join(dashboard, 'vite.config.ts'), ...walk(join(dashboard, 'src'))];
  const wanted = fingerprintOf(files);
  if (read(pageStamp) === wanted && existsSync(join(dashboard, 'dist', 'page', 'index.html'))) return false;
  say('bundling the page (vite build)');
  const args = ['build', '--config', join(dashboard, 'vite.config.ts'), '--logLevel', 'warn'];
  const status = runTool('vite/bin/vite.js', args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new SetupError('the page could not be bundled; the errors are above');
  writeFileSync(pageStamp, wanted);
  return true;
}

/** Paths, sizes and times of all inputs of the compiler, so that a deleted file counts as a change too. */
function fingerprint() {
  const inputs = readdirSync(root).filter((name) => /^tsconfig.*\.json$|^package-lock\.json$/.test(name));
  const files = inputs.map((name) => join(root, name));
  for (const dir of packages()) {
    files.push(join(dir, 'package.json'), join(dir, 'tsconfig.json'), ...walk(join(dir, 'src')));
  }
  return fingerprintOf(files);
}

function fingerprintOf(files) {
  return hash(
    files
      .filter((file) => existsSync(file))
      .map((file) => `${file} ${statSync(file).size} ${statSync(file).mtimeMs}`)
      .join('\n'),
  );
}

function packages() {
  const folder = join(root, 'packages');
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((dir) => existsSync(join(dir, 'tsconfig.json')));
}

function walk(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function hash(content) {
  return createHash('sha256').update(content).digest('hex');
}

function say(line) {
  process.stderr.write(`setup: ${line}\n`);
}

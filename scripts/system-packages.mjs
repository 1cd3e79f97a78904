// What tests need beyond npm packages: a browser, tmux, jq, Prometheus and PostgreSQL. Installs them if this process is root on Debian or Ubuntu;
// otherwise prints which tests are skipped. With CI=true a missing program is a failure.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const commands = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  tmux: ['tmux'],
  jq: ['jq'],
  prometheus: ['prometheus'],
  postgresql: ['postgres'],
  pgbouncer: ['pgbouncer'],
};
const places = {
  chromium: () => ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  postgresql: debianPostgres,
  pgbouncer: () => ['/usr/sbin/pgbouncer'],
};
// What Debian recommends beside Prometheus monitors hardware.
const aptOptions = { prometheus: ['--no-install-recommends'], postgresql: ['--no-install-recommends'] };

/** The path of the program, or null where there is none. */
export function find(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const paths = commands[name].flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...paths, ...(places[name]?.() ?? [])].find(isExecutable) ?? null;
}

/** Debian installs several versions side by side, outside of PATH; the newest comes first. */
function debianPostgres() {
  const folder = '/usr/lib/postgresql';
  if (!existsSync(folder)) return [];
  const versions = readdirSync(folder).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(folder, version, 'bin', 'postgres'));
}

/** The path of the program, installed if necessary; null after printing a warning. Throws with CI=true. */
export function ensure(name) {
  const found = find(name) ?? install(name);
  if (found) return found;
  const message = `no ${name} here, and it could not be installed; tests that need it do not run`;
  if (process.env.CI === 'true') throw new Error(message);
  console.log(
    `\nSKIPPED: ${message}.\n         Install it with your package manager, e.g. apt-get install ${name}`,
  );
  return null;
}

function install(name) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync('/etc/debian_version')) return null;
  console.log(`installing ${name} (apt-get)`);
  const apt = (...args) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  const wanted = ['install', '-y', '-q', ...(aptOptions[name] ?? []), name];
  const isDone = apt(...wanted) || (apt('update', '-q') && apt(...wanted));
  return isDone ? find(name) : null;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

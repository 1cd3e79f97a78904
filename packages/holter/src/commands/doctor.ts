import { existsSync, statfsSync, statSync } from 'node:fs';
import { instant, inWords, milliseconds } from '@holter/core/time';
import { ADAPTERS, type Adapter } from '@holter/server/adapters';
import { problemLine } from '@holter/server/config';
import {
  DataFolder,
  dataFolderPath,
  FIRST_ROLES,
  type HealthView,
  type SystemView,
} from '@holter/server/local';
import { wallNow } from '@holter/server/process';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, withServer } from '../client/connection.ts';
import { checkChain, deaconOf } from '../doctor/chain.ts';
import type { Check } from '../doctor/check.ts';
import { clockSync } from '../doctor/clock-sync.ts';
import { checkPost } from '../doctor/post.ts';
import { version } from '../package/version.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { ago, counted } from '../terminal/words.ts';
import { TOWN_OPTION } from '../town/town.ts';
import { load } from './config.ts';
import { databaseHere } from './database.ts';

type DoctorOptions = PrintOptions & { readonly town?: string };

const FREE_BYTES_MIN = 200 * 2 ** 20;
const TICK_LAG_MS_MAX = 1_000;

export function registerDoctor(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('doctor')
        .description('check Holter itself; exit code 3 if something needs attention')
        .option('--json', 'print JSON')
        .option(...TOWN_OPTION),
    ),
    [['holter doctor', 'look at the server, its folder, its tokens and its configuration']],
  ).action((options: DoctorOptions) => doctor(io, options));
}

async function doctor(io: Io, options: DoctorOptions): Promise<void> {
  const folder = new DataFolder(dataFolderPath(options.data, io.env));
  const checks = [
    checkNode(),
    checkClock(io),
    ...checkFolder(folder),
    ...(await checkServer(io, options)),
    ...(await checkChain(
      io,
      options.town,
      () => findServer(io, options, 'viewer'),
      wallNow,
      (town) => deaconOf(io, options, town),
    )),
    await checkConfig(io, options),
    ...(await checkDatabase(io)),
    ...(await Promise.all(ADAPTERS.map((adapter) => checkAgentKind(io, options, adapter)))).flat(),
  ];
  const isFine = checks.every((check) => check.isFine);
  if (!isFine) io.setExitCode(EXIT.foundWrong);
  if (options.json) {
    io.out(`${JSON.stringify({ ok: isFine, checks })}\n`);
    return;
  }
  const paint = painter(io);
  for (const { about, isFine: fine, says, next } of checks) {
    io.out(`${fine ? paint('green', 'ok   ') : paint('red', 'wrong')}  ${about.padEnd(14)} ${says}\n`);
    if (!fine && next) io.out(`${' '.repeat(22)}${paint('dim', 'next:')} ${next}\n`);
  }
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isFine = major > 20 || (major === 20 && minor >= 19);
  return {
    about: 'node',
    isFine,
    says: `${process.versions.node}, Holter ${version}`,
    next: 'install Node 20.19 or newer',
  };
}

function checkClock({ env }: Io): Check {
  const says = clockSync(env);
  const next = 'synchronise it, for example: timedatectl set-ntp true';
  return { about: 'clock', isFine: says !== 'not synchronised', says, next };
}

function checkFolder(folder: DataFolder): readonly Check[] {
  if (!existsSync(folder.path)) {
    return [
      {
        about: 'data folder',
        isFine: false,
        says: `${folder.path} does not exist`,
        next: 'start a server: holter up',
      },
    ];
  }
  const { bavail, bsize } = statfsSync(folder.path);
  const free = bavail * bsize;
  const open = FIRST_ROLES.filter((role) => {
    const found = statSync(folder.tokenFile(role), { throwIfNoEntry: false });
    return found !== undefined && (found.mode & 0o077) !== 0;
  });
  return [
    {
      about: 'data folder',
      isFine: free >= FREE_BYTES_MIN,
      says: `${folder.path}, ${(free / 2 ** 30).toFixed(1)} GB free`,
      next: 'free some space: Holter works only while it can write',
    },
    {
      about: 'tokens',
      isFine: open.length === 0,
      says:
        open.length === 0
          ? 'only you can read them'
          : `others can read ${open.map((role) => folder.tokenFile(role)).join(', ')}`,
      next: `chmod 600 ${open.map((role) => folder.tokenFile(role)).join(' ')}`,
    },
  ];
}

/** Only a PostgreSQL database: the file of SQLite is looked at by its server. */
async function checkDatabase(io: Io): Promise<readonly Check[]> {
  const address = databaseHere(io, undefined);
  if (address.kind === 'sqlite') return [];
  const { inspectPostgres, StoreUnavailable } = await import('@holter/server');
  const about = 'database';
  const next = 'see docs/operations.md#postgresql';
  try {
    const { version: postgres, unsafe } = await inspectPostgres(address.url);
    const isFine = unsafe.length === 0;
    const lost = isFine ? '' : `; off, so that commits can be lost: ${unsafe.join(', ')}`;
    return [{ about, isFine, says: `PostgreSQL ${postgres} at ${address.place}${lost}`, next }];
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return [{ about, isFine: false, says: `${address.place}: ${error.message}`, next }];
  }
}

/** What the running server uses; without one, what a server that is started here would use. */
async function checkConfig(io: Io, options: PrintOptions): Promise<Check> {
  const about = 'configuration';
  const inUse = (files: readonly string[]): string => files.join(', ') || 'the defaults';
  const loaded = load(io, undefined);
  const here = loaded.kind === 'loaded' ? inUse(loaded.config.files) : null;
  try {
    const { files } = await ask(findServer(io, options, 'viewer'), (client) => client.config());
    const says = `${inUse(files)}, read by the running server`;
    return {
      about,
      isFine: true,
      says: here === inUse(files) ? says : `${says} (not the one of this terminal)`,
    };
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
  }
  if (loaded.kind === 'loaded') {
    const [warning] = loaded.config.warnings;
    const says = warning ? problemLine(warning) : inUse(loaded.config.files);
    return { about, isFine: warning === undefined, says, next: 'holter config check' };
  }
  return {
    about,
    isFine: false,
    says: counted(loaded.problems.length, 'problem'),
    next: 'holter config check',
  };
}

/** Alerts that do not arrive can't tell so themselves. */
async function checkChannels(connection: ReturnType<typeof findServer>): Promise<Check> {
  const { channels, warnings } = await ask(connection, (client) => client.alerts());
  const failing = channels.filter(({ state }) => state === 'failing');
  const wrong = [
    ...failing.map(({ name, lastFailure }) => `${name} does not deliver: ${lastFailure}`),
    ...warnings,
  ];
  const names = channels.map(({ name }) => name).join(', ');
  return {
    about: 'alerts',
    isFine: wrong.length === 0,
    says:
      wrong.join('; ') ||
      names ||
      'no channels are defined; problems appear only on the page and in `holter status`',
    next: failing[0] ? `correct it, then: holter alerts test ${failing[0].name}` : 'see docs/alerts.md',
  };
}

async function checkSystem(connection: ReturnType<typeof findServer>): Promise<readonly Check[]> {
  const system = await ask(connection, (client) => client.system());
  return [judgePing(system), ...judgeSkews(system), ...(await checkPost(connection, system))];
}

/** Their beats are judged by when they arrive; times that they report are not right. */
function judgeSkews({ clockSkews }: SystemView): readonly Check[] {
  const [worst] = clockSkews;
  if (!worst) return [];
  const { agentId, skewMs } = worst;
  const off = `${inWords(milliseconds(Math.abs(skewMs)))} ${skewMs > 0 ? 'ahead of' : 'behind'} this server`;
  const says = `${counted(clockSkews.length, 'agent')} with a wrong clock; ${agentId} is ${off}`;
  return [{ about: 'agent clocks', isFine: false, says, next: 'correct the clocks of their machines' }];
}

/** Who tells somebody when this machine is gone. */
function judgePing({ at, deadManPing }: SystemView): Check {
  const about = 'outside ping';
  if (!deadManPing)
    return { about, isFine: true, says: 'not set; nothing outside notices if this machine fails' };
  const { okAt, failures, failure } = deadManPing;
  const says = okAt === null ? 'not answered yet' : `answered ${ago(okAt, instant(at))}`;
  return {
    about,
    isFine: failures === 0,
    says: failures === 0 ? says : `${counted(failures, 'ping')} failed in a row: ${failure}; ${says}`,
    next: 'look at the address in dead_man_ping of holter.yaml, and at the network',
  };
}

async function checkServer(io: Io, options: PrintOptions): Promise<readonly Check[]> {
  try {
    const connection = findServer(io, options, 'viewer');
    const health = await ask(connection, (client) => client.health());
    const access = await checkToken(connection);
    const alerts = access.isFine ? [await checkChannels(connection), ...(await checkSystem(connection))] : [];
    return [...judgeHealth(health, connection.url), access, ...alerts];
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return [{ about: 'server', isFine: false, says: error.message, next: error.next ?? 'holter up' }];
  }
}

function judgeHealth(health: HealthView, url: string): readonly Check[] {
  const { status, store, storeReason, tickLagMs, queueDepth, graceShare, brakes, troubles } = health;
  const [worst] = troubles;
  return [
    {
      about: 'server',
      isFine: status === 'ok',
      says: `${url} is ${status}${worst ? `: ${worst.says}` : ''}`,
      next: 'see the lines below, and docs/operations.md',
    },
    {
      about: 'version',
      isFine: health.version === version,
      says: health.version === version ? version : `the server is ${health.version}, this is ${version}`,
      next: 'restart the server with this version',
    },
    {
      about: 'store',
      isFine: store === 'ok',
      says: storeReason ?? 'ok',
      next: /^(?:unreachable|denied)/.test(storeReason ?? '')
        ? 'start PostgreSQL again; Holter goes on by itself'
        : 'free the disk or mend the file; see: holter db check',
    },
    {
      about: 'heartbeat',
      isFine:
        tickLagMs < TICK_LAG_MS_MAX && !troubles.some(({ kind }) => kind === 'ticks' || kind === 'grace'),
      says: `its checks run ${tickLagMs} ms late, ${counted(queueDepth, 'input')} waiting; monitoring gaps: ${Math.round(100 * graceShare)} % of the last hour`,
      next: 'reduce the load on this machine: Holter notices problems later than it should',
    },
    {
      about: 'acts',
      isFine: !health.estop,
      says: health.estop
        ? `stopped by ${health.estop.by}${health.estop.reason === '' ? '' : `: ${health.estop.reason}`}`
        : 'Holter may act',
      next: 'let it act again: holter estop --off',
    },
    {
      about: 'brake',
      isFine: brakes.length === 0,
      says: brakes.length === 0 ? 'off' : `on for ${brakes.join(', ')}: many agents were lost at once`,
      next: 'look at the network first: nothing is terminated until it is calm',
    },
  ];
}

/** Checked only if it was connected: a session that `holter run` starts needs no settings. */
async function checkAgentKind(
  io: Io,
  options: PrintOptions,
  { name, hooks, doctor: diagnose }: Adapter,
): Promise<readonly Check[]> {
  if (!hooks || !diagnose) return [];
  let server = { serverUrl: null as string | null, hasSessions: false };
  try {
    const connection = findServer(io, options, 'viewer');
    const query = { q: `${hooks.idPrefix}.`, limit: '1' };
    const { agents } = await ask(connection, (client) => client.agents(query));
    server = { serverUrl: connection.url, hasSessions: agents.length > 0 };
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
  }
  const { env, workingDirectory } = io;
  const diagnosis = diagnose({ env, workingDirectory, ...server });
  return diagnosis ? [{ about: name.replaceAll('-', ' '), ...diagnosis }] : [];
}

async function checkToken(connection: ReturnType<typeof findServer>): Promise<Check> {
  try {
    await ask(connection, (client) => client.agents({ limit: '1' }));
    return { about: 'access', isFine: true, says: 'the token is accepted' };
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return { about: 'access', isFine: false, says: error.message, next: error.next ?? 'holter token create' };
  }
}

import { spawn } from 'node:child_process';
import { closeSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type Clock,
  type DataFolder,
  findConfigFile,
  openLogFile,
  readSettingsFile,
} from '@holter/server/process';
import { tlsFailure } from '../client/tls-failure.ts';
import { CliFailure } from '../terminal/failure.ts';
import { call, type Target } from './http-call.ts';

/** A server that answers, with its version. */
export type Answering = Target & { readonly version: string };

type EnsureOptions = {
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** A `holter.yaml` for a server that is started; the default is the one that `holter up` would read here. */
  readonly config?: string | undefined;
  /** A server that is started ends itself after it was not needed for so long; null: it stays. */
  readonly idleSeconds: number | null;
  /** Where a server that is started must listen; default: wherever it can. */
  readonly port?: number | undefined;
};

/** How long a server stays that `holter run` or a hook has started, after the last agent and incident. */
export const IDLE_SECONDS = 600;

const READY_MS_MAX = 20_000;
const LOOK_EVERY_MS = 40;
/** Another server may just have taken the folder's lock; it answers within this time, or none will. */
const OTHER_MS_MAX = 5_000;
/** Of what a server has said that did not start. */
const LINES_SAID = 3;

/**
 * The server of a data folder: the one that answers, else one that is started in the background. If several
 * processes start one at the same time, the folder's lock lets only one server run, and all of them find it.
 */
export async function ensureServer(options: EnsureOptions): Promise<Answering> {
  const { folder, clock } = options;
  const found = await findAnswering(folder);
  if (found) {
    // A run or a hook may have started it; from now on it is wanted.
    if (options.idleSeconds === null) askToStay(folder);
    return found;
  }
  const logged = logSize(folder);
  const child = startDaemon(options);
  let deadline = clock.now() + READY_MS_MAX;
  let hasExited = false;
  for (;;) {
    await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    const started = await findAnswering(folder);
    if (started) {
      // Another process may have been faster, and have started one that ends.
      if (options.idleSeconds === null) askToStay(folder);
      return started;
    }
    if (child.hasExited() && !hasExited) {
      hasExited = true;
      deadline = Math.min(deadline, clock.now() + OTHER_MS_MAX);
    }
    if (clock.now() > deadline) {
      const why = whyNot(folder, logged);
      throw new CliFailure(
        `the server in the background did not start${why}`,
        // A full disk takes no log either.
        why === '' ? `see why: holter up --data ${folder.path}` : `its log: ${folder.logFile}`,
      );
    }
  }
}

function askToStay(folder: DataFolder): void {
  const pid = folder.readServer()?.pid;
  if (pid !== undefined) folder.askToStay(pid);
}

/** The server of the folder, if it answers. */
export function findAnswering(folder: DataFolder): Promise<Answering | null> {
  const local = folder.readServer();
  return local ? answering({ url: local.url, token: folder.readToken('operator') }) : Promise.resolve(null);
}

/** The target with its version, if a Holter server answers there. Throws if its certificate can't be verified. */
export async function answering(target: Target): Promise<Answering | null> {
  try {
    const { status, body } = await call(target, 'GET', '/health', undefined, 2_000);
    const version = (body as { version?: unknown } | null)?.version;
    return status === 200 && typeof version === 'string' ? { ...target, version } : null;
  } catch (error) {
    const failure = tlsFailure(target.url, (error as Error).cause);
    if (failure) throw failure;
    return null;
  }
}

/** 0 if there is none, or no folder for it, which starting reports. */
function logSize({ logFile }: DataFolder): number {
  try {
    return statSync(logFile).size;
  } catch {
    return 0;
  }
}

/** What it has said since; lines of the log itself are JSON. */
function whyNot({ logFile }: DataFolder, from: number): string {
  try {
    const said = readFileSync(logFile).subarray(from).toString('utf8').split('\n');
    const lines = said.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('{'));
    return lines.length === 0 ? '' : `: ${lines.slice(0, LINES_SAID).join('; ')}`;
  } catch {
    return '';
  }
}

type Daemon = { readonly pid: number | undefined; readonly hasExited: () => boolean };

/** Starts it detached, in the data folder, with a log file instead of the terminal. */
function startDaemon(options: EnsureOptions): Daemon {
  const { folder, env, config, workingDirectory, idleSeconds, port } = options;
  const configFile = findConfigFile(config, env, workingDirectory);
  const args = daemonArguments({ dataFolder: folder.path, config: configFile, idleSeconds, port });
  const log = openLog(folder);
  try {
    const child = spawn(process.execPath, args, {
      detached: true,
      cwd: folder.path,
      stdio: ['ignore', log, log],
      env: serverEnvironment(env, configFile),
    });
    let hasExited = false;
    const noteExit = (): void => {
      hasExited = true;
    };
    child.on('error', noteExit);
    child.on('exit', noteExit);
    child.unref();
    return { pid: child.pid, hasExited: () => hasExited };
  } finally {
    closeSync(log);
  }
}

/** What Node is called with to run the server of a folder. */
export function daemonArguments(options: {
  readonly dataFolder: string;
  readonly config: string | null;
  readonly idleSeconds: number | null;
  readonly port?: number | undefined;
}): string[] {
  const { dataFolder, config, idleSeconds, port } = options;
  return [
    fileURLToPath(new URL('../run/main.js', import.meta.url)),
    'daemon',
    ...['--data', dataFolder],
    ...(config === null ? [] : ['--config', config]),
    ...(idleSeconds === null ? ['--stay'] : ['--idle-seconds', String(idleSeconds)]),
    ...(port === undefined ? [] : ['--port', String(port)]),
  ];
}

function openLog(folder: DataFolder): number {
  try {
    folder.prepare();
    return openLogFile(folder.logFile);
  } catch (error) {
    throw new CliFailure(
      `the data folder ${folder.path} can't be used: ${(error as Error).message}`,
      'choose a folder that you may write to: --data DIR, or HOLTER_DATA',
    );
  }
}

/**
 * The server outlives the process that starts it and serves others, so it gets only what concerns the user and the
 * machine: no keys, no settings of Node, none of this agent's. `…_HOME` and `…_CONFIG_DIR` name folders of agents;
 * `HOLTER_DATABASE` and `PG…` say where its data is.
 * Added to that are the variables that the operator's configuration names.
 */
const KEPT =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_\w+|\w+_HOME|\w+_CONFIG_DIR|HOLTER_DATABASE|PG\w+)$/;

function serverEnvironment(env: EnsureOptions['env'], configFile: string | null): NodeJS.ProcessEnv {
  const named = configFile === null ? new Set<string>() : variablesNamedIn(configFile);
  return Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name) || named.has(name)));
}

/** By `url_env: NAME` and the like. The parser of the file is not loaded here; the server reports what is wrong. */
function variablesNamedIn(configFile: string): ReadonlySet<string> {
  try {
    const names = readSettingsFile(configFile).matchAll(/_env["']?:[ \t]*["']?([A-Za-z_]\w{0,127})/g);
    return new Set([...names].map(([, name = '']) => name));
  } catch {
    return new Set();
  }
}

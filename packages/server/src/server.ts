import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Alerts } from './alerts/index.ts';
import { assembleEngine } from './assemble-engine.ts';
import { certifiedName, readCertificate, renewCertificate } from './certificate.ts';
import { type Config, type LoadedConfig, problemLine, type TlsFiles } from './config/load.ts';
import { DataFolder, type FirstRole } from './data-folder.ts';
import { EcosFolderError, EcosKeeper, ecosFolderOf } from './ecos/index.ts';
import type { Clock } from './engine/clock.ts';
import { continuedClock } from './engine/continued-clock.ts';
import type { Engine } from './engine/engine.ts';
import { startExecutors } from './executors/index.ts';
import type { RotatingLog } from './files/index.ts';
import { ensureFirstTokens } from './first-tokens.ts';
import { buildHttp } from './http/server/build-http.ts';
import { Intake } from './intake/index.ts';
import { Judge } from './judge/index.ts';
import { DEFAULT_HOST, DEFAULT_PORT, isLoopback, LOCAL_NAMES, urlName, urlOf } from './listen-address.ts';
import { Causes } from './logging/causes.ts';
import { type Logger, logCommitted } from './logging/logger.ts';
import { databaseOf, openStore } from './open-store.ts';
import { MailTray, PostOffice, startPinger } from './post/index.ts';
import { shippedPrices } from './prices/index.ts';
import { realClock, realDice, wallNow } from './real-clock.ts';
import { startSessions } from './sessions/index.ts';
import { folderError, listenError, openAddressError, StartError } from './start-error.ts';
import { acquireLock, type EngineLock } from './store/sqlite/lock.ts';
import type { Store, StoreUnavailable } from './store/store.ts';
import { watchedStore } from './store/watched-store.ts';
import { Traces, traceSettings } from './tracing/index.ts';
import { startGraceAlert } from './upkeep/grace-alert.ts';
import { startHousekeeping } from './upkeep/housekeeping.ts';
import { EstopWatch, watchDatabase } from './upkeep/index.ts';

/** A stop that takes longer than this is not graceful any more; what is durable is durable anyway. */
const STOP_MS_MAX = 5_000;

export type ServerOptions = {
  readonly dataFolder: string;
  readonly config: Config;
  readonly version: string;
  readonly logger: Logger;
  /** Where the logger also writes; it is opened in the data folder. */
  readonly logFile?: RotatingLog;
  readonly host?: string;
  readonly port?: number;
  /** With them it speaks only https. */
  readonly tls?: TlsFiles;
  /** The port of this machine where agents of seed 001 call without a token; default: `maestro_port`, else none. */
  readonly maestroPort?: number;
  /** The project in which the files of seed 001 are written; default: `ecos.folder`, else none. */
  readonly ecosFolder?: string;
  /** Why it is all right to listen without TLS where others can hear; empty means that it is not. */
  readonly insecureBecause?: string;
  /** Folder of the built page; without it there is only the API. */
  readonly pageFolder?: string;
  /** Where the data is, instead of what the configuration says. It may contain a password. */
  readonly database?: string;
  /** The database was exchanged on purpose: go on from what is there. */
  readonly isRestoreAccepted?: boolean;
  /** Another world than the real one around the same server. */
  readonly demo?: DemoWorld;
};

/** A world that keeps its own time, and brings its own agents. */
export type DemoWorld = {
  readonly clock: Clock;
  readonly speed: number;
  /** Called when the engine runs; returns how to end it. */
  readonly begin: (parts: DemoParts) => () => void;
};

/** What agents that are not real may use: they speak to the engine, and save what they know. */
export type DemoParts = {
  readonly engine: Engine;
  readonly intake: Intake;
  readonly store: Pick<Store, 'putCheckpoint'>;
  readonly sha256: (text: string) => string;
};

export type RunningServer = {
  readonly url: string;
  /** Where calls without a token are taken; null for nowhere. */
  readonly maestroUrl: string | null;
  readonly dataFolder: string;
  /** Roles whose tokens this start had to make: all of them on the very first one. */
  readonly tokensMade: readonly FirstRole[];
  /** Takes a new configuration; one that is wrong changes nothing. */
  readonly reload: (loaded: LoadedConfig) => boolean;
  /** Drains, then takes at most five seconds. A second call ends the draining and waits for the first. */
  readonly stop: () => Promise<void>;
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Folder, lock, store, engine, HTTP: in this order, and back again if one of them fails. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { logger, version, host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  refuseOpenAddress(options);
  const folder = prepareFolder(options.dataFolder);
  const wall = realClock();
  const certificate = options.tls ? readCertificate(options.tls, { clock: wall, logger }) : null;
  let { config } = options;
  const undo: (() => Promise<void> | void)[] = [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) {
      await Promise.resolve()
        .then(step)
        .catch((error: unknown) => logger.warn({ err: error }, 'while stopping'));
    }
  };
  try {
    const database = databaseOf(options);
    const lock = await takeLock(folder);
    undo.push(() => lock.release());
    options.logFile?.open(folder.logFile, config.policies.operations.log);
    undo.push(() => options.logFile?.close());
    let noteRefused: (fault: StoreUnavailable) => void = () => undefined;
    const store = watchedStore(await openStore(folder, options, database), (fault) => noteRefused(fault));
    undo.push(() => store.close());
    const watch = await watchDatabase(store, options.demo?.clock ?? wall, logger);
    undo.push(() => watch.stop());
    const clock = await continuedClock(store, watch.clock);
    const tokensMade = await ensureFirstTokens(folder, { store, clock, sha256, ...realDice });

    let url: string | null = null;
    let maestroUrl: string | null = null;
    let endDrain: (() => void) | null = null;
    const traces = new Traces({ clock: wall, version, sha256, newId: realDice.newId, logger });
    const isAlone = database.kind === 'sqlite';
    const stops = await EstopWatch.start({ folder, store, clock, isShared: !isAlone, logger });
    undo.push(() => stops.stop());
    const { engine, replies, notices, alerts, ping } = assembleEngine(
      {
        ...{ store, clock, traces, isAlone, sha256, estop: stops.read },
        ...{ url: () => url, hindrances: watch.hindrances },
      },
      { config, logger, isDemo: options.demo !== undefined },
    );
    noteRefused = engine.noteRefused;
    const intake = new Intake({ engine, replies, store, clock, ...(!options.demo && { wallNow }) });
    const causes = new Causes();
    // In the background: with many open incidents it takes a while, and only the log needs it.
    causes.load(store).catch((error: unknown) => logger.warn({ err: error }, 'ids of open incidents'));
    undo.push(logCommitted(engine, logger, causes));
    undo.push(traces.follow(engine));
    if (!options.demo) await traces.set(traceSettings(config.policies.operations.tracing, process.env));
    undo.push(() => traces.close());
    await engine.start();
    undo.push(() => engine.stop());
    if (options.demo) undo.push(options.demo.begin({ engine, intake, store, sha256 }));
    // In a demo seconds are too short for that: every hiccup of the machine is a long one.
    if (!options.demo) undo.push(startGraceAlert({ clock, health: () => engine.health, logger }));
    alerts.start();
    undo.push(() => alerts.stop());
    if (!options.demo) ping.set(config.deadMan);
    undo.push(() => ping.stop());
    const retentionMs = () => engine.currentPolicies.operations.retentionMs;
    undo.push(startHousekeeping({ store, clock, health: () => engine.health, retentionMs, logger }));

    const office = new PostOffice({
      ...{ engine, intake, replies, store, clock, sha256 },
      newId: realDice.newId,
      name: () => engine.currentPolicies.operations.mailName,
    });
    const notSent = (error: unknown) => logger.warn({ err: error }, 'pings were not sent');
    undo.push(startPinger({ engine, store, office, clock, failed: notSent }));
    const warn = (message: string) => logger.warn(message);
    const ecos = new EcosKeeper({ engine, store, clock, warn });
    undo.push(() => ecos.set(null));
    const ecosFolder = () => (options.demo ? null : (options.ecosFolder ?? ecosFolderOf(config)));
    await ecos.set(ecosFolder()).catch(refuseEcosFolder);
    const judge = new Judge({
      ...{ engine, intake, store, clock, wallNow, warn },
      ...{ newId: realDice.newId, prices: shippedPrices().table },
      ...{ env: process.env, folder: folder.judgeFolder, base: () => dirname(config.files[0] ?? '.') },
      failed: (error) => logger.warn({ err: error }, 'sessions were not judged'),
    });
    alerts.watchJudge(judge);
    if (!options.demo) judge.start();
    undo.push(() => judge.stop());
    const failed = (error: unknown) => logger.warn({ err: error }, 'a hook was answered, but not kept');
    const sessions = startSessions({
      engine,
      intake,
      store,
      replies,
      clock,
      ...{ mail: new MailTray({ office, clock, failed }), judge },
      env: process.env,
      failed,
      warn,
    });
    undo.push(() => sessions.close());
    const { followRun } = sessions;
    const executors = await startExecutors({ engine, intake, store, replies, clock, logger, followRun });
    const { http, maestro } = buildHttp({
      engine,
      intake,
      store,
      replies,
      notices,
      alerts,
      traces,
      hooks: sessions.hooks,
      executors,
      office,
      judge,
      reach: () => ({ maestroUrl, ecos: ecos.current }),
      clock,
      sha256,
      ...realDice,
      config: () => config,
      version,
      logger,
      hosts: [...new Set([...LOCAL_NAMES, urlName(host)])],
      startedAt: clock.now(),
      wall,
      isDraining: () => endDrain !== null,
      ...(certificate && { tls: { cert: certificate.cert, key: certificate.key } }),
      ...(options.pageFolder !== undefined && {
        page: { folder: options.pageFolder, demoSpeed: options.demo?.speed ?? null },
      }),
    });
    undo.push(() => http.close());
    undo.push(() => executors.close());
    const boundPort = await listen(http, host, port);
    const { hosts } = config.policies.network;
    const name = certificate ? certifiedName(certificate, { host, hosts, logger }) : host;
    const address = urlOf(name, boundPort, certificate !== null);
    url = address;
    const maestroPort = options.maestroPort ?? engine.currentPolicies.operations.maestroPort;
    if (maestroPort !== null) {
      const open = maestro(LOCAL_NAMES);
      undo.push(() => open.close());
      maestroUrl = urlOf(DEFAULT_HOST, await listen(open, DEFAULT_HOST, maestroPort));
    }
    folder.writeServer({ url: address, pid: process.pid, version, startedAt: clock.now() });
    undo.push(() => folder.removeServer(process.pid));
    let stopping: Promise<void> | null = null;
    const drain = (): Promise<void> =>
      new Promise((resolve) => {
        const cancel = wall.after(config.policies.network.drainMs, resolve);
        endDrain = () => {
          cancel();
          resolve();
        };
      });
    return {
      url: address,
      maestroUrl,
      dataFolder: folder.path,
      tokensMade,
      reload: (loaded) => {
        if (loaded.kind === 'loaded') config = loaded.config;
        const { operations } = config.policies;
        if (!options.demo) ping.set(config.deadMan);
        if (!options.demo) void traces.set(traceSettings(operations.tracing, process.env));
        ecos.set(ecosFolder()).catch((error: Error) => warn(`ecos.folder stays as it was: ${error.message}`));
        options.logFile?.setLimits(operations.log);
        if (options.tls) renewCertificate(http.server, options.tls, { clock: wall, logger });
        return reload(engine, options.demo ? null : alerts, loaded, logger);
      },
      stop: () => {
        endDrain?.();
        stopping ??= drain().then(() => withinTime(undoAll(), wall, logger));
        return stopping;
      },
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

function refuseOpenAddress({ host = DEFAULT_HOST, tls, insecureBecause, logger }: ServerOptions): void {
  if (isLoopback(host) || tls) return;
  if (!insecureBecause?.trim()) throw openAddressError(host);
  logger.warn(`${host} is open without TLS: others on the network can read every token (${insecureBecause})`);
}

function prepareFolder(path: string): DataFolder {
  const folder = new DataFolder(path);
  try {
    folder.prepare();
    return folder;
  } catch (error) {
    throw folderError(error, path);
  }
}

async function takeLock(folder: DataFolder): Promise<EngineLock> {
  const lock = await acquireLock(folder.lockFile).catch((error: unknown) => {
    throw folderError(error, folder.path);
  });
  if (lock) return lock;
  const running = folder.readServer();
  throw new StartError(
    'already_running',
    `a Holter server already runs on ${folder.path}${running ? ` (${running.url}, pid ${running.pid})` : ''}`,
    'use it, stop it, or choose another folder: --data DIR',
  );
}

function refuseEcosFolder(error: unknown): never {
  if (!(error instanceof EcosFolderError)) throw error;
  throw new StartError('ecos_folder', error.message, 'name a project that can be written: --ecos DIR');
}

/** Returns the port, which the system may have chosen. */
async function listen(http: FastifyInstance, host: string, port: number): Promise<number> {
  // Whoever starts the server says where it listens; the log need not say it as well.
  const { level } = http.log;
  http.log.level = 'warn';
  try {
    await http.listen({ host, port });
  } catch (error) {
    throw listenError(error, host, port);
  } finally {
    http.log.level = level;
  }
  const address = http.server.address();
  return typeof address === 'object' && address ? address.port : port;
}

function reload(engine: Engine, alerts: Alerts | null, loaded: LoadedConfig, logger: Logger): boolean {
  if (loaded.kind === 'loaded') {
    engine.setPolicies(loaded.config.policies);
    if (alerts) alerts.setChannels(loaded.config.channels);
    logger.info({ files: loaded.config.files }, 'configuration read again');
    return true;
  }
  for (const problem of loaded.problems) logger.error(problemLine(problem));
  logger.error('the configuration is wrong, so the old one stays in force');
  return false;
}

/** Whatever hangs, the process may end: all that was acknowledged is on disk. */
function withinTime(stopping: Promise<void>, clock: Clock, logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(STOP_MS_MAX, () => {
      logger.warn(`not everything stopped within ${STOP_MS_MAX / 1_000} s`);
      resolve();
    });
    void stopping.then(() => {
      cancel();
      resolve();
    });
  });
}

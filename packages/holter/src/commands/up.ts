import { resolve } from 'node:path';
import type { RunningServer, ServerOptions } from '@holter/server';
import { problemLine } from '@holter/server/config';
import { DataFolder, DEFAULT_HOST, DEFAULT_PORT, dataFolderPath, realClock } from '@holter/server/local';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { pageFolder } from '../package/page-folder.ts';
import { version } from '../package/version.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { probeFiles } from '../terminal/probe-files.ts';
import { invalidConfig, load } from './config.ts';
import { loginLink } from './open.ts';

type UpOptions = {
  readonly port?: number;
  readonly host: string;
  readonly data?: string;
  readonly config?: string;
  readonly database?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly insecureBecause?: string;
  readonly maestroPort?: number;
  readonly ecos?: string;
  readonly logLevel?: string;
  readonly demo?: boolean;
  readonly acceptRestored?: boolean;
  readonly detach?: boolean;
};

/** What a server in the background is not told. */
const NOT_DETACHED = [
  'host',
  'demo',
  'database',
  'acceptRestored',
  'tlsCert',
  'tlsKey',
  'insecureBecause',
  'maestroPort',
  'ecos',
  'logLevel',
];
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

export function registerUp(program: Command, io: Io): void {
  withExamples(
    program
      .command('up')
      .description('run the server; Ctrl-C stops it, SIGHUP reloads holter.yaml')
      .option('--port <port>', `port to listen on (default: ${DEFAULT_PORT})`, portNumber)
      .option('--host <host>', 'address to listen on', DEFAULT_HOST)
      .option('--data <dir>', 'data folder (default: HOLTER_DATA, else the XDG state folder)')
      .option(
        '--config <file>',
        'holter.yaml (default: HOLTER_CONFIG, else the one in the XDG config folder)',
      )
      .option(
        '--database <url>',
        'where the data is: sqlite, in the data folder, or postgres://… (default: HOLTER_DATABASE, else holter.yaml)',
      )
      .option('--accept-restored', 'start with a database that you restored, or without one that is missing')
      .option('--tls-cert <file>', 'certificate with its chain (PEM), to serve https; SIGHUP reloads it')
      .option('--tls-key <file>', 'its private key (PEM)')
      .option('--insecure-because <reason>', 'listen on an address that others can reach, without TLS')
      .option(
        '--maestro-port <port>',
        'also take letters without a token, on this port of 127.0.0.1 (docs/remote-agents.md)',
        portNumber,
      )
      .option(
        '--ecos <dir>',
        'show agents, tasks and incidents in .ecos/agent-health of this project (docs/remote-agents.md)',
      )
      .addOption(
        new Option('--detach', 'run it in the background until `holter down`').conflicts(NOT_DETACHED),
      )
      .addOption(
        new Option(
          '--demo',
          'simulated agents that misbehave, 20 times as fast, in a separate data folder',
        ).conflicts('database'),
      )
      .addOption(
        new Option('--log-level <level>', 'how much to log (default: info; for the demo: warn)').choices(
          LOG_LEVELS,
        ),
      ),
    [
      ['holter up', 'on 127.0.0.1:4658, with the data folder of this user'],
      [
        'holter up --config examples/tour.yaml --data .holter',
        'use this configuration and a separate data folder',
      ],
      ['holter up --port 5000', 'on another port'],
      ['holter up --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem', 'reachable from other machines'],
      ['holter up --maestro-port 23000', 'also take letters of agents that have no token'],
      ['holter up --ecos .', 'also write .ecos/agent-health files in this project'],
      ['holter up --database postgres://holter@db.example.org/holter', 'keep the data in PostgreSQL'],
      ['holter up --detach', 'in the background'],
      ['holter up --accept-restored', 'after you have restored a backup of the database'],
      ['holter up --demo', 'watch a simulated fleet'],
    ],
  ).action((options: UpOptions) => up(io, options));
}

async function up(io: Io, options: UpOptions): Promise<void> {
  const loaded = load(io, options.config);
  if (loaded.kind === 'invalid') throw invalidConfig(loaded);
  probeFiles();
  if (options.detach) return detach(io, options);
  const { createLogger, RotatingLog, StartError, startServer } = await import('@holter/server');
  const logFile = new RotatingLog();
  // The log goes to stderr and to a file: stdout contains only the line that programs wait for.
  const logger = createLogger({
    write: io.err,
    isPretty: io.isLogTerminal,
    hasColour: io.isLogTerminal && io.hasColour,
    // The log of the demo would push the link to its page off the screen.
    level: options.logLevel ?? (options.demo ? 'warn' : 'info'),
    file: logFile,
  });
  const plain = { ...serverOptions(io, options, loaded.config, logger), logFile };
  const chosen = options.demo ? await (await import('../demo/demo-server.ts')).demoServer(plain) : plain;
  const server = await startServer(chosen).catch((error: unknown) => {
    if (!(error instanceof StartError)) throw error;
    throw new CliFailure(error.message, error.next.replace('holter up', asTyped(io, options)));
  });
  // One line with the address, and what to type next.
  io.out(`${readyLines(io, server, options)}\n`);
  if (io.isTerminal) io.out(`${await pageLine(io, server)}\n`);
  if (server.maestroUrl !== null)
    logger.info({ url: server.maestroUrl }, 'letters are taken here without a token');
  if (loaded.config.files.length > 0) logger.info({ files: loaded.config.files }, 'configuration');
  for (const warning of loaded.config.warnings) logger.warn(problemLine(warning));
  const signal = await new Promise<string>((stop) => {
    io.onStop(stop);
    io.onHangup((isTerminalGone) => {
      if (isTerminalGone) stop('SIGHUP');
      else server.reload(load(io, options.config));
    });
  });
  logger.info({ signal }, 'stopping');
  // A second signal ends the draining.
  io.onStop(() => void server.stop());
  await server.stop();
  logger.info('stopped');
}

async function detach(io: Io, { data, config, port }: UpOptions): Promise<void> {
  const { ensureServer } = await import('../background/ensure-server.ts');
  const { env, workingDirectory } = io;
  const folder = new DataFolder(dataFolderPath(data, env));
  const clock = realClock();
  const options = { folder, clock, env, workingDirectory, config, port, idleSeconds: null };
  const { url } = await ensureServer(options);
  if (port && Number(new URL(url).port) !== port)
    throw new CliFailure(
      `a server of this data folder listens on ${url} already, not on port ${port}`,
      'stop it first: holter down',
    );
  io.out(`Holter is listening on ${url}\n`);
}

/** The command for the next try: `npm start` and `npm run demo` call this one. */
function asTyped({ env }: Io, { demo }: UpOptions): string {
  if (env.npm_lifecycle_event === 'start') return 'npm start --';
  if (env.npm_lifecycle_event === 'demo') return 'npm run demo --';
  return demo ? 'holter up --demo' : 'holter up';
}

function serverOptions(
  io: Io,
  {
    host,
    port = DEFAULT_PORT,
    data,
    database,
    insecureBecause,
    acceptRestored,
    maestroPort,
    ecos,
    ...options
  }: UpOptions,
  config: ServerOptions['config'],
  logger: ServerOptions['logger'],
): ServerOptions {
  const tls = tlsFiles(io, options) ?? config.tls;
  return {
    dataFolder: dataFolderPath(data, io.env),
    config,
    version,
    logger,
    host,
    port,
    pageFolder: pageFolder(),
    isRestoreAccepted: acceptRestored === true,
    ...(database !== undefined && { database }),
    ...(tls && { tls }),
    ...(insecureBecause !== undefined && { insecureBecause }),
    ...(maestroPort !== undefined && { maestroPort }),
    ...(ecos !== undefined && { ecosFolder: resolve(io.workingDirectory, ecos) }),
  };
}

function tlsFiles(
  { workingDirectory }: Io,
  { tlsCert, tlsKey }: Pick<UpOptions, 'tlsCert' | 'tlsKey'>,
): ServerOptions['tls'] | null {
  if (tlsCert === undefined && tlsKey === undefined) return null;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new CliFailure('--tls-cert and --tls-key belong together', null, EXIT.usage);
  return { cert: resolve(workingDirectory, tlsCert), key: resolve(workingDirectory, tlsKey) };
}

function readyLines(io: Io, { url, dataFolder, tokensMade }: RunningServer, { data }: UpOptions): string {
  const paint = painter(io);
  const ready = `Holter is listening on ${paint('bold', url)}`;
  if (!io.isTerminal) return ready;
  const first = tokensMade.length > 0 ? ` (tokens are in ${dataFolder})` : '';
  const npx = io.env.npm_lifecycle_event === undefined ? '' : 'npx ';
  // Commands find the usual folder by themselves.
  const folder =
    data === undefined && dataFolder === dataFolderPath(undefined, io.env) ? '' : ` --data ${dataFolder}`;
  const hint = `In another terminal: ${npx}holter status${folder}    Ctrl-C stops it.`;
  return `${ready}${first}\n${paint('dim', hint)}`;
}

/** The link is a secret: it is printed on a terminal, but never to a pipe or a log. */
async function pageLine(io: Io, { url, dataFolder }: RunningServer): Promise<string> {
  const token = new DataFolder(dataFolder).readToken('operator');
  try {
    const link = await loginLink({ url, token }, 'operator', io.env.USER || io.env.LOGNAME);
    return `The page: ${painter(io)('bold', link)}  (works once, for five minutes)`;
  } catch {
    // The server runs even if it cannot be reached under this name from here.
    return 'The page: holter open prints a link to it';
  }
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('a port is a number from 1 to 65535 (0 lets the system choose).');
}

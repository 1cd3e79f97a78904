import {
  createLogger,
  type DataFolder,
  DEFAULT_PORT,
  findConfigFile,
  loadConfig,
  problemLine,
  RotatingLog,
  type RunningServer,
  StartError,
  startServer,
} from '@holter/server';
import { pageFolder } from '../package/page-folder.ts';
import { version } from '../package/version.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';

type HostOptions = {
  readonly folder: DataFolder;
  readonly config: string | undefined;
  /** Where it must listen; default: wherever it can. */
  readonly port?: number | undefined;
  readonly log: (text: string) => void;
  readonly logLevel: string;
};

/**
 * Starts the server inside this process, on the port of the folder's last server, because hooks of running sessions
 * go there; else on its usual port, else on any. It serves all agents of the folder, so a `holter.yaml` of the
 * working directory means nothing to it.
 */
export async function hostServer({
  folder,
  config,
  port,
  log,
  logLevel,
}: HostOptions): Promise<RunningServer> {
  const loaded = loadConfig(findConfigFile(config, process.env, process.cwd()), undefined, process.env);
  if (loaded.kind === 'invalid')
    throw new CliFailure(loaded.problems.map((problem) => problemLine(problem)).join('\n'), null, EXIT.usage);
  const logFile = new RotatingLog();
  // The error output of a server in the background is the log file itself.
  const write = (text: string): void => {
    if (!logFile.isSameAs(process.stderr.fd)) log(text);
  };
  const logger = createLogger({ write, isPretty: false, level: logLevel, file: logFile });
  const start = (chosen: number): Promise<RunningServer> =>
    startServer({
      dataFolder: folder.path,
      config: loaded.config,
      version,
      logger,
      logFile,
      port: chosen,
      pageFolder: pageFolder(),
    });
  try {
    return await startOnFirstFree(
      port === undefined ? [folder.readLastPort() ?? DEFAULT_PORT, DEFAULT_PORT, 0] : [port],
      start,
    );
  } catch (error) {
    if (error instanceof StartError) throw new CliFailure(error.message, error.next);
    throw error;
  }
}

async function startOnFirstFree<T>(
  [port = 0, ...others]: readonly number[],
  start: (port: number) => Promise<T>,
): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    const isTaken = error instanceof StartError && error.code === 'port_taken';
    if (isTaken && others.length > 0) return startOnFirstFree(others, start);
    throw error;
  }
}

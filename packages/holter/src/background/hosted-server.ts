import {
  createLogger,
  type DataFolder,
  DEFAULT_PORT,
  findConfigFile,
  loadConfig,
  problemLine,
  type RunningServer,
  StartError,
  startServer,
} from '@holter/server';
import { pageFolder } from '../package/page-folder.ts';
import { version } from '../package/version.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';

type HostOptions = {
  readonly folder: Pick<DataFolder, 'path'>;
  readonly config: string | undefined;
  readonly log: (text: string) => void;
  readonly logLevel: string;
};

/**
 * Starts the server inside this process, on its usual port if that is free. Clients find its address in the data
 * folder. It serves all agents of the folder, so a `holter.yaml` of the working directory means nothing to it.
 */
export async function hostServer({ folder, config, log, logLevel }: HostOptions): Promise<RunningServer> {
  const loaded = loadConfig(findConfigFile(config, process.env, process.cwd()));
  if (loaded.kind === 'invalid')
    throw new CliFailure(loaded.problems.map((problem) => problemLine(problem)).join('\n'), null, EXIT.usage);
  const logger = createLogger({ write: log, isPretty: false, hasColour: false, level: logLevel });
  const start = (port: number): Promise<RunningServer> =>
    startServer({
      dataFolder: folder.path,
      config: loaded.config,
      version,
      logger,
      port,
      pageFolder: pageFolder(),
    });
  try {
    return await start(DEFAULT_PORT).catch((error: unknown) => {
      if (error instanceof StartError && error.code === 'port_taken') return start(0);
      throw error;
    });
  } catch (error) {
    if (error instanceof StartError) throw new CliFailure(error.message);
    throw error;
  }
}

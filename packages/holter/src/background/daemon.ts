import { DataFolder, type RunningServer, realClock } from '@holter/server';
import { Command, InvalidArgumentError } from 'commander';
import { CliFailure } from '../terminal/failure.ts';
import { IDLE_SECONDS } from './ensure-server.ts';
import { hostServer } from './hosted-server.ts';
import { isWanted } from './is-needed.ts';

type DaemonOptions = {
  readonly data: string;
  readonly config?: string;
  readonly idleSeconds: number;
  readonly stay?: boolean;
  readonly port?: number;
};

const LOOKS_PER_WAIT = 20;
const LOOK_MS_MAX = 60_000;

/**
 * The server in the background. It serves all commands that use the same data folder. One that `holter run` or a
 * hook has started ends itself when it has not been needed for a while.
 */
export async function daemonMain(argv: readonly string[]): Promise<number> {
  const command = new Command('daemon')
    .requiredOption('--data <dir>')
    .option('--config <file>')
    .option('--idle-seconds <seconds>', '', wholeSeconds, IDLE_SECONDS)
    .option('--stay')
    .option('--port <port>', '', Number)
    .parse([...argv], { from: 'user' });
  const options = command.opts<DaemonOptions>();
  const folder = new DataFolder(options.data);
  const log = (text: string): void => void process.stderr.write(text);
  try {
    const { config, port } = options;
    folder.forgetStay(process.pid);
    const server = await hostServer({ folder, config, port, log, logLevel: 'info' });
    await untilNotNeeded(
      server,
      folder,
      options.stay ? Number.POSITIVE_INFINITY : options.idleSeconds * 1_000,
    );
    await server.stop();
    folder.forgetStay(process.pid);
    return 0;
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    log(`${error.message}\n`);
    return error.exitCode;
  }
}

/** Waits until there was no live agent and no open incident for this long, or until it is asked to stop. */
async function untilNotNeeded({ url }: RunningServer, folder: DataFolder, idleMs: number): Promise<void> {
  const clock = realClock();
  let isAsked = false;
  let endWait: () => void = () => undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      isAsked = true;
      endWait();
    });
  // A closed terminal is no reason to end: other runs may need it.
  process.on('SIGHUP', () => undefined);
  for (let neededAt = clock.now(); !isAsked && clock.now() - neededAt < idleMs; ) {
    await new Promise<void>((resolve) => {
      endWait = resolve;
      clock.after(Math.min(LOOK_MS_MAX, Math.max(250, idleMs / LOOKS_PER_WAIT)), resolve);
    });
    if (idleMs < Number.POSITIVE_INFINITY && (await isWanted(folder, url))) neededAt = clock.now();
  }
}

function wholeSeconds(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number of seconds is needed.');
}

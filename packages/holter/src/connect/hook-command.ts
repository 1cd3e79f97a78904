import { DataFolder, dataFolderPath, realClock } from '@holter/server/local';
import type { Command } from 'commander';
import { ensureServer, IDLE_SECONDS } from '../background/ensure-server.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';

/** Called by the settings of connected agents, not by people. */
export function registerHook(program: Command, io: Io): void {
  const hook = program.command('hook', { hidden: true }).description('what hooks of connected agents call');
  withExamples(
    hook
      .command('session-start')
      .description('start the server of the data folder if none runs, and wait until it answers')
      .option('--data <dir>', 'data folder (default: HOLTER_DATA, else the XDG state folder)'),
    [['holter hook session-start', 'when a session begins']],
  ).action(async ({ data }: { readonly data?: string }) => {
    const { env, workingDirectory } = io;
    const folder = new DataFolder(dataFolderPath(data, env));
    await ensureServer({ folder, clock: realClock(), env, workingDirectory, idleSeconds: IDLE_SECONDS });
  });
}

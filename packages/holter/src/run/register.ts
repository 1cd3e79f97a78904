import type { Command } from 'commander';
import type { Io } from '../terminal/io.ts';
import { runCommand } from './run-command.ts';

/** For the list of commands. `holter run …` itself never gets here: main.ts takes the short way. */
export function registerRun(program: Command, io: Io): void {
  program.addCommand(
    runCommand()
      .copyInheritedSettings(program)
      .action(async () => {
        const { runMain } = await import('./command.ts');
        io.setExitCode(await runMain(program.args.slice(1)));
      }),
  );
}

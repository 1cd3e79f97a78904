import type { Command } from 'commander';
import type { Io } from '../terminal/io.ts';
import { runCommand } from './run-command.ts';

/** Lists `run` in the help. `holter run …` itself is started by main.ts without loading this file. */
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

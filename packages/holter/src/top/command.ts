import type { Command } from 'commander';
import { refuseAgents, type ServerOptions, withServer } from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';

type TopOptions = ServerOptions & { readonly config?: string };

export function registerTop(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('top')
        .description('show agents live in the terminal: who needs you, why, and what you can decide')
        .option('--config <file>', 'holter.yaml with top.triage_command (default: as for holter up)'),
    ),
    [
      ['holter top', 'the agents of the local server; ? shows the keys'],
      ['HOLTER_URL=https://holter.example:4658 holter top', 'of a server elsewhere'],
    ],
  ).action(async (options: TopOptions) => {
    refuseAgents(io, 'top');
    if (!io.isTerminal || process.stdin.isTTY !== true)
      throw new CliFailure('holter top needs a terminal', 'for a script: holter status --json', EXIT.usage);
    // React checks what it is given in development only; it reads this when it is loaded.
    process.env.NODE_ENV ??= 'production';
    const { runTop } = await import('./run-top.ts');
    await runTop(io, options);
  });
}

import { Command } from 'commander';
import { withExamples } from '../terminal/help.ts';
import { withRunOptions } from './options.ts';

/** The arguments and options of `holter run`. */
export function runCommand(): Command {
  return withExamples(
    withRunOptions(
      new Command('run')
        .description('watch a command: `holter run [options] -- COMMAND…`')
        .usage('[options] -- COMMAND…')
        .argument('<command...>', 'the command and its arguments'),
    ),
    [
      ['holter run -- node agent.js', 'watched; its exit code is passed through'],
      ['holter run --checkpoint-file state.json -- ./work', 'restarted from its state if it crashes'],
      ['holter run --heartbeat output -- make test', 'expected to print something every minute'],
    ],
  );
}

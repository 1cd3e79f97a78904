import type { Command } from 'commander';

export type Example = readonly [line: string, does: string];

/** Every command's help ends with examples: people read those first. */
export function withExamples(command: Command, examples: readonly Example[]): Command {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, does]) => `  $ ${line.padEnd(width)}  # ${does}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

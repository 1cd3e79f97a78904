import { page } from './markdown.ts';
import type { CliCommand } from './program.ts';

export const cli = (commands: readonly CliCommand[]): string =>
  page(
    'Command line',
    'the commands in `packages/holter/src`, as their `--help` prints them',
    'Exit codes: 0 fine, 1 error, 2 wrong usage, 3 found something wrong. `HOLTER_URL` and `HOLTER_TOKEN` name a server elsewhere, `HOLTER_DATA` the data folder (by default the XDG state folder), `HOLTER_CONFIG` the `holter.yaml` of the operator (by default the one in the XDG configuration folder).',
    ...commands
      .filter(({ words, isGroup }) => words.length === 1 || !isGroup)
      .flatMap(({ words, help }) => [
        ...(words.length === 1 ? [] : [`## ${words.join(' ')}`]),
        `\`\`\`text\n${help}\n\`\`\``,
      ]),
  );

import { expect, it } from 'vitest';
import { watchedCommand } from './watched-command.ts';

const OPTIONS = ['--agent', 'gt-alpha-witness', '--group', 'alpha'];
const words = (command: readonly string[]): string => watchedCommand(OPTIONS, command).slice(2).join(' ');

it('watches a command under the name of its session', () => {
  expect(words(['claude', '--model', 'haiku'])).toBe(
    'run --agent gt-alpha-witness --group alpha -- claude --model haiku',
  );
  expect(words(['holter', 'deacon', 'run'])).toContain('-- holter deacon run');
});

it('does not watch twice, and leaves the options of the operator their effect', () => {
  expect(words(['/usr/local/bin/holter', 'run', '--group', 'beta', '--', 'claude'])).toBe(
    'run --agent gt-alpha-witness --group alpha --group beta -- claude',
  );
});

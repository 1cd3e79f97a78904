import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';
import type { Io } from '../terminal/io.ts';

async function script(shell: string): Promise<string> {
  let said = '';
  const io = {
    out: (text: string): void => {
      said += text;
    },
    err: () => undefined,
    env: {},
    width: 100,
  };
  const program = await createProgram(io as unknown as Io, 'completion');
  await program.parseAsync(['node', 'holter', 'completion', shell]);
  return said;
}

describe('completion in a real bash', () => {
  let bash = '';
  beforeAll(async () => {
    bash = await script('bash');
    // It loads every command.
  }, 60_000);

  const completed = (...words: readonly string[]): readonly string[] => {
    const line = ['holter', ...words].map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _holter; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync('bash', ['--norc', '-c', `${bash}\n${ask}`], { encoding: 'utf8' });
    return out.split('\n').filter(Boolean);
  };

  it('knows commands, subcommands, options and choices', () => {
    expect(completed('sta')).toEqual(['status']);
    expect(completed('token', '')).toEqual(expect.arrayContaining(['create', 'list', 'revoke']));
    expect(completed('token', 'create', '--na')).toEqual(['--name']);
    expect(completed('--url', 'x', 'status', '--st')).toEqual(['--state']);
    expect(completed('completion', 'f')).toEqual(['fish']);
  });

  it('leaves the words of a command that is run to bash', () => {
    expect(completed('run', '--', 'sta')).toEqual([]);
  });

  it('does not offer what only hooks call', () => {
    expect(completed('hoo')).toEqual([]);
  });
});

it('zsh uses the same, and fish has a line for each word', async () => {
  expect(await script('zsh')).toMatch(/^autoload -U \+X bashcompinit && bashcompinit\n_holter\(\)/);
  const fish = await script('fish');
  expect(fish).toContain("complete -c holter -n '__fish_use_subcommand' -f -a status -d 'list agents");
  expect(fish).toMatch(/seen_subcommand_from token; and __fish_seen_subcommand_from create' -l name/);
});

import { type Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from './program.ts';
import type { Io } from './terminal/io.ts';

let said = '';
const io: Io = {
  out: (text) => {
    said += text;
  },
  err: (text) => {
    said += text;
  },
  env: {},
  workingDirectory: '.',
  isTerminal: false,
  hasColour: false,
  isLogTerminal: false,
  width: 100,
  setExitCode: () => undefined,
  onStop: () => () => undefined,
  onHangup: () => undefined,
};

/** Every command without subcommands, with the words that call it. */
function commandsOf(command: Command, words: readonly string[] = []): readonly (readonly string[])[] {
  if (command.commands.length === 0) return [words];
  return command.commands.flatMap((each) => commandsOf(each, [...words, each.name()]));
}

const commands = commandsOf(await createProgram(io));

describe('the help', () => {
  it('knows every command of the design', () => {
    const names = new Set(commands.map(([name]) => name));
    const wanted =
      'up status show why events nudge decide terminate recover pause resume snooze wake wrong task token doctor config db sim replay';
    expect(wanted.split(' ').filter((name) => !names.has(name))).toEqual([]);
  });

  it('is loaded for one command alone, by its first word', async () => {
    const words = new Set(commands.map(([word]) => word));
    for (const word of words) {
      const alone = commandsOf(await createProgram(io, word)).filter(([first]) => first === word);
      expect(alone).toEqual(commands.filter(([first]) => first === word));
    }
    expect(commandsOf(await createProgram(io, 'status'))).toEqual([['status']]);
    expect(commandsOf(await createProgram(io, 'statsu'))).toEqual(commands);
  });

  it.each(commands.map((words) => [words.join(' ')]))('%s has examples', async (words) => {
    said = '';
    const asked = (await createProgram(io)).parseAsync(['node', 'holter', ...words.split(' '), '--help']);
    await expect(asked).rejects.toThrow(CommanderError);
    expect(said).toMatch(/Examples:\n {2}\$ (holter|npx) /);
    for (const [line] of said.matchAll(/.{140,}/g)) expect(line).toBe('a line that fits');
  });

  it.each([
    ['why'],
    ['show'],
    ['status'],
    ['events'],
    ['doctor'],
    ['token list'],
    ['cost'],
    ['alerts list'],
    ['maintenance list'],
    ['config show'],
    ['db check'],
  ])('%s reads, so it has --json', async (words) => {
    said = '';
    const asked = (await createProgram(io)).parseAsync(['node', 'holter', ...words.split(' '), '--help']);
    await expect(asked).rejects.toThrow(CommanderError);
    expect(said).toContain('--json');
  });
});

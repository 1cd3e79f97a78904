import type { CliCommand } from './program.ts';

/** Lines of a page that call `holter`: in code blocks, and alone between backticks. */
export function commandLinesOf(markdown: string): readonly string[] {
  const lines: string[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    else if (isCode || line.startsWith('    ')) lines.push(line);
    else lines.push(...[...line.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
  }
  return lines.flatMap((line) => {
    const called = /^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:npx )?(holter .*)$/.exec(line)?.[1];
    return called === undefined ? [] : [called];
  });
}

/** What stands for something that the reader fills in. */
const isPlaceholder = (word: string): boolean => /…|\.\.\.|^[A-Z][A-Z_|-]*$/.test(word);

/** Why the program would not accept this line; null if it would. Only names and numbers of words are compared. */
export function whyNotParsed(line: string, commands: readonly CliCommand[]): string | null {
  const plain = line
    .replace(/\s+#.*$/, '')
    .replace(/\s*[|;&>].*$/, '')
    .trim();
  const words = [...plain.matchAll(/"[^"]*"|'[^']*'|\[[^\]]*\]|\S+/g)].map(([word]) => word);
  // `[--follow]` in prose is an option that may be left out.
  const given = words.flatMap((word) => (word.startsWith('[') ? word.slice(1, -1).split(' ') : [word]));
  const command = commands
    .filter((each) => each.words.every((word, index) => given[index] === word))
    .sort((one, other) => other.words.length - one.words.length)[0];
  const next = given[command?.words.length ?? 0] ?? '--help';
  if (!command || (command.isGroup && !next.startsWith('-') && !isPlaceholder(next)))
    return `there is no command ${given.slice(0, 3).join(' ')}`;
  return whyNotTaken(given.slice(command.words.length), command);
}

function whyNotTaken(rest: readonly string[], command: CliCommand): string | null {
  let count = 0;
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? '';
    if (word === '--') {
      count += rest.length - index - 1;
      break;
    }
    if (!word.startsWith('-')) {
      count += 1;
      continue;
    }
    const [name = ''] = word.split('=', 1);
    if (['--help', '-h', '--version', '-V'].includes(name)) return null;
    const option = command.options.find(({ names }) => names.includes(name));
    if (!option) return `${command.words.join(' ')} has no option ${name}`;
    if (option.value === 'needed' && !word.includes('=')) index += 1;
  }
  const isOpen = command.isGroup || command.arguments.some(({ variadic }) => variadic);
  if (!isOpen && count > command.arguments.length && !rest.some(isPlaceholder))
    return `${command.words.join(' ')} takes ${command.arguments.length} words, not ${count}`;
  return null;
}

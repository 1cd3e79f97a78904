/**
 * The words of a shell command, as far as needed to tell a program and its subcommand from a file, a URL or a text
 * that happens to contain the same word. Quotes and escapes are respected; variables and here-documents are not
 * read. Commands inside `$( … )` and parentheses are commands of their own.
 */
export type SimpleCommand = {
  readonly words: readonly string[];
  /** Sent to the background. */
  readonly isBackground: boolean;
};

const QUOTES = '"\'';
const BLANK = /\s/;

export function simpleCommands(command: string): SimpleCommand[] {
  const found: SimpleCommand[] = [];
  let words: string[] = [];
  let word = '';
  const endWord = (): void => {
    if (word !== '') words.push(word);
    word = '';
  };
  const endCommand = (isBackground: boolean): void => {
    endWord();
    if (words.length > 0) found.push({ words, isBackground });
    words = [];
  };
  let index = 0;
  while (index < command.length) {
    const char = command[index] ?? '';
    const next = command[index + 1] ?? '';
    if (QUOTES.includes(char)) {
      const close = command.indexOf(char, index + 1);
      const end = close < 0 ? command.length : close;
      word += command.slice(index + 1, end);
      index = end + 1;
      continue;
    }
    if (char === '\\') {
      word += next;
      index += 2;
      continue;
    }
    if (char === '#' && word === '') {
      const line = command.indexOf('\n', index);
      index = line < 0 ? command.length : line;
      continue;
    }
    if (char === '&' && isPartOfWord(word, next)) word += char;
    else if (char === '&' && next !== '&') endCommand(true);
    else if (';|&\n()`'.includes(char)) {
      // `&&` and `||` are one sign, and an empty command between two signs is none.
      if (next === char) index += 1;
      endCommand(false);
    } else if (BLANK.test(char)) endWord();
    else word += char;
    index += 1;
  }
  endCommand(false);
  return found;
}

/** `2>&1`, `&>log`, and a URL with a query that somebody forgot to quote. */
const isPartOfWord = (word: string, next: string): boolean =>
  word.endsWith('>') || word.endsWith('<') || next === '>' || (word.includes('?') && /[\w%]/.test(next));

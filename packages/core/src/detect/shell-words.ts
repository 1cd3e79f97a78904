import { isBlank } from './blank.ts';

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

const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const HASH_SIGN = 35;
const AMPERSAND = 38;
const BACKSLASH = 92;

/** Signs that end a command. */
const ENDS = new Uint8Array(128);
for (const sign of ';|&\n()`') ENDS[sign.charCodeAt(0)] = 1;

export function simpleCommands(command: string): SimpleCommand[] {
  const found: SimpleCommand[] = [];
  let words: string[] = [];
  let word = '';
  /** Where the part of the word begins that was not copied yet; -1 if there is none. */
  let start = -1;
  const take = (end: number): void => {
    if (start >= 0) word += command.slice(start, end);
    start = -1;
  };
  const endWord = (end: number): void => {
    take(end);
    if (word !== '') words.push(word);
    word = '';
  };
  const endCommand = (end: number, isBackground: boolean): void => {
    endWord(end);
    if (words.length > 0) found.push({ words, isBackground });
    words = [];
  };
  let index = 0;
  while (index < command.length) {
    const code = command.charCodeAt(index);
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      take(index);
      const close = command.indexOf(code === DOUBLE_QUOTE ? '"' : "'", index + 1);
      const end = close < 0 ? command.length : close;
      word += command.slice(index + 1, end);
      index = end + 1;
      continue;
    }
    if (code === BACKSLASH) {
      take(index);
      word += command.charAt(index + 1);
      index += 2;
      continue;
    }
    if (code === HASH_SIGN && start < 0 && word === '') {
      const line = command.indexOf('\n', index);
      index = line < 0 ? command.length : line;
      continue;
    }
    if (code === AMPERSAND) {
      take(index);
      const next = command.charAt(index + 1);
      if (isPartOfWord(word, next)) start = index;
      else {
        endCommand(index, next !== '&');
        // `&&` and `||` are one sign, and an empty command between two signs is none.
        if (next === '&') index += 1;
      }
    } else if (code < 128 && ENDS[code] === 1) {
      endCommand(index, false);
      if (command.charCodeAt(index + 1) === code) index += 1;
    } else if (isBlank(code)) endWord(index);
    else if (start < 0) start = index;
    index += 1;
  }
  endCommand(index, false);
  return found;
}

/** `2>&1`, `&>log`, and a URL with a query that somebody forgot to quote. */
const isPartOfWord = (word: string, next: string): boolean =>
  word.endsWith('>') || word.endsWith('<') || next === '>' || (word.includes('?') && /[\w%]/.test(next));

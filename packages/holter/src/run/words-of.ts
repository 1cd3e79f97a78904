import { CODE, RunFailure } from './end.ts';

/** The placeholders of a resume command. */
type Placeholders = Readonly<Record<'agent' | 'task' | 'checkpoint' | 'attempt' | 'reason', string>>;

/**
 * Splits a command line into words, with quotes as in a shell but without variables, globs and pipes. Text of an
 * agent can end up in a placeholder, and must stay one word.
 */
export function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let index = 0; index < line.length; index++) {
    const char = line[index] ?? '';
    if (quote !== null) {
      if (char === quote) quote = null;
      else if (char === '\\' && quote === '"' && /["\\]/.test(line[index + 1] ?? ''))
        word += line[++index] ?? '';
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\' && index + 1 < line.length) word = (word ?? '') + (line[++index] ?? '');
    else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  if (quote !== null) throw new RunFailure(CODE.usage, `--resume-command: the quote ${quote} is not closed`);
  if (word !== null) words.push(word);
  if (words.length === 0) throw new RunFailure(CODE.usage, '--resume-command: it is empty');
  if (words.some((each) => each.includes('{reason}') && !/^(?:[\w-]+=)?\{reason\}$/.test(each)))
    throw new RunFailure(CODE.usage, `--resume-command: ${REASON_ALONE}`);
  return words;
}

/** Words of a person inside a script of `sh -c` would be commands. */
const REASON_ALONE =
  '{reason} has to be an argument of its own, or the value of an option (--why={reason}); a script reads $HOLTER_RESTART_REASON';

export const fillIn = (words: readonly string[], values: Placeholders): readonly string[] =>
  words.map((word) =>
    word.replace(
      /\{(agent|task|checkpoint|attempt|reason)\}/g,
      (_all, name: keyof Placeholders) => values[name],
    ),
  );

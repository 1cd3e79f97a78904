import { commandOf } from './call-shape.ts';
import { simpleCommands } from './shell-words.ts';

/**
 * A call that looks for something, so that silence means that it found nothing. Most programs that succeed in silence
 * have done something (`mkdir`, `psql -f`); a search has not.
 */
const SEARCHES = new Set([
  'find',
  'fd',
  'locate',
  'grep',
  'egrep',
  'fgrep',
  'zgrep',
  'rg',
  'ag',
  'ack',
  'ls',
]);
/** `find … -exec rm {} +` is no search. */
const ACTS = /^-(?:exec|execdir|ok|delete|fprint|fls)/;
const QUESTION_KEY = /^(?:pattern|query|regex|search|glob|keywords?|q)$/i;
const COMMAND_MAX = 1_000;

export function isSearchCall(input: unknown): boolean {
  const command = commandOf(input).slice(0, COMMAND_MAX);
  if (command === '') return hasQuestion(input);
  const all = simpleCommands(command).map(({ words }) => words.filter((word) => !/^\w+=/.test(word)));
  return all.some(isSearch) && all.every((words) => isSearch(words) || isPlain(words[0] ?? ''));
}

function isSearch(words: readonly string[]): boolean {
  const name = (words[0] ?? '').slice((words[0] ?? '').lastIndexOf('/') + 1);
  const isGitGrep = name === 'git' && words[1] === 'grep';
  return (isGitGrep || SEARCHES.has(name)) && !words.some((word) => ACTS.test(word));
}

/** What stands before and after a search without doing anything: `cd src && grep x . | head || true`. */
const isPlain = (program: string): boolean =>
  /^(?:cd|head|tail|sort|uniq|wc|cut|true|echo|cat|xargs|awk|sed|:)$/.test(program);

function hasQuestion(input: unknown): boolean {
  return (
    typeof input === 'object' && input !== null && Object.keys(input).some((key) => QUESTION_KEY.test(key))
  );
}

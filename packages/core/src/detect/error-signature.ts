import { withoutColours } from './error-text.ts';
import { finish, HASH_SEED, hashString, mix, mixString } from './hash.ts';

/**
 * What an error is about, in a few words: the same for eight paths that are denied and for eight commands that time
 * out.
 *
 * Only the first 1,500 and the last 500 characters are read. With a traceback, the signature is the last line that
 * names an exception: its name and its first six words. Otherwise it is taken from the first line with an error word:
 * three words before that word and seven from it on. Quoted text, what the call's own arguments say, and everything
 * that is not purely letters (paths, numbers, names with digits) are left out. Without a word there is no signature.
 */
type ErrorRead = {
  readonly signature: number;
  /** The fault is around the work, not in it: a time-out, a missing program, a refusal, wrong usage. */
  readonly isEnvironment: boolean;
};

const HEAD = 1_500;
const TAIL = 500;
const LINE_MAX = 400;
const BEFORE = 3;
const FROM = 7;
const WORDS_OF_EXCEPTION = 6;
/** Shorter words appear in any argument by chance. */
const ECHO_MIN = 4;

const ERROR_WORD =
  /\b(?:\w{0,40}error|\w{0,40}exception|fail(?:ed|s|ure|ures|ing)?|fatal|can(?:not|'t)|could(?: not|n't)|unable|not|no (?:such|space|route)|already in use|denied|refused|invalid|illegal|timed out|time-?out|killed|aborted|rejected|unknown|unrecogni[sz]ed|usage|missing|unexpected|must|required|doesn't|didn't|isn't|wrong)\b/i;
const TRACEBACK = 'Traceback (most recent call last)';
const EXCEPTION = /^\s{0,12}((?:\w{1,60}\.){0,8}\w{0,60}(?:Error|Exception|Exit|Interrupt))\b:?(.{0,300})/;
const TIMED_OUT = /\btimed out\b|\btime-?out\b|\bdeadline exceeded\b|\bkilled\b/i;
const ENVIRONMENT =
  /\b(?:not found|no such|does(?: not|n't) exist|denied|refused|unreachable|not permitted|not allowed|read-only|usage|unrecogni[sz]ed|unknown (?:option|argument|command|flag|tool|parameter)|(?:invalid|unexpected|missing|required|wrong)(?: \w{1,20}){0,2} (?:arguments?|options?|choice|parameters?|keyword|format|json|input)|did not (?:match|appear)|not unique|no space left|no route|already in use|verification failed|network is down|name resolution|(?:could(?: not|n't)|can(?:not|'t)|unable to) (?:resolve|locate|connect|reach)|multiple (?:matches|occurrences)|rejected|too (?:much|many|large|long|big)|already exists|not installed|not available|(?:can(?:not|'t)|could(?: not|n't)) find (?:module|package|command|file|path|program)|no module named)\b/i;
const QUOTED = /"[^"\n]{0,200}"|'[^'\n]{0,200}'|`[^`\n]{0,200}`/g;

const TIME_OUT: ErrorRead = { signature: hashString('timed out'), isEnvironment: true };

export function readError(output: string, echo: string): ErrorRead | null {
  const text = withoutColours(
    output.length <= HEAD + TAIL ? output : `${output.slice(0, HEAD)}\n${output.slice(-TAIL)}`,
  );
  if (text.includes(TRACEBACK)) {
    const exception = lastException(text);
    if (exception !== null) return exception;
  }
  for (const line of text.split('\n')) {
    const cut = line.length > LINE_MAX ? line.slice(0, LINE_MAX) : line;
    const found = ERROR_WORD.exec(cut);
    if (found === null) continue;
    if (TIMED_OUT.test(cut)) return TIME_OUT;
    const before = wordsOf(cut.slice(0, found.index), echo);
    const words = [...before.slice(-BEFORE), ...wordsOf(cut.slice(found.index), echo, FROM)];
    if (words.length > 0) return { signature: hashWords(words), isEnvironment: ENVIRONMENT.test(cut) };
  }
  return null;
}

function lastException(text: string): ErrorRead | null {
  const lines = text.split('\n');
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index]?.slice(0, LINE_MAX) ?? '';
    const found = EXCEPTION.exec(line);
    if (found === null) continue;
    const [, name = '', rest = ''] = found;
    if (TIMED_OUT.test(line)) return TIME_OUT;
    const words = [name, ...wordsOf(rest, '', WORDS_OF_EXCEPTION)];
    return { signature: hashWords(words), isEnvironment: ENVIRONMENT.test(line) };
  }
  return null;
}

const WORD = /^[a-z]+(?:n't)?$/i;
const AROUND_WORD = /^[("[<{]+|[)"\]>}.,:;!?]+$/g;

/** The first purely alphabetic words in lower case, without quotes and echoes. */
function wordsOf(text: string, echo: string, countMax = Number.POSITIVE_INFINITY): string[] {
  const words: string[] = [];
  for (const token of text.replace(QUOTED, ' ').split(/\s+/)) {
    const isPlain = WORD.test(token);
    const word = isPlain ? token : token.replace(AROUND_WORD, '');
    if (!isPlain && !WORD.test(word)) continue;
    if (word.length >= ECHO_MIN && echo.includes(word)) continue;
    words.push(word.toLowerCase());
    if (words.length === countMax) break;
  }
  return words;
}

function hashWords(words: readonly string[]): number {
  let hash = HASH_SEED;
  for (const word of words) hash = mixString(mix(hash, 32), word);
  return finish(hash);
}

/**
 * What the text of a result says about the call. Harnesses differ in how they report a failure (Codex and Gemini
 * only say it in the text), so where `error` is unknown the first and last lines are read. Only known wordings
 * count: a wrong "error" would turn a changed result into a repeated one.
 */
const HEAD = 240;
const TAIL = 240;

const FAILED_HEAD =
  /^\s*(?:<tool_use_error>|error\b|exception\b|fatal\b|traceback \(most recent call last\)|failed\b|invalid\b|[\w./-]+: (?:command not found|no such file|permission denied))/i;
const FAILED_TAIL =
  /(?:exit(?:ed)?(?: with)?(?: status| code)?:? (?:code )?[1-9]\d*\b|exit code: [1-9]|(?:Error|Exception): )/;
const UNKNOWN_TOOL =
  /no (?:tool|function) (?:named|called)|not a (?:valid|known|recogni[sz]ed|registered) (?:tool|function)|(?:unknown|unrecognized|unrecognised|invalid|unsupported|no such|undefined) (?:tool|function|command name)|(?:tool|function)\b[^.\n]{0,60}(?:not found|does not exist|doesn't exist|not available|is not available|not registered|not defined|unknown|is not a valid|not recognized)/i;
const RATE_LIMITED = /rate.?limit|too many requests|\b429\b|retry.?after|overloaded|quota exceeded|throttl/i;
/** A short answer in other words: "Your search returned no results for X." */
const NOTHING_SENTENCE =
  /\b(?:no|0|zero|not|nothing|none|empty|without|couldn't|could not)\b[^\n]{0,60}\b(?:match(?:es|ed|ing)?|results?|found|find|hits?|files?|documents?|records?|rows?|entries|output|items?|symbols?|references?|occurrences?)\b/i;
const NOTHING_JSON =
  /^[[{](?:[^[\]{}]|\[\s{0,9}\]|\{\s{0,9}\}){0,160}(?:\[\s{0,9}\]|\{\s{0,9}\}|:\s{0,9}(?:0|null))(?:[^[\]{}]|\[\s{0,9}\]|\{\s{0,9}\}){0,160}[\]}]$/;
/** A cheap check first: most results contain none of these words. */
const MAY_BE_NOTHING =
  /\b(?:no|not|nothing|none|null|0|zero|empty|without|couldn't|could)\b|\[\s*\]|\{\s*\}|^\s*[-[(<=]/i;
const MISSING = /\bno such\b|\bexist|\bcommand not found\b|\bmodule\b|\bdenied\b|\bstring\b/i;
const SENTENCE_MAX = 160;
const NOTHING =
  /^\s*(?:\[\]|\{\}|null|none|0|\(no output\)|no (?:\w+ ){0,3}(?:matches|match|results?|files?|documents?|entries|hits|output|items|occurrences)(?: \w+){0,6}|nothing found|found 0 \w+(?: \w+){0,4}|0 (?:matches|results?|hits|files?)(?: \w+){0,4}|not found)\s*(?:[.!]\s*)?$/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is meant
const COLOUR = /\u001b\[[0-9;]{0,20}[A-Za-z]/g;
/** A footer: from a horizontal rule on, or a last line in brackets. */
const FOOTER = /(?:^|\n)\s*(?:-{3,}|={3,})\s*\n[\s\S]*$|(?:^|\n)\s*[[(<][^\n]{3,}[\])>]\s*$/;

export const withoutColours = (text: string): string =>
  text.includes('\u001b') ? text.replace(COLOUR, '') : text;

export function isFailure(error: boolean | null, output: string): boolean {
  if (error !== null) return error;
  if (output.length === 0) return false;
  return FAILED_HEAD.test(output.slice(0, HEAD)) || FAILED_TAIL.test(output.slice(-TAIL));
}

export const saysUnknownTool = (output: string): boolean => UNKNOWN_TOOL.test(output.slice(0, HEAD));

export const saysRateLimited = (output: string): boolean => RATE_LIMITED.test(output.slice(0, 2 * HEAD));

/** A search that found nothing and was reported as a failure; a missing file or program is one. */
export const saysNoMatch = (output: string): boolean =>
  saysNothing(output) && !MISSING.test(withoutColours(output));

/**
 * How an answer says that there is nothing: in words (no match, no row, no file), or by silence. A program that
 * succeeds in silence may well have done something.
 */
export type Nothing = 'in-words' | 'silent';

export function readNothing(output: string): Nothing | null {
  const answer = shortAnswer(output);
  if (answer === null) return null;
  if (answer === '') return 'silent';
  return isNothing(answer) ? 'in-words' : null;
}

const saysNothing = (output: string): boolean => readNothing(output) !== null;

/** Without colours and footer; null if it is too long or has no word that could mean nothing. */
function shortAnswer(output: string): string | null {
  if (output.length > 2 * HEAD) return null;
  const plain = withoutColours(output);
  if (!MAY_BE_NOTHING.test(plain)) return plain.trim() === '' ? '' : null;
  return plain.replace(FOOTER, '').trim();
}

function isNothing(answer: string): boolean {
  if (NOTHING.test(answer)) return true;
  if (answer.length > SENTENCE_MAX || answer.includes('\n')) return false;
  return NOTHING_SENTENCE.test(answer) || NOTHING_JSON.test(answer);
}

const NO_PROBLEM =
  /\b(?:no|0) (?:\w{1,20} ){0,2}(?:errors?|problems?|issues?|warnings?|failures?|violations?)\b/i;

/** The answer of a linter or a compiler that found nothing wrong; "ok" may be the answer of anything. */
export const saysNoProblem = (output: string): boolean =>
  NO_PROBLEM.test(withoutColours(output.slice(0, HEAD))) ||
  (output.length > HEAD && NO_PROBLEM.test(withoutColours(output.slice(-TAIL))));

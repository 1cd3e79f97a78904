import { finish, HASH_SEED, mix, mixString } from './hash.ts';

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
  /(?:exit(?:ed)?(?: with)?(?: status| code)?:? (?:code )?[1-9]\d*\b|exit code: [1-9]|\w*(?:Error|Exception): )/;
const UNKNOWN_TOOL =
  /no (?:tool|function) (?:named|called)|not a (?:valid|known|recogni[sz]ed|registered) (?:tool|function)|(?:unknown|unrecognized|unrecognised|invalid|unsupported|no such|undefined) (?:tool|function|command name)|(?:tool|function)\b[^.\n]{0,60}(?:not found|does not exist|doesn't exist|not available|is not available|not registered|not defined|unknown|is not a valid|not recognized)/i;
const RATE_LIMITED = /rate.?limit|too many requests|\b429\b|retry.?after|overloaded|quota exceeded|throttl/i;
/** A short answer in other words: "Your search returned no results for X." */
const NOTHING_SENTENCE =
  /\b(?:no|0|zero|not|nothing|none|empty|without|couldn't|could not)\b[^\n]{0,60}\b(?:match(?:es|ed|ing)?|results?|found|find|hits?|files?|documents?|records?|rows?|entries|output|items?|symbols?|references?|occurrences?)\b/i;
const NOTHING_JSON =
  /^[[{](?:[^[\]{}]|\[\s*\]|\{\s*\})*(?:\[\s*\]|\{\s*\}|:\s*(?:0|null))(?:[^[\]{}]|\[\s*\]|\{\s*\})*[\]}]$/;
/** A cheap check first: most results contain none of these words. */
const MAY_BE_NOTHING =
  /\b(?:no|not|nothing|none|null|0|zero|empty|without|couldn't|could)\b|\[\s*\]|\{\s*\}|^\s*[-[(<=]/i;
const SENTENCE_MAX = 160;
const NOTHING =
  /^\s*(?:\[\]|\{\}|null|none|0|\(no output\)|no (?:\w+ ){0,3}(?:matches|match|results?|files?|documents?|entries|hits|output|items|occurrences)(?: \w+){0,6}|nothing found|found 0 \w+(?: \w+){0,4}|0 (?:matches|results?|hits|files?)(?: \w+){0,4}|not found)\s*[.!]?\s*$/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is meant
const COLOUR = /\u001b\[[0-9;]*[A-Za-z]/g;
/** A footer: from a horizontal rule on, or a last line in brackets. */
const FOOTER = /(?:^|\n)\s*(?:-{3,}|={3,})\s*\n[\s\S]*$|(?:^|\n)\s*[[(<][^\n]{3,}[\])>]\s*$/;

export function isFailure(error: boolean | null, output: string): boolean {
  if (error !== null) return error;
  if (output.length === 0) return false;
  return FAILED_HEAD.test(output.slice(0, HEAD)) || FAILED_TAIL.test(output.slice(-TAIL));
}

export const saysUnknownTool = (output: string): boolean => UNKNOWN_TOOL.test(output.slice(0, HEAD));

export const saysRateLimited = (output: string): boolean => RATE_LIMITED.test(output.slice(0, 2 * HEAD));

/** The call succeeded and returned nothing: no match, no row, no file. */
export function saysNothing(output: string): boolean {
  if (output.length > 2 * HEAD) return false;
  const plain = output.includes('\u001b') ? output.replace(COLOUR, '') : output;
  if (!MAY_BE_NOTHING.test(plain)) return plain.trim() === '';
  const answer = plain.replace(FOOTER, '').trim();
  if (answer === '' || NOTHING.test(answer)) return true;
  if (answer.length > SENTENCE_MAX || answer.includes('\n')) return false;
  return NOTHING_SENTENCE.test(answer) || NOTHING_JSON.test(answer);
}

const CLEAN =
  /\b(?:ok|passed|success(?:ful(?:ly)?)?|succeeded|clean|compiled|up[ -]to[ -]date|(?:no|0) (?:\w{1,20} ){0,2}(?:errors?|problems?|issues?|warnings?|failures?|violations?))\b/i;

/** The answer of a check that found nothing wrong. */
export const saysClean = (output: string): boolean =>
  saysNothing(output) || CLEAN.test(output.slice(-TAIL)) || CLEAN.test(output.slice(0, HEAD));

/**
 * One class per cause: names, paths, quoted text and numbers are dropped, so that "a.toml: Permission denied" and
 * "b.toml: Permission denied" are one error. So are quotes of the arguments and the tool's own name: "no tool named
 * x" is one cause for all x. An echo of the command in front is skipped.
 */
export function errorClass(tool: string, output: string, echo: string, argumentsText: string): number {
  const start = echo !== '' && output.startsWith(echo) ? echo.length : 0;
  const text =
    output.length - start <= HEAD + TAIL
      ? output.slice(start)
      : output.slice(start, start + HEAD) + output.slice(-TAIL);
  let hash = output.includes(tool) ? HASH_SEED : mixString(HASH_SEED, tool);
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (isQuote(code)) {
      const close = text.indexOf(text[index] ?? '', index + 1);
      if (close > 0 && close - index < 160) {
        hash = mix(hash, 39);
        index = close + 1;
        continue;
      }
    }
    if (!isNameCode(code)) {
      index += 1;
      continue;
    }
    let end = index;
    let isName = false;
    while (end < text.length && isNameCode(text.charCodeAt(end))) {
      const part = text.charCodeAt(end);
      // A path, a dotted name or anything with a digit names a thing; a full stop ends a sentence.
      if (part === 47 || part === 92 || part === 95 || (part >= 48 && part <= 57)) isName = true;
      else if (part === 46 && isNameCode(text.charCodeAt(end + 1))) isName = true;
      end += 1;
    }
    const word = text.slice(index, end);
    const isQuoted = isName || word === tool || (word.length >= QUOTED_MIN && argumentsText.includes(word));
    hash = isQuoted ? mix(hash, 35) : mixString(mix(hash, 32), word);
    index = end;
  }
  return finish(hash);
}

/** Shorter words appear in any argument by chance. */
const QUOTED_MIN = 4;

const isQuote = (code: number): boolean => code === 34 || code === 39 || code === 96;
const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 46 && code <= 57) ||
  code === 95 ||
  code === 92 ||
  code === 45 ||
  code > 0xbf;

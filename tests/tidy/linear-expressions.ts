import { createContext, Script } from 'node:vm';
import type { Exceptions } from './exceptions.ts';
import { mask } from './mask.ts';
import { isScript, isTest, packageOf, type Repo, violation } from './repo.ts';

/** Long enough that a quadratic expression takes hundreds of times as long as a linear one. */
const LENGTH = 20_000;
/** A linear one with small bounds takes less than 6 ms, a quadratic one more than 40 ms. */
const SLOW_MS = 16;
/** The fastest counts, because the machine may have other work. */
const TRIES = 10;
/** Over a quarter of the text a linear expression takes a quarter of the time, a quadratic one a sixteenth. */
const SHORTER = 4;
const GROWTH_MIN = 8;
const SEARCH_MS_MAX = 60_000;
/** A character that no expression looks for. */
const END = '\u0001';

type Expression = { readonly source: string; readonly flags: string };

/**
 * Every regular expression may meet text that an agent chose. Each is run over long texts made of its own parts
 * (what it looks for, again and again, and then not its end), and has to take time that grows with the text, not
 * with its square. Those that only ever see short text are listed with the reason.
 */
export function expressionsAreLinear(
  repo: Repo,
  { slowExpressions, builtExpressions }: Exceptions,
  searchMsMax = SEARCH_MS_MAX,
): string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  for (const [path, text] of repo) {
    if (packageOf(path) === undefined || !isScript(path) || isTest(path)) continue;
    const found: (Expression & { readonly index: number })[] = [];
    const code = mask(text, 'all', (index, end) => {
      const flags = /^[a-z]*/.exec(text.slice(end + 1))?.[0] ?? '';
      found.push({ index, source: text.slice(index + 1, end), flags });
    });
    for (const { index, ...expression } of found) {
      const key = `${path} /${expression.source}/`;
      used.add(key);
      const isListed = slowExpressions.some(({ expression: listed }) => listed === key);
      const slow = isListed || !hasRepetition(expression.source) ? null : slowText(expression, searchMsMax);
      if (slow === null) continue;
      problems.push(
        violation(
          path,
          text,
          index,
          `/${expression.source}/ is slow over ${slow}`,
          'bound its quantifiers or write a scanner; if it only sees short text, list it in tests/tidy-exceptions.json',
        ),
      );
    }
    for (const { index } of code.matchAll(/\bRegExp\(/g)) {
      used.add(path);
      if (builtExpressions.some(({ file }) => file === path)) continue;
      const instead = 'write it out, so that it can be tried, or list the file in tests/tidy-exceptions.json';
      problems.push(violation(path, text, index, 'a regular expression is built at run time', instead));
    }
  }
  const listed = [
    ...slowExpressions.map(({ expression }) => expression),
    ...builtExpressions.map(({ file }) => file),
  ];
  for (const each of listed)
    if (!used.has(each))
      problems.push(`tests/tidy-exceptions.json: ${each} is listed and not there. Instead: remove it.`);
  return problems;
}

const hasRepetition = (source: string): boolean => /[*+]|\{\d+,\d*\}/.test(source);

/** Runs beside the test, so that an expression that would take hours is stopped. */
const SEARCH = new Script(`(() => {
  const fastest = (text, enoughMs) => {
    let best = Infinity;
    for (let tries = 0; tries < ${TRIES} && best > enoughMs; tries += 1) {
      const before = cpuMs();
      text.replace(expression, '');
      best = Math.min(best, cpuMs() - before);
    }
    return best;
  };
  for (const { text, shorter, tells } of attacks) {
    const whole = fastest(text, ${SLOW_MS});
    if (whole > ${SLOW_MS} && whole > ${GROWTH_MIN} * fastest(shorter, 0)) return tells;
  }
  return null;
})()`);

/** The text over which it is slow each time, as a short description; null when there is none. */
function slowText({ source, flags }: Expression, searchMsMax: number): string | null {
  const expression = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  const cpuMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const context = createContext({ expression, attacks: [...attacksOn(source)], cpuMs });
  try {
    return SEARCH.runInContext(context, { timeout: searchMsMax }) as string | null;
  } catch {
    return 'a text of its own parts';
  }
}

type Attack = { readonly text: string; readonly shorter: string; readonly tells: string };

function* attacksOn(source: string): Generator<Attack> {
  const parts = partsOf(source);
  const pairs = parts.flatMap((part) => parts.map((other) => part + other)).slice(0, PAIRS_MAX);
  const units = new Set([...parts, ...parts.map((part) => `${part} `), 'a', '0', '/', '-', ...pairs]);
  const heads = ['', END, ...parts.slice(0, 2)];
  for (const unit of units) {
    const body = (length: number) => unit.repeat(Math.ceil(length / unit.length)) + END;
    for (const head of heads)
      yield {
        text: head + body(LENGTH),
        shorter: head + body(LENGTH / SHORTER),
        tells: `${JSON.stringify(head)} and ${JSON.stringify(unit)} repeated`,
      };
  }
}

/** All pairs of a dozen parts; few expressions have more. */
const PAIRS_MAX = 144;

const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  s: [' ', '\n'],
  S: ['x'],
  w: ['a', '0'],
  W: [' ', '.'],
  d: ['1'],
  D: ['x'],
  n: ['\n'],
  r: ['\r'],
  t: ['\t'],
  b: [],
  B: [],
};

/** Single characters and runs of them that the expression speaks of. */
function partsOf(source: string): readonly string[] {
  const plain = source.replace(/\(\?(?:<?[=!]|:)/g, '(').replace(/\{\d+(?:,\d*)?\}/g, '');
  const parts = new Set<string>();
  let run = '';
  let isInClass = false;
  for (const [token] of plain.matchAll(/\\.|[^\\]/gs)) {
    const char = token.charAt(token.length - 1);
    const wasInClass = isInClass;
    isInClass = isInClass ? token !== ']' : token === '[';
    // In a class a bracket or a dot stands for itself.
    const isMeta = wasInClass ? token === ']' || token === '^' : META.test(token);
    const samples = token.length === 2 ? SAMPLES[char] : isMeta ? [] : undefined;
    for (const sample of samples ?? [char]) parts.add(sample);
    run = samples === undefined ? run + char : '';
    if (run.length > 1) parts.add(run);
  }
  return [...parts].filter((part) => ![...parts].some((longer) => isBeginningOf(part, longer)));
}

const META = /[()|*+?^$[\]{}.]/;
/** Only the longest of a run counts. */
const isBeginningOf = (part: string, longer: string): boolean =>
  part.length > 1 && longer.length > part.length && longer.startsWith(part);

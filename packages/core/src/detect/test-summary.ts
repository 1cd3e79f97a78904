/**
 * How many tests passed and failed, read from a test runner's own summary.
 *
 * Intuition: an agent that works test first sees red for long stretches, and its calls look like a loop of failures.
 * The count of passed tests is what moves. Adding up every "3 failed" in a result is not enough: TAP writes the word
 * before the number, Maven gives only a total, Go gives none, and Jest counts its files as well.
 *
 * Definition: the first 3,000 and the last 6,000 characters are read line by line, and at most 300 characters of a
 * line. Tallies of one kind are added up (cargo and Go report once per package). A total wins over counted lines: TAP
 * and Go are counted line by line only if no tally was printed.
 *
 * Blind spots: a runner that is silent when all is green (Gradle), and a tally that was cut out of the middle.
 * Rejected: deciding by the command that it is a test run: half of them are `make` or a script.
 */
type TestSummary = { readonly passed: number; readonly failed: number };

const HEAD = 3_000;
const TAIL = 6_000;
const LINE_MAX = 300;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is meant
const COLOUR = /\u001b\[[0-9;]{0,20}[A-Za-z]/g;

/** The beginning of a line that holds a tally: pytest, Jest, Vitest, Mocha, cargo, nextest, JUnit's console. */
const TALLY_LINE =
  /^(?:=+ |Tests:? {1,12}|test result: |Summary \[|\[ {0,12})?(?:(?:ok|FAILED)\. |[\d. s]{1,20}\] +\d+ tests? run: )?\d+ (?:tests? )?(?:passed|passing|failed|failing|skipped|errors?|todo|xfailed|xpassed|successful)\b/;
const TALLY = /\b(\d{1,9}) (?:tests? )?(passed|passing|failed|failing|errors?|successful)\b/g;
/** `# pass 3` of TAP, `ℹ fail 1` of node:test. */
const TAP_TALLY = /^[#ℹ] {1,4}(pass|fail) {1,8}(\d{1,9})$/;
const MAVEN =
  /Tests run: {1,4}(\d{1,9}), Failures: {1,4}(\d{1,9}), Errors: {1,4}(\d{1,9})(?:, Skipped: {1,4}(\d{1,9}))?/;
const GRADLE = /^(\d{1,9}) tests? completed(?:, (\d{1,9}) failed)?(?:, (\d{1,9}) skipped)?/;
const UNITTEST = /^Ran (\d{1,9}) tests? in /;
const UNITTEST_FAILED = /\b(failures|errors)=(\d{1,9})/g;
const JUNIT_SUITE = /<testsuites?\b[^<>]{0,280}/;
const JUNIT_COUNT = /\b(tests|failures|errors|skipped)="(\d{1,9})"/g;

/** Every total has one, and most lines have none. */
const DIGIT = /\d/;

type Tally = { passed: number; failed: number; isFound: boolean };

const noTally = (): Tally => ({ passed: 0, failed: 0, isFound: false });

export function readTestSummary(output: string): TestSummary | null {
  const isLong = output.length > HEAD + TAIL;
  const text = isLong ? `${output.slice(0, HEAD)}\n${output.slice(-TAIL)}` : output;
  const total = noTally();
  const listed = noTally();
  for (const line of (text.includes('\u001b') ? text.replace(COLOUR, '') : text).split('\n')) {
    const cut = line.slice(0, LINE_MAX);
    if (!(DIGIT.test(cut) && readTotal(cut.trim(), total))) readListed(cut, listed);
  }
  const { passed, failed, isFound } = total.isFound ? total : listed;
  return isFound ? { passed: Math.max(0, passed), failed } : null;
}

function readTotal(line: string, into: Tally): boolean {
  if (TALLY_LINE.test(line)) {
    for (const [, count, word = ''] of allOf(TALLY, line)) {
      if (word.startsWith('pass') || word === 'successful') add(into, Number(count), 0);
      else add(into, 0, Number(count));
    }
    return into.isFound;
  }
  const tap = line.startsWith('#') || line.startsWith('ℹ') ? TAP_TALLY.exec(line) : null;
  if (tap !== null) return tap[1] === 'pass' ? add(into, Number(tap[2]), 0) : add(into, 0, Number(tap[2]));
  return readRun(line, into) || readSuite(line, into);
}

/** As `matchAll`, which copies the expression each time and takes longer for that than for its search. */
function allOf(expression: RegExp, text: string): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (let one = expression.exec(text); one !== null; one = expression.exec(text)) found.push(one);
  return found;
}

/** Runners that say how many ran and how many failed. */
function readRun(line: string, into: Tally): boolean {
  const maven = line.includes('Tests run:') ? MAVEN.exec(line) : null;
  // A line with a time is about one class; the last one, without, has the sum.
  if (maven !== null && !line.includes('Time elapsed')) {
    const failed = Number(maven[2]) + Number(maven[3]);
    return add(into, Number(maven[1]) - failed - Number(maven[4] ?? 0), failed);
  }
  const gradle = line.includes(' completed') ? GRADLE.exec(line) : null;
  if (gradle !== null) {
    const failed = Number(gradle[2] ?? 0);
    return add(into, Number(gradle[1]) - failed - Number(gradle[3] ?? 0), failed);
  }
  const ran = line.startsWith('Ran ') ? UNITTEST.exec(line) : null;
  if (ran !== null) return add(into, Number(ran[1]), 0);
  if (!into.isFound || !line.startsWith('FAILED (')) return false;
  for (const [, , count] of allOf(UNITTEST_FAILED, line)) add(into, -Number(count), Number(count));
  return true;
}

/** A report in JUnit's XML: only the outermost element counts. */
function readSuite(line: string, into: Tally): boolean {
  if (into.isFound || !line.includes('<testsuite')) return false;
  const suite = JUNIT_SUITE.exec(line)?.[0] ?? '';
  let ran = -1;
  let failed = 0;
  let skipped = 0;
  for (const [, name, count] of allOf(JUNIT_COUNT, suite)) {
    if (name === 'tests') ran = Number(count);
    else if (name === 'skipped') skipped = Number(count);
    else failed += Number(count);
  }
  return ran >= 0 && add(into, ran - failed - skipped, failed);
}

/** TAP's and Go's lines, one per test; indented ones belong to the test above them. Go lists packages as well. */
const LISTED =
  /^(?:(not ok|ok) \d+\b|--- (FAIL|PASS): |(ok|FAIL)\s{1,8}(?:\S*\/\S+|\S+\s{1,8}(?:\d{1,6}\.\d{1,6}s\b|\(cached\)|\[)))/;

function readListed(line: string, into: Tally): void {
  const found = LISTED.exec(line);
  if (found === null) return;
  const verdict = found[1] ?? found[2] ?? found[3];
  if (verdict === 'ok' || verdict === 'PASS') add(into, 1, 0);
  else add(into, 0, 1);
}

function add(into: Tally, passed: number, failed: number): true {
  into.passed += passed;
  into.failed += failed;
  into.isFound = true;
  return true;
}

import { expect, test } from 'vitest';
import { instant } from '../base/time.ts';
import { type AgentStep, defaultDetectionPolicy, emptyDetectorState, observe } from './index.ts';

/** What keeps an expression reading: blanks, line ends, and what the expressions of the detectors begin with. */
const units = [
  ...[
    '\n',
    ' ',
    '\t',
    ' \n',
    ';',
    '; ',
    '&',
    '> ',
    '"',
    "'",
    '`',
    '(',
    '[',
    '{',
    '[]',
    '---\n',
    '\u001b[0;',
    '\\',
  ],
  ...[
    'a',
    'A',
    '0',
    '1.',
    'a/',
    'a.b',
    '-',
    '=',
    ',',
    'é',
    '的',
    ' sed',
    'sed -',
    'git ',
    ' sleep ',
    'sleep 1',
    'wait ',
  ],
  ...[
    '--watch',
    'no ',
    'not found ',
    'error ',
    'Error: ',
    'exit ',
    'tool ',
    '@@ ',
    '--- ',
    'FAIL ',
    '1 passed',
    '✓ ',
  ],
];

const stepsOf = (text: string): readonly Partial<AgentStep>[] => [
  { kind: 'tool', tool: 'Bash', input: { command: text }, output: 'x' },
  { kind: 'tool', tool: 'Patch', input: text, output: 'x', error: false },
  { kind: 'tool', tool: 'Edit', input: { path: text, content: text }, output: text },
  { kind: 'tool', tool: 'Search', input: { query: text }, output: text, error: true },
  { kind: 'message', text },
  { kind: 'user', text },
];

/** Each step twice: the second time it is compared with the first. */
function cpuMs(unit: string, length: number): number {
  const text = unit.repeat(Math.ceil(length / unit.length));
  const before = process.cpuUsage();
  let state = emptyDetectorState;
  let at = 0;
  for (const step of stepsOf(text).flatMap((each) => [each, each])) {
    at += 1_000;
    const blank = { tool: null, input: null, output: null, error: null, text: null, tokens: null };
    const seen = { ...blank, ...step, at: instant(at) } as AgentStep;
    state = observe(state, seen, defaultDetectionPolicy).state;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const LENGTH = 65_536;
/** Four times the text is four times the work; sixteen times would be quadratic. */
const GROWTH_MAX = 9;
/** Shorter is harmless, and too short to compare. */
const SHORT_MS = 150;

/** A pause of the garbage collector looks like growth, but not three times. */
function isSteep(unit: string): boolean {
  for (let look = 0; look < 3; look += 1) {
    const ms = cpuMs(unit, LENGTH);
    if (ms <= SHORT_MS || ms <= GROWTH_MAX * cpuMs(unit, LENGTH / 4)) return false;
  }
  return true;
}

test('work of the detectors grows with the length of the text, whatever the text', () => {
  expect(units.filter(isSteep)).toEqual([]);
});

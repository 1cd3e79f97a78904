import { instant } from '../packages/core/src/base/time.ts';
import type { Level, RecordedRun, RecordedStep } from './steps-file.ts';

/** Builds fixtures in code: what an agent did, one line per step, on a clock of its own. */
export type Part = Omit<RecordedStep, 'i' | 'at'> & { readonly afterMs?: number };

const blank: Part = {
  kind: 'tool',
  tool: null,
  input: null,
  output: null,
  error: null,
  text: null,
  tokens: null,
};

const tool = (name: string, input: unknown, output: string, error = false): Part => ({
  ...blank,
  tool: name,
  input,
  output,
  error,
});

export const call = tool;
export const bash = (command: string, output: string): Part => tool('Bash', { command }, output);
export const fails = (command: string, output: string): Part => tool('Bash', { command }, output, true);
export const read = (path: string, output: string): Part => tool('Read', { file_path: path }, output);
export const grep = (pattern: string, path: string, output: string): Part =>
  tool('Grep', { pattern, path }, output);
export const edit = (path: string, from: string, to: string): Part =>
  tool('Edit', { file_path: path, old_string: from, new_string: to }, `The file ${path} has been updated.`);
export const refused = (path: string, from: string, to: string): Part =>
  tool(
    'Edit',
    { file_path: path, old_string: from, new_string: to },
    `String to replace not found in file.\nString: ${from}`,
    true,
  );
export const say = (text: string): Part => ({ ...blank, kind: 'message', text });
export const user = (text: string, afterMs = 40_000): Part => ({ ...blank, kind: 'user', text, afterMs });
export const nudge = (text: string): Part => ({ ...blank, kind: 'user', text, afterMs: 900 });
export const compaction = (): Part => ({ ...blank, kind: 'compaction', text: 'summary of the work so far' });

/** The step, that long after the one before it. */
export const after = (afterMs: number, part: Part): Part => ({ ...part, afterMs });

export const times = (count: number, make: (turn: number) => Part | readonly Part[]): Part[] =>
  Array.from({ length: count }, (_, turn) => make(turn)).flat();

/** Turns take five to nine seconds unless a step says otherwise. */
const paceOf = (index: number): number => 5_000 + ((index * 2_654_435_761) % 4_001);

/** `range` is the severity that the run must at least and may at most get, as "warn-act". */
export function run(name: string, range: string, about: string, parts: readonly Part[]): RecordedRun {
  const [min, max] = range.split('-') as [Level, Level];
  let at = 1_000;
  const steps = parts.map(({ afterMs, ...part }, i) => {
    at += afterMs ?? paceOf(i);
    return { ...part, i, at: instant(at) };
  });
  const theme = name.split('/')[0] ?? name;
  return {
    header: {
      format: 'holter.steps.v1',
      run: `own/${name}`,
      outcome: max === 'none' ? 'success' : 'failure',
      labels: { theme },
      expect: { min, max, by: null },
      about,
    },
    steps,
  };
}

const WORDS = [
  'anvil',
  'birch',
  'coral',
  'dune',
  'eagle',
  'fjord',
  'glade',
  'hazel',
  'ivory',
  'jetty',
  'knoll',
  'larch',
  'maple',
  'north',
  'oasis',
  'pearl',
  'quill',
  'ridge',
  'slate',
  'thorn',
];
/** Another word for each turn. */
export const word = (turn: number): string => WORDS[turn % WORDS.length] ?? 'word';

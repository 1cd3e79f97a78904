import type { RecordedRun, RecordedStep } from './steps-file.ts';

/**
 * The same story with another surface. A detector that passes the fixtures because of their tool names,
 * paths, wording or numbers fails here; one that understood the theme does not notice. Each mutation keeps
 * what the theme is about: order, sameness, direction of numbers, pace.
 */
export type Random = () => number;

/** mulberry32: small, seeded, good enough to pick words. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

type Mutation = (run: RecordedRun, random: Random) => RecordedRun;

const withSteps = (run: RecordedRun, change: (step: RecordedStep) => RecordedStep): RecordedRun => ({
  header: run.header,
  steps: run.steps.map(change),
});

/** Applies to every string inside a JSON value, arguments included. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
  }
  return value;
}

const SYLLABLES = ['ka', 'lo', 'min', 'ter', 'vu', 'sha', 'ren', 'dol', 'pix', 'um', 'bra', 'ceth'];
const invent = (random: Random): string =>
  pick(random, SYLLABLES) + pick(random, SYLLABLES) + pick(random, SYLLABLES);

/** Names of tools that wait, or that end the work: what they are for is in the name only. */
const MEANS = /wait|poll|status|progress|output|finish|complet|done/i;

/** Other tool names, the same one for the same tool; results that quote the name follow. */
const renameTools: Mutation = (run, random) => {
  const names = new Map<string, string>();
  for (const step of run.steps)
    if (step.tool !== null && !names.has(step.tool))
      names.set(step.tool, `mcp.${invent(random)}${MEANS.test(step.tool) ? `_${step.tool}` : ''}`);
  return withSteps(run, (step) => {
    if (step.tool === null) return step;
    const name = names.get(step.tool) ?? step.tool;
    const output = step.error === true ? (step.output?.replaceAll(step.tool, name) ?? null) : step.output;
    return { ...step, tool: name, output };
  });
};

/** Other folders and file names, consistently, in arguments and results. */
const renamePaths: Mutation = (run, random) => {
  const names = new Map<string, string>();
  const rename = (text: string): string =>
    text.replace(/[\w.-]+(?:\/[\w.-]+)+/g, (path) =>
      path
        .split('/')
        .map((part) => {
          const [stem = '', ...rest] = part.split('.');
          if (!/^[a-z_-]{3,}$/i.test(stem) || stem === 'tmp' || stem === 'dev') return part;
          if (!names.has(stem)) names.set(stem, invent(random));
          return [names.get(stem), ...rest].join('.');
        })
        .join('/'),
    );
  return withSteps(run, (step) => ({
    ...step,
    input: mapStrings(step.input, rename),
    output: step.output === null ? null : rename(step.output),
  }));
};

const THOUGHTS = [
  'Right.',
  'Hold on, that cannot be.',
  'Checking the neighbour now.',
  'As expected?',
  'Interesting, go on.',
];

/** Other thoughts around the calls: they never matter. */
const rephraseThoughts: Mutation = (run, random) =>
  withSteps(run, (step) =>
    step.kind === 'tool'
      ? { ...step, text: random() < 0.5 ? null : `${pick(random, THOUGHTS)} ${invent(random)}` }
      : step,
  );

/** Other keys for the same arguments, in another order, with a comment that always differs. */
const reshapeArguments: Mutation = (run, random) => {
  const keys: Readonly<Record<string, string>> = pick(random, [
    {
      file_path: 'path',
      absolute_path: 'filePath',
      old_string: 'old_str',
      new_string: 'new_str',
      command: 'cmd',
    },
    { path: 'file_path', old_str: 'oldText', new_str: 'newText', pattern: 'query' },
    {},
  ]);
  const isCommented = random() < 0.5;
  return withSteps(run, (step) => {
    if (typeof step.input !== 'object' || step.input === null || Array.isArray(step.input)) return step;
    const entries = Object.entries(step.input).map(([key, value]): [string, unknown] => [
      keys[key] ?? key,
      value,
    ]);
    if (isCommented && entries.some(([key]) => key !== 'thought'))
      entries.push(['description', invent(random)]);
    return { ...step, input: Object.fromEntries(entries.sort(() => random() - 0.5)) };
  });
};

const FOOTERS: readonly ((random: Random) => string)[] = [
  (random) =>
    `\n\n---\nrequest ${Math.floor(random() * 1e9).toString(16)} took ${Math.floor(random() * 900)} ms`,
  (random) => `\n[tokens used: ${Math.floor(random() * 90_000)}]`,
  (random) => `\n(elapsed ${(random() * 9).toFixed(2)}s, pid ${Math.floor(random() * 30_000)})`,
  (random) =>
    `\n\n[2026-03-${10 + Math.floor(random() * 20)}T1${Math.floor(random() * 9)}:22:33.${Math.floor(random() * 999)}Z]`,
];

/** A footer that is different every time, below every result. */
const addFooter: Mutation = (run, random) => {
  const footer = pick(random, FOOTERS);
  return withSteps(run, (step) =>
    step.kind === 'tool' && step.output !== null ? { ...step, output: step.output + footer(random) } : step,
  );
};

/** Colours and blanks. */
const addColour: Mutation = (run, random) =>
  withSteps(run, (step) =>
    step.output === null || step.output === ''
      ? step
      : {
          ...step,
          output: `\u001b[3${Math.floor(random() * 8)}m${step.output.replaceAll('\n', '\r\n')}\u001b[0m  `,
        },
  );

/** Another start and a slightly other pace; waiting stays waiting. */
const shiftTime: Mutation = (run, random) => {
  const start = Math.floor(random() * 1e12);
  const pace = 0.85 + random() * 0.3;
  return withSteps(run, (step) =>
    step.at === null ? step : { ...step, at: Math.round(start + step.at * pace) as never },
  );
};

const NOTES = [
  '[harness] context 41 % used',
  'Reminder: stay within the repository.',
  '<note>auto-saved</note>',
];

/** Harness notes between the steps. */
const addNotes: Mutation = (run, random) => {
  const steps: RecordedStep[] = [];
  for (const step of run.steps) {
    steps.push(step);
    if (random() > 0.25) continue;
    steps.push({
      ...step,
      kind: 'system',
      tool: null,
      input: null,
      output: null,
      error: null,
      text: pick(random, NOTES),
      tokens: null,
    });
  }
  return { header: run.header, steps };
};

/** The failure is only in the text, as Codex and Gemini report it. */
const hideErrors: Mutation = (run) =>
  withSteps(run, (step) =>
    step.error === true && step.output !== null
      ? { ...step, error: null, output: `${step.output}\nProcess exited with code 1` }
      : step,
  );

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'rename-tools': renameTools,
  'rename-paths': renamePaths,
  'rephrase-thoughts': rephraseThoughts,
  'reshape-arguments': reshapeArguments,
  'add-footer': addFooter,
  'add-colour': addColour,
  'shift-time': shiftTime,
  'add-notes': addNotes,
  'hide-errors': hideErrors,
};

/** Several at once, as a different harness would be. */
export function mutate(
  run: RecordedRun,
  seed: number,
): { readonly run: RecordedRun; readonly names: readonly string[] } {
  const random = randomFrom(seed);
  const names = Object.keys(MUTATIONS).filter(() => random() < 0.4);
  let mutated = run;
  for (const name of names) mutated = MUTATIONS[name]?.(mutated, random) ?? mutated;
  return { run: mutated, names };
}

import { MUTATIONS, mutate, randomFrom } from './mutate.ts';
import type { RecordedRun } from './steps-file.ts';
import { explain, judge, meets } from './verdict.ts';

export type Miss = { readonly run: string; readonly why: string };

/** Every fixture as it is: a table per theme. */
export function evaluateFixtures(runs: readonly RecordedRun[]): {
  readonly lines: readonly string[];
  readonly misses: readonly Miss[];
} {
  const themes = new Map<string, { passed: number; total: number; worst: Set<string> }>();
  const misses: Miss[] = [];
  for (const run of runs) {
    if (run.header.expect === null) continue;
    const theme = run.header.labels.theme ?? '?';
    const row = themes.get(theme) ?? { passed: 0, total: 0, worst: new Set<string>() };
    themes.set(theme, row);
    const verdict = judge(run.steps);
    row.total += 1;
    row.worst.add(verdict.worst);
    if (meets(verdict, run.header.expect)) row.passed += 1;
    else
      misses.push({
        run: run.header.run,
        why: `wanted ${JSON.stringify(run.header.expect)}, found ${explain(verdict)}`,
      });
  }
  const lines = [...themes].map(
    ([theme, row]) => `${theme.padEnd(32)} ${row.passed}/${row.total}  ${[...row.worst].join(', ')}`,
  );
  return { lines, misses };
}

/** Every fixture under every mutation alone, and under `seeds` mixtures of several. */
export function evaluateMutants(
  runs: readonly RecordedRun[],
  seeds: number,
): { readonly total: number; readonly misses: readonly Miss[]; readonly lines: readonly string[] } {
  const misses: Miss[] = [];
  const counts = new Map<string, { passed: number; total: number }>();
  let total = 0;
  const check = (name: string, label: string, run: RecordedRun): void => {
    if (run.header.expect === null) return;
    const verdict = judge(run.steps);
    const count = counts.get(name) ?? { passed: 0, total: 0 };
    counts.set(name, count);
    count.total += 1;
    total += 1;
    if (meets(verdict, run.header.expect)) count.passed += 1;
    else
      misses.push({
        run: `${run.header.run} [${label}]`,
        why: `wanted ${JSON.stringify(run.header.expect)}, found ${explain(verdict)}`,
      });
  };
  for (const run of runs) {
    for (const [name, change] of Object.entries(MUTATIONS)) check(name, name, change(run, randomFrom(7)));
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { run: mutant, names } = mutate(run, seed);
      check('mixture', `seed ${seed}: ${names.join('+')}`, mutant);
    }
  }
  const lines = [...counts].map(([name, count]) => `${name.padEnd(32)} ${count.passed}/${count.total}`);
  return { total, misses, lines };
}

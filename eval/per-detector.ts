import type { FindingKind } from '../packages/core/src/vocabulary/finding.ts';
import { FINDING_KINDS } from '../packages/core/src/vocabulary/finding.ts';
import type { RecordedRun } from './steps-file.ts';
import { explain, judge } from './verdict.ts';

type Row = {
  readonly kind: FindingKind;
  hit: number;
  wrong: number;
  missed: number;
  stepsHit: number;
  stepsWrong: number;
  successes: number;
  failures: number;
};

/** A flagged step counts as right when a step labelled Repetition lies at most this many steps away. */
const REACH = 2;

/**
 * What each kind contributes. Runs: it found something in a run that its authors labelled with a Repetition, or in
 * one without. Steps: a step at which it held is near a labelled one, or is not.
 */
export function perDetector(runs: readonly RecordedRun[]): readonly string[] {
  const used = rowsOf(runs).filter((row) => row.hit + row.wrong + row.successes + row.failures > 0);
  return [
    `${'kind'.padEnd(18)} precision  recall  steps within ±${REACH}  successes  failures`,
    ...used.map((row) =>
      [
        row.kind.padEnd(18),
        share(row.hit, row.wrong).padStart(9),
        share(row.hit, row.missed).padStart(7),
        share(row.stepsHit, row.stepsWrong).padStart(15),
        String(row.successes).padStart(10),
        String(row.failures).padStart(9),
      ].join(' '),
    ),
  ];
}

/** The share of the steps at which this kind held that are near a labelled one. */
export function stepShare(runs: readonly RecordedRun[], kind: FindingKind): number {
  const row = rowsOf(runs).find((one) => one.kind === kind);
  return row === undefined ? 0 : row.stepsHit / Math.max(1, row.stepsHit + row.stepsWrong);
}

function rowsOf(runs: readonly RecordedRun[]): readonly Row[] {
  const rows = (Object.keys(FINDING_KINDS) as FindingKind[]).map(
    (kind): Row => ({
      kind,
      hit: 0,
      wrong: 0,
      missed: 0,
      stepsHit: 0,
      stepsWrong: 0,
      successes: 0,
      failures: 0,
    }),
  );
  for (const run of runs) {
    const verdict = judge(run.steps);
    for (const row of rows) count(row, run, verdict.steps.get(row.kind) ?? []);
  }
  return rows;
}

function count(row: Row, { header, steps: all }: RecordedRun, steps: readonly number[]): void {
  if (steps.length > 0 && header.outcome === 'success') row.successes += 1;
  if (steps.length > 0 && header.outcome === 'failure') row.failures += 1;
  const labels = header.labels.repetition;
  if (labels === undefined || all.length === 0) return;
  if (steps.length > 0) row[labels.length > 0 ? 'hit' : 'wrong'] += 1;
  else if (labels.length > 0) row.missed += 1;
  for (const step of steps) {
    const isNear = labels.some((label) => Math.abs(label - step) <= REACH);
    row[isNear ? 'stepsHit' : 'stepsWrong'] += 1;
  }
}

const share = (part: number, rest: number): string =>
  part + rest === 0 ? '–' : `${(part / (part + rest)).toFixed(2)} (${part})`;

/** Successful runs with a finding, for reading by hand: see false-warnings.md. */
export function warnedSuccesses(runs: readonly RecordedRun[]): readonly string[] {
  const successes = runs.filter(({ header }) => header.outcome === 'success');
  const warned = successes.flatMap((run) => {
    const verdict = judge(run.steps);
    return verdict.worst === 'none' ? [] : [`${run.header.run}: ${explain(verdict)}`];
  });
  return [
    `${warned.length} of ${successes.length} (${((100 * warned.length) / successes.length).toFixed(1)} %)`,
    ...warned,
  ];
}

export function warnedShare(runs: readonly RecordedRun[]): number {
  const successes = runs.filter(({ header }) => header.outcome === 'success');
  const warned = successes.filter(({ steps }) => judge(steps).worst !== 'none');
  return warned.length / Math.max(1, successes.length);
}

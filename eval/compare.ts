import { ALL } from '../bench/detect/peers/all.ts';
import type { Peer } from '../bench/detect/peers/peer.ts';
import type { Level, RecordedRun } from './steps-file.ts';

export type PeerVerdict = {
  readonly worst: Level;
  readonly firstAct: number | null;
  readonly flagged: readonly number[];
};

export function judgeWith(peer: Peer, run: RecordedRun): PeerVerdict {
  const judgeStep = peer.begin();
  let worst: Level = 'none';
  let firstAct: number | null = null;
  const flagged: number[] = [];
  for (const step of run.steps) {
    const level = judgeStep(step);
    if (level === 'none') continue;
    flagged.push(step.i);
    if (level === 'act') {
      worst = 'act';
      firstAct ??= step.i;
    } else if (worst === 'none') worst = 'warn';
  }
  return { worst, firstAct, flagged };
}

export type Score = {
  readonly name: string;
  readonly fixtures: string;
  readonly precision: number;
  readonly recall: number;
  readonly stepPrecision: number;
  readonly stepRecall: number;
  readonly actOnSuccess: number;
  readonly actOnFailure: number;
};

/**
 * Runs: a run that its authors labelled with at least one Repetition should get at least a warning, others
 * should get none. Steps: a labelled step should lie at or within five steps before a flagged one.
 */
export function score(
  peer: Peer,
  fixtures: readonly RecordedRun[],
  labelled: readonly RecordedRun[],
  all: readonly RecordedRun[],
): Score {
  const counts = { hit: 0, wrong: 0, missed: 0, stepHit: 0, stepWrong: 0, stepMissed: 0 };
  for (const run of labelled) {
    const labels = run.header.labels.repetition ?? [];
    const { worst, flagged } = judgeWith(peer, run);
    if (worst !== 'none') counts[labels.length > 0 ? 'hit' : 'wrong'] += 1;
    else if (labels.length > 0) counts.missed += 1;
    const isNear = (step: number, others: readonly number[], reach: number): boolean =>
      others.some((other) => other - step >= 0 && other - step <= reach);
    for (const label of labels) counts[isNear(label, flagged, 5) ? 'stepHit' : 'stepMissed'] += 1;
    for (const step of flagged)
      if (!labels.some((label) => step - label >= 0 && step - label <= 5)) counts.stepWrong += 1;
  }
  const acted = all.filter((run) => judgeWith(peer, run).worst === 'act');
  return {
    name: peer.name,
    fixtures: fixtureScore(peer, fixtures),
    precision: share(counts.hit, counts.wrong),
    recall: share(counts.hit, counts.missed),
    stepPrecision: share(counts.stepHit, counts.stepWrong),
    stepRecall: share(counts.stepHit, counts.stepMissed),
    actOnSuccess: acted.filter((run) => run.header.outcome === 'success').length,
    actOnFailure: acted.filter((run) => run.header.outcome === 'failure').length,
  };
}

const share = (part: number, rest: number): number => (part + rest === 0 ? 0 : part / (part + rest));

const RANK = { none: 0, warn: 1, act: 2 } as const;

function fixtureScore(peer: Peer, fixtures: readonly RecordedRun[]): string {
  const met = fixtures.filter((run) => {
    const expect = run.header.expect;
    if (expect === null) return false;
    const { worst, firstAct } = judgeWith(peer, run);
    const isInTime = expect.by === null || (firstAct !== null && firstAct <= expect.by);
    return RANK[worst] >= RANK[expect.min] && RANK[worst] <= RANK[expect.max] && isInTime;
  });
  return `${met.length}/${fixtures.length}`;
}

export function table(
  fixtures: readonly RecordedRun[],
  labelled: readonly RecordedRun[],
  all: readonly RecordedRun[],
): string {
  const rows = ALL.map((peer) => score(peer, fixtures, labelled, all)).map((row) => [
    row.name.padEnd(24),
    row.fixtures.padStart(8),
    row.precision.toFixed(2).padStart(10),
    row.recall.toFixed(2).padStart(7),
    row.stepPrecision.toFixed(2).padStart(11),
    row.stepRecall.toFixed(2).padStart(8),
    String(row.actOnSuccess).padStart(12),
    String(row.actOnFailure).padStart(12),
  ]);
  const head = [
    'rule'.padEnd(24),
    'fixtures',
    ' precision',
    ' recall',
    ' step prec.',
    ' st. rec.',
    ' act/success',
    ' act/failure',
  ];
  return [head, ...rows].map((row) => row.join(' ')).join('\n');
}

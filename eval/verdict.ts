import { defaultDetectionPolicy, emptyDetectorState, observe } from '../packages/core/src/detect/index.ts';
import type { Finding, FindingKind } from '../packages/core/src/vocabulary/finding.ts';
import type { Expectation, Level, RecordedStep } from './steps-file.ts';

/** The worst that was found in a run, when, and why. */
export type Verdict = {
  readonly worst: Level;
  readonly firstAct: number | null;
  /** Each kind and severity at the step at which it first held. */
  readonly found: ReadonlyMap<string, { readonly step: number; readonly finding: Finding }>;
  /** Steps at which anything held. */
  readonly flagged: ReadonlySet<number>;
  /** By kind, the steps at which it held. */
  readonly steps: ReadonlyMap<FindingKind, readonly number[]>;
  readonly stateBytes: number;
};

const RANK: Readonly<Record<Level, number>> = { none: 0, warn: 1, act: 2 };

export function judge(steps: readonly RecordedStep[]): Verdict {
  let state = emptyDetectorState;
  let worst: Level = 'none';
  let firstAct: number | null = null;
  let stateBytes = 0;
  const found = new Map<string, { step: number; finding: Finding }>();
  const flagged = new Set<number>();
  const byKind = new Map<FindingKind, number[]>();
  for (const step of steps) {
    const observation = observe(state, step, defaultDetectionPolicy);
    state = observation.state;
    for (const finding of observation.findings) {
      flagged.add(step.i);
      const held = byKind.get(finding.kind);
      if (held === undefined) byKind.set(finding.kind, [step.i]);
      else held.push(step.i);
      const key = `${finding.kind}:${finding.severity}`;
      if (!found.has(key)) found.set(key, { step: step.i, finding });
      if (RANK[finding.severity] > RANK[worst]) worst = finding.severity;
      if (finding.severity === 'act') firstAct ??= step.i;
    }
    if (step.i % 25 === 0) stateBytes = Math.max(stateBytes, JSON.stringify(state).length);
  }
  stateBytes = Math.max(stateBytes, JSON.stringify(state).length);
  return { worst, firstAct, found, flagged, steps: byKind, stateBytes };
}

export function meets(verdict: Verdict, expect: Expectation): boolean {
  const isInRange = RANK[verdict.worst] >= RANK[expect.min] && RANK[verdict.worst] <= RANK[expect.max];
  const isInTime = expect.by === null || (verdict.firstAct !== null && verdict.firstAct <= expect.by);
  return isInRange && isInTime;
}

export const explain = (verdict: Verdict): string =>
  [...verdict.found].map(([key, { step }]) => `${key}@${step}`).join(' ') || 'nothing';

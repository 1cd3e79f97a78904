import type { Finding, Instant, Policy } from '@holter/core';
import { instant } from '@holter/core';
import {
  type AgentStep,
  callLabel,
  type DetectorState,
  emptyDetectorState,
  emptyVerdictState,
  findSpending,
  findVerdictStreak,
  observe,
  observeVerdict,
  type SpendingState,
  type Verdict,
  type VerdictState,
} from '@holter/core/detect';
import { climb, emptyLadder, type LadderState } from './ladder.ts';
import { costOf, type Price } from './price.ts';
import { addStep, emptyStrip, type Level, type Strip, worse } from './strip.ts';

export type Found = {
  readonly kind: string;
  readonly step: number;
  readonly severity: 'warn' | 'act';
  readonly evidence: string;
  /** The last calls up to this step, as a person recognises them. */
  readonly steps: readonly string[];
};

/** One run, judged step by step by the same core that judges live agents. Its memory is bounded. */
export type RunReport = {
  readonly run: string;
  readonly agent: string;
  readonly file: string;
  readonly outcome: string | null;
  readonly steps: number;
  readonly worst: Level;
  readonly findings: readonly Found[];
  readonly strip: Strip;
  readonly ladder: LadderState;
  readonly tokens: Tokens;
  /** Spent while an `act` finding held, after the first nudge. */
  readonly wasted: Tokens;
  readonly wastedSteps: number;
  readonly detector: DetectorState;
  readonly verdicts: VerdictState;
  readonly holding: ReadonlyMap<string, 'warn' | 'act'>;
  readonly lastAt: Instant | null;
  /** Labels of the last calls. */
  readonly recent: readonly string[];
  /** Since the last change. */
  readonly spending: SpendingState;
};

export type Tokens = {
  readonly in: number;
  readonly out: number;
  /** The part of `in` that came from the model's cache. */
  readonly cached: number;
};

const noTokens: Tokens = { in: 0, out: 0, cached: 0 };
const FINDINGS_MAX = 1_000;

export const beginRun = (run: string, agent: string, file: string, outcome: string | null): RunReport => ({
  run,
  agent,
  file,
  outcome,
  steps: 0,
  worst: 'none',
  findings: [],
  strip: emptyStrip,
  ladder: emptyLadder,
  tokens: noTokens,
  wasted: noTokens,
  wastedSteps: 0,
  detector: emptyDetectorState,
  verdicts: emptyVerdictState,
  holding: new Map(),
  lastAt: null,
  recent: [],
  spending: { tokens: 0, costUsd: 0, calls: 0, since: instant(0) },
});

export function addStepTo(
  report: RunReport,
  step: AgentStep,
  index: number | null,
  policy: Policy,
  price: Price,
): RunReport {
  const number = index ?? report.steps;
  const seen = observe(report.detector, step, policy.detection);
  const recent = withLabel(report.recent, step, number);
  const tokens = sum(report.tokens, step.tokens ?? noTokens);
  const meters = {
    tokens: tokens.in - tokens.cached + tokens.out,
    costUsd: costOf(tokens, price),
    calls: seen.state.callCount,
  };
  const spending = seen.isChange ? { ...meters, since: step.at ?? instant(0) } : report.spending;
  const others = [
    findVerdictStreak(report.verdicts, policy.detection),
    findSpending(spending, meters, policy.detection),
  ];
  const findings = [...seen.findings, ...others.filter((found) => found !== null)];
  const level = findings.reduce<Level>((worst, { severity }) => worse(worst, severity), 'none');
  const isActing = level === 'act';
  const used = step.tokens ?? noTokens;
  const isWaste = isActing && report.ladder.moves.length > 0;
  return {
    ...report,
    steps: report.steps + 1,
    worst: worse(report.worst, level),
    findings: withNew({ ...report, recent }, findings, number),
    holding: new Map(findings.map(({ kind, severity }) => [kind, severity])),
    strip: addStep(report.strip, level, seen.progress),
    ladder: climb(report.ladder, { step: number, at: step.at, isActing }, policy),
    tokens,
    wasted: isWaste ? sum(report.wasted, used) : report.wasted,
    wastedSteps: report.wastedSteps + (isWaste ? 1 : 0),
    detector: seen.state,
    lastAt: step.at ?? report.lastAt,
    recent,
    spending,
  };
}

export function addVerdictTo(report: RunReport, verdict: Verdict): RunReport {
  // The log has no times: only the order of the verdicts matters.
  const at = report.lastAt ?? instant(report.steps);
  return { ...report, verdicts: observeVerdict(report.verdicts, { verdict, at }) };
}

/** A finding is new when its kind did not hold before this step, or with lower severity. */
function withNew(report: RunReport, findings: readonly Finding[], step: number): readonly Found[] {
  const fresh = findings.filter(({ kind, severity }) => {
    const before = report.holding.get(kind);
    return before === undefined || (before === 'warn' && severity === 'act');
  });
  if (fresh.length === 0 || report.findings.length >= FINDINGS_MAX) return report.findings;
  const found = fresh.map(({ kind, severity, evidence }) => ({
    kind,
    step,
    severity,
    evidence,
    steps: report.recent,
  }));
  return [...report.findings, ...found];
}

/** Calls shown beside a finding. */
const RECENT_MAX = 4;

/** "12 npm test (failed)" */
function withLabel(recent: readonly string[], step: AgentStep, number: number): readonly string[] {
  if (step.kind !== 'tool') return recent;
  const label = `${number} ${callLabel(step.tool ?? '', step.input)}${step.error === true ? ' (failed)' : ''}`;
  return [...recent.slice(1 - RECENT_MAX), label];
}

const sum = (a: Tokens, b: NonNullable<AgentStep['tokens']>): Tokens => ({
  in: a.in + b.in,
  out: a.out + b.out,
  cached: a.cached + (b.cached ?? 0),
});

import type { Simulation } from './simulation.ts';

/** The closing line of `holter sim --json`; its names are part of what users rely on. */
export type Report = {
  readonly agents: number;
  readonly hours: number;
  readonly seed: number;
  readonly events: number;
  readonly violations: number;
  readonly wrongTerminations: number;
  readonly wrongNudgesPer1000AgentHours: number;
  readonly detectionMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly recovery: { readonly attempted: number; readonly succeeded: number };
  readonly interventionMs: { readonly mean: number };
  readonly microsPerStep: number;
  readonly wallSeconds: number;
};

/** What only a clock can say; the rest of a report is the same for the same scenario. */
type Measured = { readonly microsPerStep: number; readonly wallSeconds: number };

export const UNMEASURED: Measured = { microsPerStep: 0, wallSeconds: 0 };

export function reportOf(simulation: Simulation, measured: Measured): Report {
  const { scenario, world, audit, tally } = simulation;
  const agentHours = scenario.hours * world.agents.length;
  return {
    agents: world.agents.length,
    hours: scenario.hours,
    seed: scenario.seed,
    events: world.monitor.inputs,
    violations: simulation.violationCount,
    wrongTerminations: audit.audit.executions.wrongTerminations,
    wrongNudgesPer1000AgentHours: round((tally.wrongNudges * 1_000) / agentHours, 3),
    detectionMs: quantiles(tally.detectionMs),
    recovery: { attempted: tally.recoveriesAttempted, succeeded: tally.recoveriesSucceeded },
    interventionMs: { mean: Math.round(mean(tally.interventionMs)) },
    ...measured,
  };
}

export type Row = {
  readonly metric: string;
  readonly target: string;
  readonly measured: string;
  readonly isMet: boolean;
};

/** Beside seed 000, "Performance Requirements". What a simulator can't measure is not in it. */
export function requirementRows(simulation: Simulation, report: Report): readonly Row[] {
  const { tally } = simulation;
  const falsePositives = tally.nudges === 0 ? 0 : tally.wrongNudges / tally.nudges;
  const { attempted, succeeded } = report.recovery;
  const recovered = attempted === 0 ? 1 : succeeded / attempted;
  const millisPerStep = report.microsPerStep / 1_000;
  const agents = report.agents;
  return [
    row(
      'Stuck detection latency, p99',
      '< 5 minutes',
      seconds(report.detectionMs.p99),
      report.detectionMs.p99 < 300_000,
    ),
    row('False positive rate, share of nudges', '< 1%', percent(falsePositives), falsePositives < 0.01),
    row('Recovery success rate', '> 95%', `${percent(recovered)} of ${attempted}`, recovered > 0.95),
    row(
      'Mean time to intervention',
      '< 10 minutes',
      seconds(report.interventionMs.mean),
      report.interventionMs.mean < 600_000,
    ),
    row(
      'Health check, mean of all inputs',
      '< 100 ms',
      `${millisPerStep.toFixed(4)} ms`,
      millisPerStep < 100,
    ),
    row('Concurrent agent monitors', '100+', String(agents), agents >= 100),
  ];
}

const row = (metric: string, target: string, measured: string, isMet: boolean): Row => ({
  metric,
  target,
  measured,
  isMet,
});

export type Count = { readonly what: string; readonly count: number };

export function countsOf({ tally, world, audit }: Simulation): readonly Count[] {
  return [
    { what: 'inputs folded', count: world.monitor.inputs },
    { what: 'happenings in the world', count: world.happenings },
    { what: 'troubles noticed', count: tally.detectionMs.length },
    { what: 'nudges', count: tally.nudges },
    { what: 'wrong nudges', count: tally.wrongNudges },
    { what: 'notices to people', count: tally.notices },
    { what: 'terminations', count: tally.terminations },
    { what: 'wrong terminations', count: audit.audit.executions.wrongTerminations },
  ];
}

function quantiles(values: readonly number[]): Report['detectionMs'] {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value: number, digits: number): number => Number(value.toFixed(digits));
const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
const seconds = (ms: number): string =>
  ms < 120_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;

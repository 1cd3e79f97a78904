import { type Counts, mergeCounts } from '../coverage/counts.ts';
import type { SeedResult, SeedViolation } from './run-seed.ts';

/** Runs one seed after the other: in a worker thread, or in the caller's own. */
export interface SeedRunner {
  run(seed: number): Promise<SeedResult>;
  /** Gives up whatever is under way. */
  stop(): Promise<void>;
}

export type SoakLimits = {
  readonly firstSeed: number;
  /** Whichever is reached first ends the soak. */
  readonly seconds?: number;
  readonly agentHours?: number;
  readonly seeds?: number;
};

export type SoakTotals = {
  readonly seeds: number;
  readonly agentHours: number;
  readonly events: number;
  readonly violations: readonly (SeedViolation & { readonly seed: number })[];
  readonly wrongTerminations: number;
  readonly coverage: Counts;
};

export const NOTHING_YET: SoakTotals = {
  seeds: 0,
  agentHours: 0,
  events: 0,
  violations: [],
  wrongTerminations: 0,
  coverage: {},
};

type SoakWatch = {
  readonly secondsNow: () => number;
  readonly progressed: (totals: SoakTotals, seconds: number) => void;
};

/**
 * Seeds by the hundred, each runner taking the next one, until time or work is done. What a seed does depends on
 * the seed alone, so neither the number of runners nor their pace changes what is found in it.
 */
export class Soak {
  totals: SoakTotals = NOTHING_YET;
  private readonly runners: readonly SeedRunner[];
  private readonly limits: SoakLimits;
  private readonly watch: SoakWatch;
  private readonly startedAt: number;
  private nextSeed: number;
  private isStopping = false;

  constructor(runners: readonly SeedRunner[], limits: SoakLimits, watch: SoakWatch) {
    this.runners = runners;
    this.limits = limits;
    this.watch = watch;
    this.nextSeed = limits.firstSeed;
    this.startedAt = watch.secondsNow();
  }

  get seconds(): number {
    return this.watch.secondsNow() - this.startedAt;
  }

  async run(): Promise<SoakTotals> {
    await Promise.all(this.runners.map((runner) => this.work(runner)));
    await Promise.all(this.runners.map((runner) => runner.stop()));
    return this.totals;
  }

  /** No further seed is begun, and what is under way is given up: only whole runs count. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.runners.map((runner) => runner.stop()));
  }

  private async work(runner: SeedRunner): Promise<void> {
    while (!this.isOver()) {
      const seed = this.nextSeed++;
      const result = await runner.run(seed).catch((error: unknown) => {
        if (this.isStopping) return null;
        throw error;
      });
      if (result === null) return;
      this.totals = withSeed(this.totals, seed, result);
      this.watch.progressed(this.totals, this.seconds);
    }
  }

  private isOver(): boolean {
    const { seconds, agentHours, seeds, firstSeed } = this.limits;
    if (this.isStopping) return true;
    if (seconds !== undefined && this.seconds >= seconds) return true;
    if (agentHours !== undefined && this.totals.agentHours >= agentHours) return true;
    return seeds !== undefined && this.nextSeed - firstSeed >= seeds;
  }
}

export const withSeed = (totals: SoakTotals, seed: number, result: SeedResult): SoakTotals => ({
  seeds: totals.seeds + 1,
  agentHours: totals.agentHours + result.agentHours,
  events: totals.events + result.events,
  violations: [...totals.violations, ...result.violations.map((violation) => ({ ...violation, seed }))],
  wrongTerminations: totals.wrongTerminations + result.wrongTerminations,
  coverage: mergeCounts(totals.coverage, result.coverage),
});

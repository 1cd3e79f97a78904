import type { Counts } from '../coverage/counts.ts';
import { runWorldSeed } from './world-run.ts';

/** What one seed of one kind of run came to. Plain JSON: it crosses from a worker thread. */
export type SeedResult = {
  readonly agentHours: number;
  readonly events: number;
  readonly violations: readonly SeedViolation[];
  readonly wrongTerminations: number;
  readonly coverage: Counts;
};

export type SeedViolation = {
  readonly invariant: number | null;
  readonly what: string;
  /** The line to paste that shows it again. */
  readonly again: string;
};

type RunKind = { readonly name: string; readonly run: (seed: number) => SeedResult | Promise<SeedResult> };

/** A soak goes through them in turn: the pure world, and whatever else can be run by a seed alone. */
const RUN_KINDS: readonly RunKind[] = [{ name: 'world', run: runWorldSeed }];

/** Which kind of run a seed is for. */
export const kindOf = (seed: number): RunKind => RUN_KINDS[seed % RUN_KINDS.length] as RunKind;

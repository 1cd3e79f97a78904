import type { Counts } from '../coverage/counts.ts';
import { runEngineSoakSeed } from './run-engine-seed.ts';
import { runMailSoakSeed } from './run-mail-seed.ts';
import { runWorldSeed } from './run-world-seed.ts';

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

/**
 * One seed in so many is for the real engine, which carries fewer agents in the same time than the pure world. An odd
 * number: fleets of even seeds share their store.
 */
const ENGINE_EVERY = 9;

/** One in so many is for the post office: it has few rules, and they are met in every hour. */
const MAIL_EVERY = 29;

export type SeedKind = 'world' | 'engine' | 'mail';
export const SEED_KINDS = ['world', 'engine', 'mail'] as const satisfies readonly SeedKind[];

const RUN: Readonly<Record<SeedKind, (seed: number) => SeedResult | Promise<SeedResult>>> = {
  world: runWorldSeed,
  engine: runEngineSoakSeed,
  mail: runMailSoakSeed,
};

export const runSeed = (seed: number, kind = kindOf(seed)): SeedResult | Promise<SeedResult> =>
  RUN[kind](seed);

function kindOf(seed: number): SeedKind {
  if (seed % ENGINE_EVERY === 0) return 'engine';
  return seed % MAIL_EVERY === 0 ? 'mail' : 'world';
}

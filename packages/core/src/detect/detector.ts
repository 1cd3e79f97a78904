import type { Instant } from '../base/time.ts';
import type { Finding, FindingKind } from '../vocabulary/finding.ts';
import type { CallFacts } from './facts.ts';
import type { Memory } from './memory.ts';
import type { CommonPolicy } from './policy.ts';

/** One step of an agent, as a detector sees it; `memory` includes the call itself. */
export type Seen =
  | { readonly kind: 'call'; readonly facts: CallFacts; readonly memory: Memory }
  /** The arguments were not recorded, so equality is unknown and every run of equal calls ends here. */
  | { readonly kind: 'opaque-call' }
  | { readonly kind: 'message'; readonly text: string; readonly at: Instant | null }
  /** A person spoke to the agent. */
  | { readonly kind: 'person' }
  | { readonly kind: 'compaction'; readonly at: Instant | null };

export type Meanings<Limits> = {
  readonly [K in keyof Limits as Limits[K] extends { readonly warn: number } ? K : never]: string;
};

/**
 * A detector: pure, incremental, with a bounded state of plain JSON. It is listed in `registry.ts`, and its state is
 * stored under its name there.
 */
export type Detector<State, Limits> = {
  readonly kinds: readonly FindingKind[];
  /**
   * Its thresholds with their defaults, by their key in the policy. Operators set `warn` and `act` of each key in
   * `holter.yaml`, under the same key in snake case.
   */
  readonly limits: Limits;
  /** What each of those counts and why, in a sentence: the reference of `holter.yaml` is made of it. */
  readonly meanings: Meanings<Limits>;
  /** The initial state, also used for a stored record that is older than the detector. */
  readonly empty: State;
  observe(state: State, seen: Seen, policy: CommonPolicy & Limits): State;
  /** The findings that hold now. `callCount` is the number of calls so far. */
  find(state: State, policy: CommonPolicy & Limits, callCount: number): Finding | readonly Finding[] | null;
};

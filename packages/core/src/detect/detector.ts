import type { Instant } from '../base/time.ts';
import type { Finding, FindingKind } from '../vocabulary/finding.ts';
import type { CallFacts } from './facts.ts';
import type { Memory } from './memory.ts';
import type { DetectionPolicy } from './policy.ts';

/** What a detector is shown of an agent's steps; `memory` includes the call itself. */
export type Seen =
  | { readonly kind: 'call'; readonly facts: CallFacts; readonly memory: Memory }
  /** Its arguments were not recorded: nothing can be called the same, so every run of sameness ends here. */
  | { readonly kind: 'opaque-call' }
  | { readonly kind: 'message'; readonly text: string; readonly at: Instant | null }
  /** A person spoke to the agent. */
  | { readonly kind: 'person' }
  | { readonly kind: 'compaction'; readonly at: Instant | null };

/**
 * One detector: pure, incremental, with a state that is plain JSON and bounded. It is listed in `registry.ts`, and its
 * state is kept under its name there.
 */
export type Detector<State> = {
  readonly kinds: readonly FindingKind[];
  /** What it begins with. A stored record from before the detector has no state of it, and begins here too. */
  readonly empty: State;
  observe(state: State, seen: Seen, policy: DetectionPolicy): State;
  /** What holds now. `callCount` is how many calls there were. */
  find(state: State, policy: DetectionPolicy, callCount: number): Finding | readonly Finding[] | null;
};

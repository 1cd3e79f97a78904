import type { Effect, EffectKind, Instant, ReceiptOutcome } from '@holter/core';

/** Something that can carry out effects: the reply queue, the channels to people, a process adapter. */
export type Executor = {
  readonly name: string;
  /** Whose effects it takes: null are those that any server may carry out. */
  readonly id: string | null;
  readonly kinds: ReadonlySet<EffectKind>;
  /** Must be safe to call twice with the same effect: a crash in between makes that happen. */
  act(effect: Effect): Promise<ActResult>;
};

/** What is done to an agent itself, by whoever sits on its host; notices are for people. */
export const AGENT_EFFECTS: ReadonlySet<EffectKind> = new Set<EffectKind>([
  'nudge',
  'inquire',
  'remind',
  'request-handoff',
  'deny-call',
  'terminate',
  'spawn',
]);

export type ActResult =
  | { readonly kind: 'receipt'; readonly outcome: ReceiptOutcome; readonly detail: string }
  /** Taken on; the receipt will come by itself (`Engine.receive`). Until then it is offered again. */
  | { readonly kind: 'underway'; readonly checkAgainAt: Instant; readonly detail: string }
  /** Any server may deliver it from now on, whoever hears from the agent; until then it is offered again. */
  | { readonly kind: 'offered'; readonly againAt: Instant; readonly detail: string }
  /** Could not be done now. Counts as a try; after too many it is given up and a person is told. */
  | {
      readonly kind: 'failed';
      readonly detail: string;
      /** Where the executor itself knows when to try again, or that there is no use. */
      readonly retryAt?: Instant | 'never';
    };

import type { Agent, Effect, EffectKind, Instant, ReceiptOutcome } from '@holter/core';

/** Carries out effects: the reply queue, the notification channels, a process adapter. */
export type Executor = {
  readonly name: string;
  /** Effects are addressed to an executor by this id; null takes those that any server may carry out. */
  readonly id: string | null;
  readonly kinds: ReadonlySet<EffectKind>;
  /** It refuses every start, so a start is not offered to people. */
  readonly isNoStarter?: true;
  /** Must be idempotent: after a crash it is called again with the same effect. */
  act(effect: Effect): Promise<ActResult>;
};

export const isStarterOf = ({ id, kinds, isNoStarter }: Executor, executor: string | null): boolean =>
  id === executor && !isNoStarter && kinds.has('spawn');

/** Effects on the agent itself, carried out on its host. Notices are not among them: they go to people. */
export const AGENT_EFFECTS: ReadonlySet<EffectKind> = new Set<EffectKind>([
  'nudge',
  'inquire',
  'remind',
  'request-handoff',
  'deny-call',
  'terminate',
  'spawn',
]);

/** Only the executor gets the key of a start; the stored effect does not have it. */
export const orderOf = (effect: Effect, { hard }: Agent): Effect =>
  effect.kind === 'spawn' && hard.spawnKey !== undefined ? { ...effect, key: hard.spawnKey } : effect;

export type ActResult =
  | { readonly kind: 'receipt'; readonly outcome: ReceiptOutcome; readonly detail: string }
  /** Accepted; the receipt arrives later through `Engine.receive`. Until then the effect is offered again. */
  | { readonly kind: 'underway'; readonly checkAgainAt: Instant; readonly detail: string }
  /** Any server that hears from the agent may deliver it. Until then it is offered again. */
  | { readonly kind: 'offered'; readonly againAt: Instant; readonly detail: string }
  /** Failed. Counts as a try; after too many the effect is abandoned and a person is notified. */
  | {
      readonly kind: 'failed';
      readonly detail: string;
      /** Overrides the default backoff; `never` abandons the effect. */
      readonly retryAt?: Instant | 'never';
    };

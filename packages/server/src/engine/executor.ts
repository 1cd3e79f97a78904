import type { Agent, Effect, EffectKind, ExecutorState, Instant, ReceiptOutcome } from '@holter/core';
import type { Answer } from './request.ts';

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

/** Of the executors that are connected now, what is the one of this agent? */
export function executorStateOf(connected: readonly Executor[], executor: string | null): ExecutorState {
  const present = connected.filter(({ id }) => id === executor);
  if (executor === null) return present.some((each) => isStarterOf(each, null)) ? 'connected' : 'none';
  if (present.length === 0) return 'away';
  return present.some(({ isNoStarter }) => isNoStarter) ? 'adopted' : 'connected';
}

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

/** What Holter does to an agent by itself, and no person has ordered. */
export const isOwnAct = (effect: Effect, agent: Agent | null): boolean =>
  AGENT_EFFECTS.has(effect.kind) &&
  agent?.hard.incident?.order?.source !== 'person' &&
  !(effect.kind === 'nudge' && effect.order === 'person');

/** What the executor is told to do once its claim was answered, or why the effect is not wanted any more. */
export function orderOf(effect: Effect, answer: Answer): Effect | string {
  // A notice about the whole fleet has no agent record that could cancel it.
  if (answer.kind === 'unknown-agent') return effect.kind === 'notify' ? effect : NOT_WANTED;
  if (answer.kind !== 'folded') return NOT_WANTED;
  if (answer.claim !== 'proceed') return answer.cancelledBecause ?? NOT_WANTED;
  const key = answer.agent.hard.spawnKey;
  // Only the executor gets the key of a start; the stored effect does not have it.
  return effect.kind === 'spawn' && key !== undefined ? { ...effect, key } : effect;
}

const NOT_WANTED = 'it was not wanted any more when it was claimed';

export type ActResult =
  | { readonly kind: 'receipt'; readonly outcome: ReceiptOutcome; readonly detail: string }
  /** Accepted; the receipt arrives later through `Engine.receive`. Until then the effect is offered again. */
  | { readonly kind: 'underway'; readonly checkAgainAt: Instant; readonly detail: string }
  /** Any server that hears from the agent may deliver it. Until then it is offered again. */
  | { readonly kind: 'offered'; readonly againAt: Instant; readonly detail: string }
  /** Its reason was gone: it is cancelled. */
  | { readonly kind: 'dropped'; readonly detail: string }
  /** Failed. Counts as a try; after too many the effect is abandoned and a person is notified. */
  | {
      readonly kind: 'failed';
      readonly detail: string;
      /** Overrides the default backoff; `never` abandons the effect. */
      readonly retryAt?: Instant | 'never';
    };

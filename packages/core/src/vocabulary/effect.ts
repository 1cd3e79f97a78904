import type { DurationMs, Instant } from '../base/time.ts';
import { hours } from '../base/time.ts';
import type { AlertNotice, NoticeSeverity } from './alert.ts';
import type { FindingKind } from './finding.ts';
import type { LadderStep } from './ladder.ts';
import type { OrderSource } from './order.ts';

/**
 * An effect is something that Holter wants done, as data. The shell stores it in the same transaction as the state
 * that wanted it; its executor claims it, carries it out, and answers with a receipt.
 */
export type Effect = EffectEnvelope & EffectBody;

type EffectEnvelope = {
  /** Made of incident, step and attempt, so that one decision can never become two effects. */
  readonly id: string;
  readonly agentId: string;
  readonly incarnation: number;
  /** The only executor that may claim it: a host, or the `holter run` that owns the terminal. Null is any server. */
  readonly executor: string | null;
  readonly livesBy: Life;
  /** Useless after this moment, even if its life goes on. */
  readonly until?: Instant;
  /** The step of the ladder that it carries out; absent for effects outside the steps. */
  readonly step?: StepRef;
};

/**
 * What an effect lives by. The commit that ends an incident, an incarnation or a nudge's attempt cancels the effects
 * pending for it.
 */
export type Life = `incident:${string}` | `nudge:${string}` | `start:${string}` | `fleet:${string}`;

/** A nudge that was not read yet gives way to the next one. */
export const lifeOfNudge = ({ id, attempt }: { readonly id: string; readonly attempt: number }): Life =>
  `nudge:${id}/${attempt}`;
export const lifeOfIncident = (incidentId: string): Life => `incident:${incidentId}`;
export const lifeOfStart = (agentId: string, incarnation: number): Life => `start:${agentId}#${incarnation}`;
export const lifeOfFleet = (group: string): Life => `fleet:${group}`;

/** The id of the notice, without the channel: each channel carries a copy of the same notice. */
export const wantedIdOf = (effect: Effect): string =>
  effect.kind === 'notify' ? (effect.via?.noticeId ?? effect.id) : effect.id;

/** Drops the effects whose life has ended. */
export const stillWanted = (effects: readonly Effect[], over: readonly Life[]): readonly Effect[] =>
  over.length === 0 ? effects : effects.filter(({ livesBy }) => !over.includes(livesBy));

/** How long a notice or a reminder without an incident is useful. */
export const NOTICE_MS_MAX = hours(24);

export type StepRef = { readonly incidentId: string; readonly step: LadderStep; readonly attempt: number };

export type NoticeAudience = 'orchestrator' | 'operator';

/** Something that people should know. */
export type NoticeBody = {
  readonly audience: NoticeAudience;
  readonly severity: NoticeSeverity;
  readonly message: string;
  readonly incidentId: string | null;
  /** The channel whose failure this is about; the other channels carry it. */
  readonly failedChannel?: string;
};

export type EffectBody =
  | {
      readonly kind: 'nudge';
      readonly attempt: number;
      readonly about: FindingKind | 'operator';
      readonly message: string;
      /** A person has ordered it: it is sent also while Holter's own acts are stopped. */
      readonly order?: 'person';
    }
  /** Asks the agent how it is; any sign of life is the answer. About a task, only a word about the task is. */
  | {
      readonly kind: 'inquire';
      readonly message: string;
      readonly answerBy: Instant;
      readonly taskId?: string;
    }
  /** A message was not acknowledged: send it again. */
  | { readonly kind: 'remind'; readonly message: string }
  | ({
      readonly kind: 'notify';
      /** Set on the copy for one channel: the channel, and the notice that it copies. */
      readonly via?: { readonly channel: string; readonly noticeId: string };
      /** Set on a notice that an alert sends: what it is about, for channels that show more than text. */
      readonly alert?: AlertNotice;
    } & NoticeBody)
  /** Refuses the looping call where the adapter can; wanted right before a termination. */
  | { readonly kind: 'deny-call'; readonly message: string }
  | { readonly kind: 'request-handoff'; readonly message: string; readonly waitMs: DurationMs }
  | {
      readonly kind: 'terminate';
      readonly reason: string;
      readonly order: OrderSource | null;
      readonly cleanupMs: DurationMs;
    }
  | {
      readonly kind: 'spawn';
      /**
       * The successor presents it when it registers, and the launcher locks on it, so that two can't start. Made by
       * the claim and given only to the executor: an effect as it is stored has none.
       */
      readonly key?: string;
      readonly taskId: string | null;
      readonly attempt: number;
      readonly handoffNoteId: string | null;
      /** The checkpoint that a person picked: the start fails if it can't be used. Null is the newest valid one. */
      readonly checkpointId: string | null;
    };

export type EffectKind = EffectBody['kind'];

/** Lower is claimed first: stopping or starting a process does not wait behind messages. */
export const EFFECT_URGENCY: Readonly<Record<EffectKind, number>> = {
  terminate: 0,
  'deny-call': 0,
  spawn: 0,
  nudge: 1,
  inquire: 1,
  'request-handoff': 1,
  remind: 2,
  notify: 2,
};

/**
 * The outcome of an effect. "Posted" means handed to a service that carries it on, "delivered" means arrived;
 * neither means "seen". "Unknown" is never retried where a repetition could do harm.
 */
export type ReceiptOutcome = 'posted' | 'delivered' | 'seen' | 'done' | 'refused' | 'unknown';

/**
 * What an agent's adapter can do for it. `resume`: a successor goes on with the session of the agent, without a
 * checkpoint.
 */
export type Capability = 'nudge' | 'deny-call' | 'terminate' | 'spawn' | 'resume';

/** The agents that keep the outcome on record: an alert may be about several. */
export const concernedBy = (effect: Effect): readonly string[] =>
  effect.kind === 'notify' && effect.alert
    ? effect.alert.members.flatMap(({ agentId }) => agentId ?? [])
    : [effect.agentId];

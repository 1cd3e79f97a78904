import type { Instant } from '../base/time.ts';
import type { FindingKind } from '../vocabulary/finding.ts';
import type { Mark } from '../vocabulary/hold.ts';
import type { LadderStep } from '../vocabulary/ladder.ts';
import type { OrderSource } from '../vocabulary/order.ts';

/**
 * `due`: to be taken as soon as possible. `asked`: waits for the fleet to admit it. `acting`: an effect is under
 * way. `waiting`: the effect is done, and the wait after it runs.
 */
export type StepPhase = 'due' | 'asked' | 'acting' | 'waiting';

/** Somebody has seen the incident: its notices stop, its ladder goes on. */
type Acknowledgement = { readonly by: string; readonly at: Instant; readonly reason: string };

/** An operator's or orchestrator's order; it needs no further evidence. */
export type Order = {
  readonly by: string;
  readonly source: OrderSource;
  readonly afterwards: 'recover' | 'stop';
  /** In the words of the person who gave it. */
  readonly reason?: string;
  /** Set while the agent is first asked for a handoff note. */
  readonly handoffAskedAt?: Instant;
  /** The person has approved that a lost agent is given up, and another takes its place. */
  readonly isReplacement?: true;
  /** The checkpoint that the person picked, as it was at that time. */
  readonly from?: { readonly id: string; readonly hash: string };
};

export const inOrdersWords = ({ by, reason }: Order): string =>
  `ordered by ${by}${reason ? `: ${reason}` : ''}`;

/** What all incarnations of the agent used while an incident was open. */
export type Cost = { readonly tokens: number; readonly costUsd: number };

/**
 * The kind is kept because counts of different kinds can't be compared: five failures are not five more equal calls.
 */
export type Repeat = { readonly kind: FindingKind; readonly count: number };

/**
 * What became of a nudge. `offered`: its channel has it, but the agent has not fetched it. `delivered`: it is in the
 * agent's context, and NUDGE_SENT has said so. `lost`: it could not be delivered.
 */
export type NudgeState = 'decided' | 'offered' | 'delivered' | 'seen' | 'lost';

/** The nudges of an incident: how many were decided, how many of them reached the agent, and the newest one. */
type Nudges = {
  readonly decided: number;
  readonly delivered: number;
  readonly newest: NudgeState;
};

type Told = { readonly channel: string; readonly at: Instant };

/**
 * The only thing that may cause a nudge, a kill or a restart. At most one is open per agent. Its ladder only goes
 * up: steps may be skipped, never taken back.
 */
export type Incident = {
  readonly id: string;
  readonly cause: FindingKind | 'operator';
  readonly openedAt: Instant;
  /** The counters at which its cost starts. Absent means zero; negative after a new incarnation. */
  readonly meter?: Cost;
  readonly step: LadderStep;
  /** Counts within the step, from 1. Each (id, step, attempt) is decided once. */
  readonly attempt: number;
  readonly phase: StepPhase;
  /** Not before this moment: the end of a backoff, or of a deferral by the fleet. */
  readonly notBefore?: Instant;
  /** Why the fleet deferred this step until `notBefore`. */
  readonly heldBack?: 'brake' | 'budget';
  /** Start of the wait. A step that asks a person has none until a notice has reached somebody. */
  readonly wait?: Mark;
  /** For a step that asks a person: when its notice was first shown to somebody who may decide. */
  readonly noticedAt?: Instant;
  /** When each channel first accepted an alert about it: who could have known, and since when. */
  readonly told?: readonly Told[];
  /** A nudge of this incident was seen by the agent, not only sent. */
  readonly isNudgeSeen?: true;
  readonly nudges?: Nudges;
  /** An executor was told to proceed with this attempt; asking again gets the same answer. */
  readonly isClaimed?: true;
  /** The executor reported that the process is gone, but a probe has not confirmed it yet. */
  readonly exitReportedAt?: Instant;
  /** How far the loop had gone when the first nudge was seen, and when the newest step was taken. */
  readonly repeatAtNudge?: Repeat;
  readonly repeatAtStep?: Repeat;
  readonly order?: Order;
  /** The call that is refused, as the detectors know it. */
  readonly denied?: number;
  /** Until the incident closes, or climbs to a step that asks a person again. */
  readonly acknowledged?: Acknowledgement;
  /** Since when no `act` finding holds. */
  readonly calm?: Mark;
};

/** The last closed incident, kept as long as the same finding would reopen it. */
export type PastIncident = {
  readonly id: string;
  readonly cause: FindingKind | 'operator';
  readonly step: LadderStep;
  readonly attempt: number;
  readonly closedAt: Instant;
};

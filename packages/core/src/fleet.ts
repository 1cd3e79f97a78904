import type { Effect } from './effect.ts';
import type { HolterEvent } from './event.ts';
import { hashText } from './hash.ts';
import type { FleetPolicy } from './policy/policy.ts';
import type { Instant } from './time.ts';
import { later, minutes, NEVER } from './time.ts';

/**
 * The second pure machine: what concerns many agents at once. `step` wants something for one agent; `admit`
 * says whether the fleet can bear it now.
 *
 * The brake. Intuition: when many agents of a group fall silent together, the monitor or the network is
 * the suspect, not a dozen agents (Eureka, Kubernetes). While it is engaged, terminations, starts and
 * single notices wait, and one alert goes out for all. After a calm while, what waits is judged again and
 * let through one by one. Nudges pass: an agent that can be nudged is not lost.
 * Blind spot: a real mass death is brought back more slowly than it could be.
 *
 * The budgets are token buckets: enough for an ordinary day, too little for a storm.
 */
/** A question of one agent's incident to the whole fleet. */
export type AskKind = 'loss' | 'nudge' | 'notice' | 'terminate' | 'start';

export type Ask = {
  readonly kind: AskKind;
  readonly agentId: string;
  readonly group: string;
  /** The effect that waits for it. */
  readonly effectId: string;
  /** One beat interval of the agent, for "at the same time". */
  readonly intervalMs: number;
};

export type Admission =
  | { readonly kind: 'granted' }
  | { readonly kind: 'deferred'; readonly until: Instant; readonly because: 'brake' | 'budget' };

/** The fleet's own state: one small row, versioned by the store. */
export type Fleet = {
  readonly brakes: Readonly<Record<string, GroupBrake>>;
  readonly budgets: Readonly<Record<'nudge' | 'notice' | 'start', Budget>>;
};

/** Recent losses of one group; engaged while a mass failure lasts. */
export type GroupBrake = {
  readonly losses: readonly { readonly agentHash: number; readonly at: Instant }[];
  readonly engagedAt?: Instant;
  /** Once calm: the next moment at which one deferred act may pass. */
  readonly releaseAt?: Instant;
};

/** A token bucket: `tokens` as of `at`. */
export type Budget = { readonly tokens: number; readonly at: Instant };

export type Admitted = {
  readonly fleet: Fleet;
  readonly admission: Admission;
  readonly events: readonly HolterEvent[];
  readonly effects: readonly Effect[];
};

export const emptyFleet: Fleet = {
  brakes: {},
  budgets: {
    nudge: { tokens: NEVER, at: 0 as Instant },
    notice: { tokens: NEVER, at: 0 as Instant },
    start: { tokens: NEVER, at: 0 as Instant },
  },
};

export type AdmitContext = { readonly at: Instant; readonly groupSize: number; readonly policy: FleetPolicy };

export function admit(fleet: Fleet, ask: Ask, context: AdmitContext): Admitted {
  if (ask.kind === 'loss') return foldLoss(fleet, ask, context);
  const released = releaseBrake(fleet, ask.group, context);
  if (ask.kind !== 'nudge') {
    const braked = throughBrake(released.fleet, ask, context);
    if (braked.admission.kind === 'deferred') return { ...braked, events: released.events, effects: [] };
    if (ask.kind === 'terminate') return { ...braked, events: released.events, effects: [] };
    return { ...spend(braked.fleet, ask.kind, context), events: released.events, effects: [] };
  }
  return { ...spend(released.fleet, 'nudge', context), events: released.events, effects: [] };
}

/** One agent more became unknown or gone. Too many within one interval of theirs engage the brake. */
function foldLoss(fleet: Fleet, ask: Ask, { at, groupSize, policy }: AdmitContext): Admitted {
  const before = fleet.brakes[ask.group] ?? { losses: [] };
  const agentHash = hashText(ask.agentId);
  const windowMs = Math.max(ask.intervalMs, minutes(1));
  const recent = before.losses.filter((loss) => loss.at > at - windowMs && loss.agentHash !== agentHash);
  const losses = [...recent, { agentHash, at }].slice(-LOSSES_MAX);
  const { lossesMin, share } = policy.brake;
  const isMass = losses.length > lossesMin && losses.length > share * groupSize;
  const isEngaged = before.engagedAt !== undefined;
  const brake: GroupBrake = isMass || isEngaged ? { losses, engagedAt: before.engagedAt ?? at } : { losses };
  const next = withBrake(fleet, ask.group, brake);
  if (!isMass || isEngaged) return { fleet: next, admission: GRANTED, events: [], effects: [] };
  return { fleet: next, admission: GRANTED, ...massAlert(ask.group, losses.length, groupSize, at) };
}

const GRANTED: Admission = { kind: 'granted' };
/** More losses than this need not be told apart: the brake is engaged long before. */
const LOSSES_MAX = 64;

function massAlert(
  group: string,
  lost: number,
  size: number,
  at: Instant,
): Pick<Admitted, 'events' | 'effects'> {
  const message = `${lost} of ${size} agents of group ${group} were lost at once: the monitor or the network is the suspect. Holter holds back.`;
  return {
    events: [{ at, incarnation: 0, type: 'MASS_FAILURE', payload: { group, lost, size } }],
    effects: [
      {
        id: `fleet/${group}/mass-failure/${at}`,
        agentId: `fleet:${group}`,
        incarnation: 0,
        executor: null,
        kind: 'notify',
        audience: 'operator',
        severity: 'critical',
        message,
        incidentId: null,
      },
    ],
  };
}

/** The last loss is long enough ago: what was deferred may come again, spread out. */
function releaseBrake(
  fleet: Fleet,
  group: string,
  { at, policy }: AdmitContext,
): Pick<Admitted, 'fleet' | 'events'> {
  const brake = fleet.brakes[group];
  if (brake?.engagedAt === undefined || brake.releaseAt !== undefined) return { fleet, events: [] };
  if (at < calmAt(brake, policy)) return { fleet, events: [] };
  const next = withBrake(fleet, group, { losses: [], engagedAt: brake.engagedAt, releaseAt: at });
  return { fleet: next, events: [{ at, incarnation: 0, type: 'MASS_FAILURE_OVER', payload: { group } }] };
}

const calmAt = (brake: GroupBrake, policy: FleetPolicy): Instant =>
  later(brake.losses.at(-1)?.at ?? brake.engagedAt ?? NEVER, policy.brake.calmMs);

function throughBrake(
  fleet: Fleet,
  ask: Ask,
  { at, policy }: AdmitContext,
): Pick<Admitted, 'fleet' | 'admission'> {
  const brake = fleet.brakes[ask.group];
  if (brake?.engagedAt === undefined) return { fleet, admission: GRANTED };
  if (brake.releaseAt === undefined) {
    return { fleet, admission: { kind: 'deferred', until: calmAt(brake, policy), because: 'brake' } };
  }
  // A start has its own budget; one per half a minute would leave a large fleet down for hours.
  if (ask.kind === 'start') return { fleet, admission: GRANTED };
  if (at < brake.releaseAt)
    return { fleet, admission: { kind: 'deferred', until: brake.releaseAt, because: 'brake' } };
  // Nobody has waited for this slot: the queue is worked off, and the brake is as it was before.
  const isIdle = at >= brake.releaseAt + 2 * policy.brake.releaseEveryMs;
  if (isIdle) return { fleet: withBrake(fleet, ask.group, { losses: brake.losses }), admission: GRANTED };
  const releaseAt = later(at, policy.brake.releaseEveryMs);
  return { fleet: withBrake(fleet, ask.group, { ...brake, releaseAt }), admission: GRANTED };
}

function spend(
  fleet: Fleet,
  kind: 'nudge' | 'notice' | 'start',
  { at, policy }: AdmitContext,
): Pick<Admitted, 'fleet' | 'admission'> {
  const { perMinute, burst } = policy.budgets[kind];
  const { tokens, at: filledAt } = fleet.budgets[kind];
  const perMs = perMinute / minutes(1);
  const available = Math.min(burst, tokens + Math.max(0, at - filledAt) * perMs);
  if (available < 1) {
    const until = later(at, Math.ceil((1 - available) / perMs));
    return { fleet, admission: { kind: 'deferred', until, because: 'budget' } };
  }
  return {
    fleet: { ...fleet, budgets: { ...fleet.budgets, [kind]: { tokens: available - 1, at } } },
    admission: GRANTED,
  };
}

function withBrake(fleet: Fleet, group: string, brake: GroupBrake): Fleet {
  const { [group]: _before, ...others } = fleet.brakes;
  const isEmpty = brake.losses.length === 0 && brake.engagedAt === undefined;
  return { ...fleet, brakes: isEmpty ? others : { ...others, [group]: brake } };
}

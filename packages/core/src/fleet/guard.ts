import { hashText } from '../base/hash.ts';
import type { Instant } from '../base/time.ts';
import { later, minutes, NEVER } from '../base/time.ts';
import type { FleetPolicy } from '../policy/policy.ts';
import type { Admission, Ask } from '../vocabulary/ask.ts';
import type { Effect } from '../vocabulary/effect.ts';
import { lifeOfFleet, NOTICE_MS_MAX } from '../vocabulary/effect.ts';
import type { HolterEvent } from '../vocabulary/event.ts';

/**
 * Decides for many agents at once. `applyInput` wants something for one agent; `admit` says whether the fleet allows it
 * now.
 *
 * The brake. Intuition: when many agents of a group fall silent together, the monitor or the network is the likely
 * cause, not a dozen agents (Eureka, Kubernetes). While it is engaged, terminations, starts and single notices wait,
 * and one alert goes out for all. After a calm period, what waits is judged again and admitted one by one. Nudges
 * pass: an agent that can be nudged is not lost. Blind spot: after a real mass failure, agents are brought back more
 * slowly than possible.
 *
 * The budgets are token buckets: enough for an ordinary day, too little for a storm.
 */
/** The fleet's state: one small row, versioned by the store. */
export type FleetGuard = {
  readonly brakes: Readonly<Record<string, GroupBrake>>;
  readonly budgets: Readonly<Record<'nudge' | 'notice' | 'start', Budget>>;
};

/** Recent losses of one group; engaged while a mass failure lasts. */
type GroupBrake = {
  readonly losses: readonly { readonly agentHash: number; readonly at: Instant }[];
  /** In a large group: older losses, counted in buckets without agent ids, each with its newest time. */
  readonly older?: readonly Handful[];
  readonly engagedAt?: Instant;
  /** The newest loss that was part of a mass failure. Single losses, normal in a large group, do not delay the calm. */
  readonly massAt?: Instant;
  /** Once calm: when the next deferred ask may be granted. */
  readonly releaseAt?: Instant;
};

type Handful = { readonly at: Instant; readonly count: number };

/** A token bucket: `tokens` as of `at`. */
type Budget = { readonly tokens: number; readonly at: Instant };

export type Admitted = {
  readonly fleet: FleetGuard;
  readonly admission: Admission;
  readonly events: readonly HolterEvent[];
  readonly effects: readonly Effect[];
};

export const emptyFleetGuard: FleetGuard = {
  brakes: {},
  budgets: {
    nudge: { tokens: NEVER, at: 0 as Instant },
    notice: { tokens: NEVER, at: 0 as Instant },
    start: { tokens: NEVER, at: 0 as Instant },
  },
};

type AdmitContext = { readonly at: Instant; readonly groupSize: number; readonly policy: FleetPolicy };

export function admit(fleet: FleetGuard, ask: Ask, context: AdmitContext): Admitted {
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

/** Another agent became unknown or gone. Too many within one beat interval engage the brake. */
function foldLoss(fleet: FleetGuard, ask: Ask, context: AdmitContext): Admitted {
  const { at, groupSize, policy } = context;
  const released = releaseBrake(fleet, ask.group, context);
  const before = brakeOf(released.fleet, ask.group) ?? { losses: [] };
  const agentHash = hashText(ask.agentId);
  const windowMs = Math.max(ask.intervalMs, minutes(1));
  const isRecent = (loss: { readonly at: Instant }): boolean => loss.at > at - windowMs;
  const told = before.losses.filter((loss) => isRecent(loss) && loss.agentHash !== agentHash);
  const all = [...told, { agentHash, at }];
  const losses = all.slice(-LOSSES_MAX);
  const older = withHandful(before.older?.filter(isRecent) ?? [], all.slice(0, -LOSSES_MAX), windowMs);
  const lost = older.reduce((sum, { count }) => sum + count, losses.length);
  const { lossesMin, share } = policy.brake;
  const isMass = lost > lossesMin && lost > share * groupSize;
  const { engagedAt, releaseAt } = before;
  const isBraking = engagedAt !== undefined && releaseAt === undefined;
  // After the calm, a single loss does not engage the brake; the next mass failure gets its own alert.
  const isReleasing = !isMass && releaseAt !== undefined && !isWorkedOff(before, at, policy);
  const brake: GroupBrake = {
    losses,
    ...(older.length > 0 && { older }),
    ...((isMass || isBraking) && { engagedAt: isBraking ? engagedAt : at }),
    ...((isMass || isBraking) && { massAt: isMass ? at : (before.massAt ?? at) }),
    ...(isReleasing && { engagedAt: engagedAt ?? at, releaseAt }),
  };
  const next = { fleet: withBrake(released.fleet, ask.group, brake), admission: GRANTED };
  if (!isMass || isBraking) return { ...next, events: released.events, effects: [] };
  // Lost agents may no longer be counted in the group's size.
  const alert = massAlert(ask.group, lost, Math.max(groupSize, lost), at);
  return { ...next, events: [...released.events, ...alert.events], effects: alert.effects };
}

/** Merges losses that are close in time, so that even ten thousand losses stay a small row. */
function withHandful(
  older: readonly Handful[],
  added: readonly { readonly at: Instant }[],
  windowMs: number,
): readonly Handful[] {
  const next = [...older];
  for (const { at } of added) {
    const last = next.at(-1);
    const isClose =
      last !== undefined &&
      Math.floor(last.at / (windowMs / HANDFULS)) === Math.floor(at / (windowMs / HANDFULS));
    if (isClose) next[next.length - 1] = { at, count: last.count + 1 };
    else next.push({ at, count: 1 });
  }
  return next;
}

/** A group may have the name of a prototype property. */
const brakeOf = (fleet: FleetGuard, group: string): GroupBrake | undefined =>
  Object.hasOwn(fleet.brakes, group) ? fleet.brakes[group] : undefined;

/** The newest slot was not used, so no ask is waiting, and the brake is off. */
const isWorkedOff = ({ releaseAt }: GroupBrake, at: Instant, policy: FleetPolicy): boolean =>
  releaseAt !== undefined && at >= releaseAt + 2 * policy.brake.releaseEveryMs;

const GRANTED: Admission = { kind: 'granted' };
/** This many losses keep their agent's id, so that one agent that crashes repeatedly is not counted as many. */
const LOSSES_MAX = 64;
const HANDFULS = 16;

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
        livesBy: lifeOfFleet(group),
        until: later(at, NOTICE_MS_MAX),
        kind: 'notify',
        audience: 'operator',
        severity: 'critical',
        message,
        incidentId: null,
      },
    ],
  };
}

/** The last mass loss is long enough ago: deferred asks may come again, spread out. */
function releaseBrake(
  fleet: FleetGuard,
  group: string,
  { at, policy }: AdmitContext,
): Pick<Admitted, 'fleet' | 'events'> {
  const brake = brakeOf(fleet, group);
  if (brake?.engagedAt === undefined || brake.releaseAt !== undefined) return { fleet, events: [] };
  if (at < calmAt(brake, policy)) return { fleet, events: [] };
  // The mass failure has had its alert; losses during the calm may be the first of the next one.
  const crowdAt = brake.massAt ?? brake.engagedAt;
  const isAfterCrowd = (loss: { readonly at: Instant }): boolean => loss.at > crowdAt;
  const older = brake.older?.filter(isAfterCrowd) ?? [];
  const next = withBrake(fleet, group, {
    losses: brake.losses.filter(isAfterCrowd),
    ...(older.length > 0 && { older }),
    engagedAt: brake.engagedAt,
    releaseAt: at,
  });
  return { fleet: next, events: [{ at, incarnation: 0, type: 'MASS_FAILURE_OVER', payload: { group } }] };
}

const calmAt = (brake: GroupBrake, policy: FleetPolicy): Instant =>
  later(brake.massAt ?? brake.engagedAt ?? NEVER, policy.brake.calmMs);

function throughBrake(
  fleet: FleetGuard,
  ask: Ask,
  { at, policy }: AdmitContext,
): Pick<Admitted, 'fleet' | 'admission'> {
  const brake = brakeOf(fleet, ask.group);
  if (brake?.engagedAt === undefined) return { fleet, admission: GRANTED };
  if (brake.releaseAt === undefined) {
    return { fleet, admission: { kind: 'deferred', until: calmAt(brake, policy), because: 'brake' } };
  }
  // Starts have their own budget; one per 30 s would leave a large fleet down for hours.
  if (ask.kind === 'start') return { fleet, admission: GRANTED };
  if (at < brake.releaseAt)
    return { fleet, admission: { kind: 'deferred', until: brake.releaseAt, because: 'brake' } };
  if (isWorkedOff(brake, at, policy))
    return { fleet: withBrake(fleet, ask.group, { losses: brake.losses }), admission: GRANTED };
  const releaseAt = later(at, policy.brake.releaseEveryMs);
  return { fleet: withBrake(fleet, ask.group, { ...brake, releaseAt }), admission: GRANTED };
}

function spend(
  fleet: FleetGuard,
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

function withBrake(fleet: FleetGuard, group: string, brake: GroupBrake): FleetGuard {
  const { [group]: _before, ...others } = fleet.brakes;
  const isEmpty = brake.losses.length === 0 && brake.engagedAt === undefined;
  return { ...fleet, brakes: isEmpty ? others : { ...others, [group]: brake } };
}

import { hashText } from '../base/hash.ts';
import type { Instant } from '../base/time.ts';
import { earliest, inWords, later, minutes, NEVER } from '../base/time.ts';
import { fleetGuarantees } from '../policy/defaults.ts';
import type { FleetPolicy } from '../policy/policy.ts';
import type { Admission, Ask } from '../vocabulary/ask.ts';
import type { Effect } from '../vocabulary/effect.ts';
import { lifeOfFleet, NOTICE_MS_MAX } from '../vocabulary/effect.ts';
import type { HolterEvent } from '../vocabulary/event.ts';
import type { Budgets } from './budgets.ts';
import { fullBudgets, spend } from './budgets.ts';

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
 * Only agents that have kept their promises before count as lost, so that registering fake agents brakes nothing; and of
 * the crashes that Holter saw, not those of programs that exited by themselves and that nothing starts again. And
 * the brake of a group is engaged for half an hour at most, and then for five minutes of every hour: after that a
 * person is told, and single acts are admitted one by one although the losses go on. A person's order never waits for
 * the brake.
 */
/** The fleet's state: one small row, versioned by the store. */
export type FleetGuard = {
  readonly brakes: Readonly<Record<string, GroupBrake>>;
  readonly budgets: Budgets;
};

/** Recent losses of one group; engaged while a mass failure lasts. */
type GroupBrake = {
  readonly losses: readonly Loss[];
  /** In a large group: older losses, counted in buckets without agent ids, each with its newest time. */
  readonly older?: readonly Handful[];
  readonly engagedAt?: Instant;
  /** The newest loss that was part of a mass failure. Single losses, normal in a large group, do not delay the calm. */
  readonly massAt?: Instant;
  /** Once calm: when the next deferred ask may be granted. */
  readonly releaseAt?: Instant;
  /** For how long the brake has been engaged, as of `at`; it drains slowly. */
  readonly spent?: { readonly ms: number; readonly at: Instant };
};

/** `at`: when the agent was missed; `signAt`: its last sign of life. */
type Loss = { readonly agentHash: number; readonly at: Instant; readonly signAt?: Instant };

type Handful = { readonly at: Instant; readonly count: number };

export type Admitted = {
  readonly fleet: FleetGuard;
  readonly admission: Admission;
  readonly events: readonly HolterEvent[];
  readonly effects: readonly Effect[];
};

export const emptyFleetGuard: FleetGuard = { brakes: {}, budgets: fullBudgets };

type AdmitContext = { readonly at: Instant; readonly groupSize: number; readonly policy: FleetPolicy };

export function admit(fleet: FleetGuard, ask: Ask, context: AdmitContext): Admitted {
  if (ask.kind === 'loss') return foldLoss(fleet, ask, context);
  const { events, effects, ...released } = releaseBrake(fleet, ask.group, context);
  const isBraked = ask.kind !== 'nudge' && !ask.isOrdered;
  const braked = isBraked
    ? throughBrake(released.fleet, ask, context)
    : { fleet: released.fleet, admission: GRANTED };
  if (braked.admission.kind === 'deferred' || ask.kind === 'terminate') return { ...braked, events, effects };
  const { budgets, admission } = spend(braked.fleet.budgets, ask.kind, ask, context.at, context.policy);
  return { fleet: { ...braked.fleet, budgets }, admission, events, effects };
}

/** Another agent became unknown or gone. Too many within one beat interval engage the brake. */
function foldLoss(fleet: FleetGuard, ask: Ask, context: AdmitContext): Admitted {
  if (!ask.hasKept) return { fleet, admission: GRANTED, events: [], effects: [] };
  const { at, groupSize, policy } = context;
  const { signAt = at } = ask;
  const released = releaseBrake(fleet, ask.group, context);
  const before = brakeOf(released.fleet, ask.group) ?? { losses: [] };
  const agentHash = hashText(ask.agentId);
  const windowMs = Math.max(ask.intervalMs, minutes(1));
  const isRecent = (loss: { readonly at: Instant }): boolean => loss.at > at - windowMs;
  const told = before.losses.filter((loss) => loss.at > at - LOSSES_KEPT_MS && loss.agentHash !== agentHash);
  const all: readonly Loss[] = [...told, { agentHash, at, signAt }];
  const losses = all.slice(-LOSSES_MAX);
  const dropped = all.slice(0, -LOSSES_MAX).filter(isRecent);
  const older = withHandful(before.older?.filter(isRecent) ?? [], dropped, windowMs);
  const isTogether = (loss: Loss): boolean =>
    isRecent(loss) || (loss.signAt !== undefined && Math.abs(loss.signAt - signAt) < windowMs);
  const lost = older.reduce((sum, { count }) => sum + count, losses.filter(isTogether).length);
  const { lossesMin, share } = policy.brake;
  const isMass = lost > lossesMin && lost > share * groupSize;
  const { engagedAt, releaseAt } = before;
  const isBraking = engagedAt !== undefined && releaseAt === undefined;
  const spentMs = spentBy(before, at);
  const mayEngage = isMass && (isBraking || fleetGuarantees.brakeMax - spentMs >= policy.brake.calmMs);
  const isEngaged = mayEngage || isBraking;
  // After the calm, a single loss does not engage the brake; the next mass failure gets its own alert. Where the brake
  // may not engage, single acts are admitted one by one.
  const wasReleasing = releaseAt !== undefined && !isWorkedOff(before, at, policy);
  const isReleasing = !isEngaged && (isMass || wasReleasing);
  const brake: GroupBrake = {
    losses,
    ...(older.length > 0 && { older }),
    ...(spentMs > 0 && { spent: { ms: spentMs, at } }),
    ...(isEngaged && { engagedAt: isBraking ? engagedAt : at }),
    ...(isEngaged && { massAt: isMass ? at : (before.massAt ?? at) }),
    ...(isReleasing && { engagedAt: engagedAt ?? at, releaseAt: wasReleasing ? releaseAt : at }),
  };
  const tidy = withoutOld(withBrake(released.fleet, ask.group, brake, at), at);
  const next = { fleet: tidy, admission: GRANTED };
  const { events, effects } = released;
  if (!mayEngage || isBraking) return { ...next, events, effects };
  // Lost agents may no longer be counted in the group's size.
  const alert = massAlert(ask.group, lost, Math.max(groupSize, lost), at);
  return { ...next, events: [...events, ...alert.events], effects: [...effects, ...alert.effects] };
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
/** Longer than the longest deadline of a usual profile, so that a slow agent finds those it was lost with. */
const LOSSES_KEPT_MS = minutes(90);
const HANDFULS = 16;
/**
 * Agents choose their groups. Of more groups than this with recent losses, the one whose last loss is longest ago is
 * forgotten first; those whose brake is engaged last.
 */
export const BRAKES_MAX = 256;

function massAlert(
  group: string,
  lost: number,
  size: number,
  at: Instant,
): Pick<Admitted, 'events' | 'effects'> {
  const message = `${lost} of ${size} agents of group ${group} were lost at once: the monitor or the network is the suspect. Holter holds back.`;
  return {
    events: [{ at, incarnation: 0, type: 'MASS_FAILURE', payload: { group, lost, size } }],
    effects: [tellOperator(group, 'mass-failure', message, at)],
  };
}

const tellOperator = (group: string, about: string, message: string, at: Instant): Effect => ({
  id: `fleet/${group}/${about}/${at}`,
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
});

/**
 * The last mass loss is long enough ago, or the brake has been engaged for as long as it may: deferred asks may come
 * again, spread out.
 */
function releaseBrake(
  fleet: FleetGuard,
  group: string,
  { at, policy }: AdmitContext,
): Omit<Admitted, 'admission'> {
  const brake = brakeOf(fleet, group);
  if (brake?.engagedAt === undefined || brake.releaseAt !== undefined)
    return { fleet, events: [], effects: [] };
  const endAt = calmAt(brake, policy);
  if (at < endAt) return { fleet, events: [], effects: [] };
  // The mass failure has had its alert; losses during the calm may be the first of the next one.
  const crowdAt = brake.massAt ?? brake.engagedAt;
  const isAfterCrowd = (loss: { readonly at: Instant }): boolean => loss.at > crowdAt;
  const older = brake.older?.filter(isAfterCrowd) ?? [];
  const next = withBrake(
    fleet,
    group,
    {
      losses: brake.losses.filter(isAfterCrowd),
      ...(older.length > 0 && { older }),
      engagedAt: brake.engagedAt,
      releaseAt: at,
      spent: { ms: spentBy(brake, brake.engagedAt) + (endAt - brake.engagedAt), at: endAt },
    },
    at,
  );
  const isSpent = endAt < quietAt(brake, policy);
  return {
    fleet: next,
    events: [
      { at, incarnation: 0, type: 'MASS_FAILURE_OVER', payload: { group, ...(isSpent && { isSpent }) } },
    ],
    effects: isSpent ? [tellOperator(group, 'brake-spent', spentMessage(group, policy), at)] : [],
  };
}

const spentMessage = (group: string, { brake }: FleetPolicy): string =>
  `Agents of group ${group} are lost again and again, and Holter has held back for ${inWords(fleetGuarantees.brakeMax)}. From now on it acts on one agent every ${inWords(brake.releaseEveryMs)}: please look at the group.`;

/** Without further mass losses, the brake is released then. */
const quietAt = (brake: GroupBrake, policy: FleetPolicy): Instant =>
  later(brake.massAt ?? brake.engagedAt ?? NEVER, policy.brake.calmMs);

const calmAt = (brake: GroupBrake, policy: FleetPolicy): Instant => {
  const { engagedAt = NEVER } = brake;
  const leftMs = Math.max(0, fleetGuarantees.brakeMax - spentBy(brake, engagedAt));
  return earliest(quietAt(brake, policy), later(engagedAt, leftMs));
};

/** For how long the group's brake has been engaged, less what has drained since. */
const spentBy = ({ spent }: GroupBrake, at: Instant): number =>
  spent ? Math.max(0, spent.ms - Math.max(0, at - spent.at) * fleetGuarantees.brakeRefill) : 0;

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
    return { fleet: withBrake(fleet, ask.group, workedOff(brake), at), admission: GRANTED };
  const releaseAt = later(at, policy.brake.releaseEveryMs);
  return { fleet: withBrake(fleet, ask.group, { ...brake, releaseAt }, at), admission: GRANTED };
}

const workedOff = ({ losses, spent }: GroupBrake): GroupBrake => ({ losses, ...(spent && { spent }) });

function withBrake(fleet: FleetGuard, group: string, brake: GroupBrake, at: Instant): FleetGuard {
  const { [group]: _before, ...others } = fleet.brakes;
  const isEmpty = brake.losses.length === 0 && brake.engagedAt === undefined && spentBy(brake, at) === 0;
  return { ...fleet, brakes: isEmpty ? others : { ...others, [group]: brake } };
}

/** Groups of which nothing counts any more are forgotten, so that the row stays small. */
function withoutOld(fleet: FleetGuard, at: Instant): FleetGuard {
  const all = Object.entries(fleet.brakes);
  const kept = all.filter(([, brake]) => !isOver(brake, at));
  if (kept.length > BRAKES_MAX) {
    kept.sort(([, a], [, b]) => Number(isEngaged(a)) - Number(isEngaged(b)) || lostAt(a) - lostAt(b));
    kept.splice(0, kept.length - BRAKES_MAX);
  }
  return kept.length === all.length ? fleet : { ...fleet, brakes: Object.fromEntries(kept) };
}

const isEngaged = ({ engagedAt, releaseAt }: GroupBrake): boolean =>
  engagedAt !== undefined && releaseAt === undefined;

/** The newest loss is the last. */
const lostAt = ({ losses, releaseAt }: GroupBrake): number =>
  Math.max(losses.at(-1)?.at ?? 0, releaseAt ?? 0);

const isOver = (brake: GroupBrake, at: Instant): boolean =>
  !isEngaged(brake) && at - lostAt(brake) >= LOSSES_KEPT_MS && spentBy(brake, at) === 0;

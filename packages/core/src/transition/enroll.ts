import { hashText } from '../base/hash.ts';
import { isSameSecret } from '../base/secret.ts';
import type { DurationMs, Instant } from '../base/time.ts';
import { between, instant, later, latest, minutes, NEVER } from '../base/time.ts';
import { closeBooks } from '../fold/books.ts';
import { rearmedAcks } from '../fold/messages.ts';
import { closeIncident } from '../incident/change.ts';
import { meterAcross } from '../incident/cost.ts';
import { endTickets } from '../incident/ticket.ts';
import { becomeHealth } from '../judge/health.ts';
import type { Policy } from '../policy/policy.ts';
import type { Agent, Hard, Mode, Patience, Promises, Reporter, Soft, Task } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { draftOf, emit, endLife, markNow } from '../record/draft.ts';
import { hasKeptPromises, nameFreeAt } from '../record/liveness.ts';
import { carrySpent, openTasks, staysOpen, TASKS_MAX } from '../record/tasks.ts';
import { hasWork } from '../record/work.ts';
import type { Source } from '../vocabulary/authority.ts';
import { AUTHORITY, UNPROVEN } from '../vocabulary/authority.ts';
import type { Capability, Life } from '../vocabulary/effect.ts';
import { lifeOfStart } from '../vocabulary/effect.ts';
import type { HolterEvent } from '../vocabulary/event.ts';
import { NOTHING_HELD } from '../vocabulary/hold.ts';
import type { Spending } from '../vocabulary/spending.ts';
import type { StallLog } from '../vocabulary/stall.ts';
import { isOwnReturn, isUnseenEnd, keepIncident, keptMemory, keptTerms } from './own-return.ts';

/** What an agent, or the adapter that started it, reports when it starts. */
export type Registration = {
  readonly agentId: string;
  /** One per process: the same instance gets its incarnation back, another one has to wait. */
  readonly instanceId: string;
  readonly role: string;
  readonly group: string;
  readonly mode: Mode;
  readonly promises: Promises;
  readonly can: readonly Capability[];
  readonly executor: string | null;
  readonly host?: string;
  readonly patience?: Patience;
  readonly taskId?: string;
  /** The key of the start that Holter ordered. With a key, the agent is that successor or it is refused. */
  readonly spawnKey?: string;
  /** Set by the server for an agent that is registered by its first hook. */
  readonly reporter?: Reporter;
  /** Set by the server for an agent without a token: if it is known without a role, it may name one now. */
  readonly addsRole?: true;
  /** Whose quota of agents it counts against; absent for an operator. */
  readonly enrolledBy?: string;
  /** Who registers it; absent for an operator. */
  readonly source?: Source;
};

export type Enrollment =
  | {
      readonly kind: 'enrolled';
      readonly agent: Agent;
      readonly events: readonly HolterEvent[];
      /** What the new incarnation ends, as in `Step`. */
      readonly over: readonly Life[];
      /** What the start before had spent and not booked yet; absent if nothing. */
      readonly spending?: readonly Spending[];
    }
  /** The name is taken by an instance that is alive. */
  | Refusal<'agent_running'>
  /** Only its executor, or an operator, may replace it. */
  | Refusal<'agent_owned'>
  /** A hook asks for the name of an agent that has another reporter, or none. */
  | Refusal<'other_reporter'>
  /** No start with this key is under way. */
  | Refusal<'unknown_spawn_key'>;

type Refusal<Code> = { readonly kind: 'refused'; readonly code: Code; readonly retryAfterMs: DurationMs };

export type EnrollContext = { readonly at: Instant; readonly stalls: StallLog; readonly policy: Policy };

/**
 * Registers an agent. The server assigns incarnations, and one name has one living instance. A second instance is
 * accepted when the first is proven gone, has missed a beat, or when the second presents the key of the start that
 * Holter ordered. Later signals of the older instance are recorded and ignored. An agent that reports by hooks may be
 * silent for days, so only its end frees its name; hooks get a name back only from the same reporter. A start that
 * nobody has proven gives way at once to one that is.
 */
export function enroll(
  existing: Agent | null,
  registration: Registration,
  context: EnrollContext,
): Enrollment {
  const isOrdered = isOrderedStart(existing, registration.spawnKey);
  const isStranger = registration.spawnKey !== undefined && !isOrdered;
  if (!existing)
    return isStranger ? STRANGER : { kind: 'enrolled', ...begin(registration, null, context, false) };
  const { hard } = existing;
  const { reporter } = registration;
  const isOutranked = isUnproven(hard) && !isUnproven(registration);
  if (reporter && !isOutranked && !isReportedBy(hard, reporter, registration.instanceId))
    return { kind: 'refused', code: 'other_reporter', retryAfterMs: RETRY_AFTER_MAX };
  if (isSame(hard, registration) && !isOutranked)
    return {
      kind: 'enrolled',
      agent: withRole(withReporter(existing, reporter), registration, context.at),
      events: [],
      over: [],
    };
  if (hard.incarnation > 0 && !hard.end && !isOutranked) {
    if (!mayReplace(hard, registration)) return OWNED;
    const firstMissAt = hard.reporter ? NEVER : nameFreeAt(existing, context.policy, context.stalls);
    if (firstMissAt > context.at) {
      const retryAfterMs = Math.min(between(context.at, firstMissAt), RETRY_AFTER_MAX) as DurationMs;
      return { kind: 'refused', code: 'agent_running', retryAfterMs };
    }
  }
  if (isStranger) return STRANGER;
  const isBeingRecovered = hard.incident?.step === 'recover' && !isOrdered;
  if (isBeingRecovered && !mayReplace(hard, registration)) return OWNED;
  return { kind: 'enrolled', ...begin(registration, existing, context, isOrdered) };
}

/** Whether this key is the one of the start that Holter ordered for this agent, and that has not happened yet. */
export const isOrderedStart = (agent: Agent | null, spawnKey: string | undefined): boolean =>
  spawnKey !== undefined && agent?.hard.spawnKey !== undefined && isSameSecret(spawnKey, agent.hard.spawnKey);

const isUnproven = ({ enrolledBy }: Pick<Hard, 'enrolledBy'>): boolean => enrolledBy === UNPROVEN;

/** A reporter that was found to be the agent's own is the same instance, whatever its hooks say besides. */
function isSame(hard: Hard, { reporter, instanceId }: Registration): boolean {
  if (hard.incarnation === 0 || hard.end) return false;
  return reporter ? true : !hard.reporter && hard.instanceHash === hashText(instanceId);
}

function isReportedBy({ reporter: known, instanceHash }: Hard, asked: Reporter, instanceId: string): boolean {
  if (!known) return false;
  if (isUnbound(known)) return instanceHash === hashText(instanceId);
  if (known.session !== asked.session || known.parent !== asked.parent) return false;
  return known.user === undefined || known.user === asked.user;
}

const isUnbound = ({ session, parent }: Reporter): boolean => session === undefined && parent === undefined;

/** Binds a record of version 2, and a session whose user is not known yet. */
function withReporter(agent: Agent, reporter: Reporter | undefined): Agent {
  const { hard } = agent;
  const isKnown =
    !reporter || (hard.reporter && !isUnbound(hard.reporter) && hard.reporter.user === reporter.user);
  return isKnown ? agent : { ...agent, hard: { ...hard, reporter } };
}

/** Only a role that was not named before: an agent can't change how it is judged. */
function withRole(agent: Agent, { addsRole, role, promises }: Registration, at: Instant): Agent {
  const { hard } = agent;
  if (!addsRole || hard.role !== NO_ROLE || role === NO_ROLE) return agent;
  return { ...agent, hard: { ...hard, role, promises: { ...hard.promises, ...promises }, wakeAt: at } };
}

const NO_ROLE = 'default';

/** An agent that an executor owns would otherwise leave it by taking its own name over. */
function mayReplace({ executor }: Hard, { source = 'operator' }: Registration): boolean {
  const { replaces } = AUTHORITY[source];
  return replaces === 'always' || (replaces === 'unless-owned' && executor === null);
}

/** An agent without beats is only replaced when its process is gone, so this time to retry is a guess. */
const RETRY_AFTER_MAX = minutes(5);

const OWNED: Enrollment = { kind: 'refused', code: 'agent_owned', retryAfterMs: RETRY_AFTER_MAX };

const STRANGER: Enrollment = {
  kind: 'refused',
  code: 'unknown_spawn_key',
  retryAfterMs: RETRY_AFTER_MAX,
};

/**
 * A new incarnation: facts about the old one are dropped, facts about the work are kept. One that comes back by its own
 * word keeps its terms too, and what is known of it unless its end was seen.
 */
function begin(
  registration: Registration,
  before: Agent | null,
  context: EnrollContext,
  isOrdered: boolean,
): Pick<Draft, 'events' | 'over'> & { agent: Agent; spending?: readonly Spending[] } {
  const { stalls, policy } = context;
  const at = before ? latest(context.at, latest(before.hard.at, before.soft.beatAt)) : context.at;
  const old = before?.hard;
  const isOwn = old !== undefined && !isOrdered && isOwnReturn(old, registration);
  const { agentId, executor } = registration;
  const { role, group, mode, promises, can } = isOwn ? keptTerms(old, registration) : registration;
  const isGoingOn = isOwn && isUnseenEnd(old);
  const books = before && closeBooks(before, at);
  const hard: Hard = {
    agentId,
    incarnation: (old?.incarnation ?? 0) + 1,
    instanceHash: hashText(registration.instanceId),
    role,
    group,
    mode,
    promises,
    inferred: {},
    can,
    executor,
    ...(registration.reporter && { reporter: registration.reporter }),
    ...(registration.enrolledBy !== undefined && { enrolledBy: registration.enrolledBy }),
    startedAt: at,
    ...(old && { registeredAt: old.registeredAt ?? old.startedAt }),
    ...(registration.host !== undefined && { host: registration.host }),
    aliveSince: at,
    ...(before && hasKeptPromises(before, policy) && { hasKept: true as const }),
    at,
    wakeAt: NEVER,
    health: old?.health ?? 'HEALTHY',
    healthSince: old?.healthSince ?? at,
    holds: [],
    heldBefore: NOTHING_HELD,
    points: [],
    derived: [],
    incidentCount: old?.incidentCount ?? 0,
    seen: [],
    // A session that is resumed is the same one, and files that its process writes may lie about its end.
    ...((isGoingOn || registration.reporter) && old && keptMemory(old)),
    ...(old?.highWater && { highWater: old.highWater }),
    ...(old?.checkpoint && { checkpoint: { ...old.checkpoint, mark: { at, held: NOTHING_HELD } } }),
    ...(before &&
      old?.incident && { incident: { ...old.incident, meter: meterAcross(old.incident, before.soft) } }),
    ...(old?.past && { past: old.past }),
    ...(old?.quiet && { quiet: old.quiet }),
    ...(old?.quietFindings && { quietFindings: old.quietFindings }),
    ...(old?.givenUp && { givenUp: old.givenUp }),
    ...(old?.recovery && { recovery: old.recovery }),
    ...(old?.breakers && { breakers: old.breakers }),
    ...(old?.acks && { acks: rearmedAcks(old.acks, at) }),
    ...(registration.patience && { patience: registration.patience }),
    ...(books?.task && { spent: { task: books.task } }),
    ...tasksOf(registration, old, at),
  };
  const draft = draftOf({ soft: NEVER_HEARD, hard }, at, stalls, policy);
  Object.assign(draft.hard, carrySpent(draft.hard));
  // The clocks start with the incarnation, not with its first judgement.
  if (hasWork(draft.hard)) draft.hard.work = markNow(draft);
  emit(draft, {
    type: 'AGENT_REGISTERED',
    payload: { agentId, role, group, ...(isOrdered && { isOrdered }) },
  });
  if (draft.hard.health !== 'HEALTHY')
    becomeHealth(draft, 'HEALTHY', 'a new start', `incarnation ${hard.incarnation}`);
  if (old) {
    endLife(draft, lifeOfStart(agentId, old.incarnation));
    if (old.tickets) endTickets(draft, old, 'the agent was started again');
  }
  if (isGoingOn) keepIncident(draft, old);
  else succeed(draft, isOrdered);
  // Wake at once, so that the rules themselves set the deadlines of the new incarnation.
  draft.hard.wakeAt = at;
  return {
    agent: { soft: draft.soft, hard: draft.hard },
    events: draft.events,
    over: draft.over,
    ...(books && books.rows.length > 0 && { spending: books.rows }),
  };
}

const NEVER_HEARD: Soft = {
  beatAt: instant(0),
  pongAt: instant(0),
  activityAt: instant(0),
  tokens: 0,
  costUsd: 0,
  probedAt: instant(0),
  cpuMs: 0,
  ioBytes: 0,
};

type Tasks = Pick<Hard, 'task' | 'otherTasks' | 'endedTasks'>;

/** Open tasks stay open across incarnations; the successor has not begun them yet. */
function tasksOf({ taskId }: Registration, old: Hard | undefined, at: Instant): Tasks {
  const updated = { at, held: NOTHING_HELD };
  const open = (old ? openTasks(old) : []).map(
    ({ begunAt: _begunAt, inquiredAt: _inquiredAt, ...task }): Task => ({ ...task, updated }),
  );
  const current =
    taskId === undefined
      ? open.find(({ id }) => id === old?.task?.id)
      : (open.find(({ id }) => id === taskId) ?? {
          id: taskId,
          assignedAt: at,
          updated,
          isOwn: true as const,
        });
  const others = open.filter((task) => task !== current && staysOpen(task)).slice(0, TASKS_MAX - 1);
  return {
    ...(current && { task: current }),
    ...(others.length > 0 && { otherTasks: others }),
    ...(old?.endedTasks && { endedTasks: old.endedTasks }),
  };
}

/** An ordered successor is on probation. One that started by itself, or was given up, closes the incident. */
function succeed(draft: Draft, isOrdered: boolean): void {
  const { hard, at, policy } = draft;
  const { incident } = hard;
  if (!incident) return;
  // The key of a failed attempt stays until the next start is claimed: its successor is late, not ordered.
  const isAwaited = incident.step === 'recover' && incident.phase === 'acting' && incident.isClaimed;
  if (!isOrdered || !isAwaited) {
    const started = isOrdered
      ? 'a restart that Holter had given up came up after all'
      : 'the agent was started again, not by Holter';
    closeIncident(draft, started);
    return;
  }
  hard.probation = { until: later(at, policy.recovery.probationMs), incidentId: incident.id };
  const { order: _order, wait: _wait, ...rest } = incident;
  hard.incident = { ...rest, phase: 'waiting' };
}

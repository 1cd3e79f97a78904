import { compile, policyFor as compiledPolicyFor, type PolicySet } from '@holter/server/policy';
import { type Instant, instant } from '../src/base/time.ts';
import { emptyFleetGuard, type FleetGuard } from '../src/fleet/guard.ts';
import type { FleetPolicy, Policy } from '../src/policy/policy.ts';
import type { Agent } from '../src/record/agent.ts';
import { type Money, NO_MONEY } from '../src/record/draft.ts';
import type { Applied, Input, InputBody } from '../src/record/input.ts';
import { enroll, type Registration } from '../src/transition/enroll.ts';
import { type Transition, transition } from '../src/transition/transition.ts';
import type { Source } from '../src/vocabulary/authority.ts';
import type { Effect } from '../src/vocabulary/effect.ts';
import type { Signal, SignalBody } from '../src/vocabulary/signal.ts';
import type { Spending } from '../src/vocabulary/spending.ts';
import { NO_STALLS, type StallLog } from '../src/vocabulary/stall.ts';

/**
 * Policies are compiled by the server, which imports the built core; core's tests import its sources, whose branded
 * types are distinct from the built ones.
 */
export const policyFor = compiledPolicyFor as unknown as (
  set: PolicySet,
  role: string,
  agentId: string,
  group?: string,
) => Policy;

export const fleetPolicyOf = (set: PolicySet): FleetPolicy => set.fleet as unknown as FleetPolicy;

/** Shared by core's tests: an agent that has just started, and a way to feed it. */
export function policiesOf(raw: unknown = {}): PolicySet {
  const compiled = compile(raw);
  if (compiled.kind === 'invalid')
    throw new Error(compiled.problems.map(({ message }) => message).join('\n'));
  return compiled.policies;
}

const defaults = policiesOf();

export const registrationOf = (fields: Partial<Registration> = {}): Registration => ({
  agentId: 'ada',
  instanceId: 'ada-1',
  role: 'active-development',
  group: 'default',
  mode: 'act',
  promises: {},
  can: ['nudge', 'terminate', 'spawn'],
  executor: null,
  ...fields,
});

export function agentOf(fields: Partial<Registration> = {}, at = 1_000, policies = defaults): Agent {
  const registration = registrationOf(fields);
  const policy = policyFor(policies, registration.role, registration.agentId, registration.group);
  const enrollment = enroll(null, registration, { at: instant(at), stalls: NO_STALLS, policy });
  if (enrollment.kind === 'refused') throw new Error('a first registration is never refused');
  return enrollment.agent;
}

/** One agent with its fleet and its clock. Inputs are frozen, so that a mutation throws. */
export class Bench {
  agent: Agent;
  fleet: FleetGuard = emptyFleetGuard;
  at: Instant;
  stalls: StallLog = NO_STALLS;
  money: Money = NO_MONEY;
  /** Everything that was put on the books. */
  readonly books: Spending[] = [];
  private readonly policies: PolicySet;
  private spawn: Effect | undefined;

  constructor(fields: Partial<Registration> = {}, policies: PolicySet = defaults) {
    this.policies = policies;
    this.at = instant(1_000);
    this.agent = agentOf(fields, this.at, policies);
    this.feed({ kind: 'tick' });
  }

  get policy() {
    const { role, agentId, group } = this.agent.hard;
    return policyFor(this.policies, role, agentId, group);
  }

  inputOf(body: InputBody): Input {
    return deepFreeze({ at: this.at, stalls: this.stalls, ...body });
  }

  transition(agent: Agent, input: Input): Transition {
    const fleetPolicy = fleetPolicyOf(this.policies);
    const context = { policy: this.policy, fleetPolicy, groupSize: 5, money: this.money };
    return transition(agent, this.fleet, input, context);
  }

  feed(body: InputBody): Transition {
    const after = this.transition(this.agent, this.inputOf(body));
    this.spawn = after.effects.find(({ kind }) => kind === 'spawn') ?? this.spawn;
    this.books.push(...(after.spending ?? []));
    this.agent = deepFreeze(after.agent);
    this.fleet = deepFreeze(after.fleet);
    return after;
  }

  signal(body: SignalBody & Partial<Signal>, origin: Source = 'agent'): Transition {
    const { agentId, incarnation } = this.agent.hard;
    return this.feed({ kind: 'signal', origin, signal: { agentId, incarnation, ...body } });
  }

  /** An executor claims the start that was ordered last; returns the key that it is given. */
  claimSpawn(): string {
    if (!this.spawn) throw new Error('no start was ordered');
    this.feed({ kind: 'claim', effect: this.spawn, evidence: { spawnKey: `key of ${this.spawn.id}` } });
    return this.agent.hard.spawnKey ?? '';
  }

  /** Registers another instance, or the same one again; true if it was accepted. */
  register(fields: Partial<Registration>): boolean {
    const { agentId, role, group, mode, promises, can, executor } = this.agent.hard;
    const registration = registrationOf({ agentId, role, group, mode, promises, can, executor, ...fields });
    const context = { at: this.at, stalls: this.stalls, policy: this.policy };
    const enrollment = enroll(this.agent, deepFreeze(registration), context);
    if (enrollment.kind === 'refused') return false;
    this.books.push(...(enrollment.spending ?? []));
    this.agent = deepFreeze(enrollment.agent);
    this.feed({ kind: 'tick' });
    return true;
  }

  /** Moves the clock, and wakes the agent whenever its record asks for it. */
  advance(ms: number): readonly Transition[] {
    const target = instant(this.at + ms);
    const turns: Transition[] = [];
    for (let wakes = 0; wakes < 10_000 && this.agent.hard.wakeAt <= target; wakes++) {
      if (this.agent.hard.wakeAt > this.at) this.at = this.agent.hard.wakeAt;
      turns.push(this.feed({ kind: 'tick' }));
    }
    this.at = target;
    return turns;
  }
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/** Whether a beat has changed only soft facts of this agent. */
export const isShortWay = (before: Agent, { agent, events, rejection }: Applied): boolean =>
  agent.hard === before.hard && events.length > 0 && !rejection;

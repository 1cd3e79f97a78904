import {
  type Agent,
  emptyFleetGuard,
  enroll,
  type FleetGuard,
  type Hard,
  type InputBody,
  type Instant,
  instant,
  NO_STALLS,
  type SignalBody,
  seconds,
  transition,
} from '@holter/core';
import { type PolicySet, policyFor } from '@holter/server/policy';
import { Random } from '../base/random.ts';
import { DAY_START, HOUR, MINUTE } from '../base/scenario.ts';

export const STEP_MS = 5_000;
const GROUP_SIZE = 100;
const BEAT_MS = 300_000;
const STEPS_PER_BEAT = BEAT_MS / STEP_MS;
const LASTING = 10;
const BRIEF = 200;

/** One trouble of one agent, as it truly is. */
export type Trouble = {
  readonly kind: 'error' | 'prompt' | 'silence';
  readonly slot: number;
  readonly from: number;
  readonly to: number;
};

export const nameOf = (slot: number): string => `agent-${slot}`;
const groupOf = (slot: number): string => `crew-${Math.floor(slot / GROUP_SIZE)}`;

/** Two groups that fall silent, some agents that need a person for a while, and many that hardly do. */
export function troublesOf(agents: number, seed: number): readonly Trouble[] {
  const random = new Random(seed, 1);
  const silent = (group: number, from: number, forMs: number, count: number): readonly Trouble[] =>
    Array.from({ length: count }, (_, index) => ({
      kind: 'silence',
      slot: group * GROUP_SIZE + index,
      from,
      to: from + forMs,
    }));
  const single = (isLasting: boolean, index: number): Trouble => {
    const kind = index % 2 === 0 ? 'error' : 'prompt';
    const slot = Math.floor(random.unit() * agents);
    const from = DAY_START + HOUR + random.unit() * 22 * HOUR;
    const forMs = isLasting ? 20 * MINUTE + random.unit() * 60 * MINUTE : random.unit() * 15_000;
    return { kind, slot, from, to: from + forMs };
  };
  return [
    ...silent(3, DAY_START + 6 * HOUR, 50 * MINUTE, 80),
    ...silent(7, DAY_START + 15 * HOUR, 90 * MINUTE, GROUP_SIZE),
    ...Array.from({ length: LASTING }, (_, index) => single(true, index)),
    ...Array.from({ length: BRIEF }, (_, index) => single(false, index)),
  ];
}

/** A fleet that only beats and gets into trouble, judged by the real rules. */
export class FleetDay {
  private readonly agents: Agent[] = [];
  private readonly policies: PolicySet;
  private readonly silent = new Map<number, number>();
  private readonly pending: { readonly at: number; readonly act: () => void }[];
  private fleet: FleetGuard = emptyFleetGuard;
  private at: Instant = instant(DAY_START);
  private words = 0;

  constructor(agents: number, troubles: readonly Trouble[], policies: PolicySet) {
    this.policies = policies;
    for (let slot = 0; slot < agents; slot++) this.agents.push(this.enroll(slot));
    this.pending = troubles
      .flatMap((trouble) => [
        { at: trouble.from, act: () => this.begin(trouble) },
        { at: trouble.to, act: () => this.end(trouble) },
      ])
      .sort((a, b) => a.at - b.at);
  }

  step(at: number): void {
    this.at = instant(at);
    for (let [next] = this.pending; next && next.at <= at; [next] = this.pending) {
      this.pending.shift();
      next.act();
    }
    const phase = Math.floor((at - DAY_START) / STEP_MS) % STEPS_PER_BEAT;
    this.agents.forEach((agent, slot) => {
      if (slot % STEPS_PER_BEAT === phase && !this.silent.has(slot)) this.say(slot, { kind: 'heartbeat' });
      else if (agent.hard.wakeAt <= at) this.fold(slot, { kind: 'tick' });
    });
  }

  get records(): readonly Hard[] {
    return this.agents.map(({ hard }) => hard);
  }

  get brakes() {
    return Object.entries(this.fleet.brakes).flatMap(([group, { engagedAt, releaseAt }]) =>
      engagedAt === undefined ? [] : [{ group, engagedAt, releaseAt: releaseAt ?? null }],
    );
  }

  private begin({ kind, slot }: Trouble): void {
    if (kind === 'silence') this.silent.set(slot, (this.silent.get(slot) ?? 0) + 1);
    else if (this.silent.has(slot)) return;
    else if (kind === 'error') this.say(slot, { kind: 'error', message: 'no disk', isUnrecoverable: true });
    else this.say(slot, { kind: 'hold-begun', hold: 'waiting-for-permission' });
  }

  private end({ kind, slot }: Trouble): void {
    if (kind === 'silence') {
      this.silent.delete(slot);
      this.say(slot, { kind: 'heartbeat' });
    } else if (kind === 'error') this.work(slot);
    else this.say(slot, { kind: 'hold-ended', hold: 'waiting-for-permission' });
  }

  private work(slot: number): void {
    this.words += 1;
    const call = { callId: `c${this.words}`, tool: 'Bash', input: { n: this.words } };
    this.say(slot, { kind: 'call-begun', ...call });
    this.say(slot, { kind: 'call-ended', ...call, output: `line ${this.words}`, isError: false });
  }

  private say(slot: number, body: SignalBody): void {
    const signal = { agentId: nameOf(slot), incarnation: 1, ...body };
    this.fold(slot, { kind: 'signal', signal, origin: 'agent' });
  }

  private fold(slot: number, body: InputBody): void {
    const before = this.agents[slot] as Agent;
    const { role, group, agentId } = before.hard;
    const policy = policyFor(this.policies, role, agentId, group);
    const context = { policy, fleetPolicy: this.policies.fleet, groupSize: GROUP_SIZE };
    const after = transition(before, this.fleet, { at: this.at, stalls: NO_STALLS, ...body }, context);
    this.fleet = after.fleet;
    this.agents[slot] = { ...after.agent, hard: { ...after.agent.hard, wakeAt: after.wakeAt } };
  }

  private enroll(slot: number): Agent {
    const agentId = nameOf(slot);
    const registration = {
      agentId,
      instanceId: `${agentId}-1`,
      role: 'background',
      group: groupOf(slot),
      mode: 'observe',
      promises: { beatEveryMs: seconds(BEAT_MS / 1_000) },
      can: [],
      executor: null,
    } as const;
    const policy = policyFor(this.policies, 'background', agentId, registration.group);
    const made = enroll(null, registration, { at: this.at, stalls: NO_STALLS, policy });
    if (made.kind !== 'enrolled') throw new Error(`${agentId} was refused`);
    return made.agent;
  }
}

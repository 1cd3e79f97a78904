import {
  type Acquired,
  type Agent,
  type Effect,
  emptyFleetGuard,
  enroll,
  type FleetGuard,
  type HolterEvent,
  type Input,
  type InputBody,
  type Instant,
  instant,
  inWords,
  milliseconds,
  NO_STALLS,
  type Registration,
  type StallLog,
  transition,
  withStall,
} from '@holter/core';
import { compile, type PolicySet, policyFor } from '@holter/server/policy';

/** A fleet in a story: core alone, with a clock that only `advance` moves. */
export class StoryWorld {
  at: Instant = instant(0);
  /** The newest answer of a breaker, for the report that follows. */
  permit: Acquired | null = null;
  private stalls: StallLog = NO_STALLS;
  private fleet: FleetGuard = emptyFleetGuard;
  private policies: PolicySet = mustCompile({});
  private readonly agents = new Map<string, Agent>();
  private readonly effects = new Map<string, Effect>();
  private readonly lines: string[] = [];
  /** While true, no tick happens: Holter itself is stalled. */
  private stalledSince: Instant | null = null;

  configure(raw: unknown): void {
    this.policies = mustCompile(raw);
  }

  register(registration: Registration): void {
    const existing = this.agents.get(registration.agentId) ?? null;
    const policy = this.policyOf(registration.role, registration.agentId, registration.group);
    const enrollment = enroll(existing, registration, { at: this.at, stalls: this.stalls, policy });
    if (enrollment.kind === 'refused') {
      this.say(
        `${registration.agentId} refused: ${enrollment.code}, retry after ${enrollment.retryAfterMs / 1000} s`,
      );
      return;
    }
    this.agents.set(registration.agentId, enrollment.agent);
    for (const event of enrollment.events) this.tell(event);
    this.feed(registration.agentId, { kind: 'tick' });
  }

  agent(agentId: string): Agent {
    const agent = this.agents.get(agentId);
    if (!agent) throw new Error(`no agent ${agentId} in this story`);
    return agent;
  }

  /** By id; every effect that any agent ever wanted is kept. */
  effect(id: string): Effect {
    const effect = this.effects.get(id);
    if (!effect) throw new Error(`nothing has wanted ${id}`);
    return effect;
  }

  /** One agent, or every agent of a prefix: `bot*`. */
  names(pattern: string): readonly string[] {
    if (!pattern.endsWith('*')) return [pattern];
    return [...this.agents.keys()].filter((name) => name.startsWith(pattern.slice(0, -1)));
  }

  feed(agentId: string, body: InputBody): void {
    const agent = this.agent(agentId);
    const { role, group } = agent.hard;
    const input: Input = { at: this.at, stalls: this.stalls, ...body };
    const groupSize = [...this.agents.values()].filter(
      ({ hard }) => hard.group === group && !hard.end,
    ).length;
    const context = {
      policy: this.policyOf(role, agentId, group),
      fleetPolicy: this.policies.fleet,
      groupSize,
    };
    const after = transition(agent, this.fleet, input, context);
    this.agents.set(agentId, after.agent);
    this.fleet = after.fleet;
    for (const event of after.events) this.tell(event);
    for (const effect of after.effects) {
      this.effects.set(effect.id, effect);
      this.tellEffect(effect);
    }
    if (after.permit) {
      this.permit = after.permit;
      this.say(tellPermit(after.permit));
    }
    if (after.claim) this.say(`claim ${after.claim}`);
  }

  /** Moves the clock, and wakes each agent exactly when its record asks for it. */
  advance(ms: number): void {
    const target = instant(this.at + ms);
    if (this.stalledSince !== null) {
      this.at = target;
      return;
    }
    for (let wakes = 0; wakes < 100_000; wakes++) {
      const next = this.nextWake();
      if (!next || next.hard.wakeAt > target) break;
      if (next.hard.wakeAt > this.at) this.at = next.hard.wakeAt;
      this.feed(next.hard.agentId, { kind: 'tick' });
    }
    this.at = target;
  }

  stall(): void {
    this.stalledSince = this.at;
  }

  /** Holter ticks again: the gap goes into the stall log, and agents that are due are judged with it. */
  unstall(): void {
    if (this.stalledSince === null) throw new Error('Holter is not stalled');
    this.stalls = withStall(this.stalls, this.stalledSince, this.at);
    this.stalledSince = null;
    this.advance(0);
  }

  say(line: string): void {
    this.lines.push(line);
  }

  takeLines(): string {
    const text = this.lines.join('\n');
    this.lines.length = 0;
    return text;
  }

  private nextWake(): Agent | null {
    let next: Agent | null = null;
    for (const agent of this.agents.values()) {
      if (!next || agent.hard.wakeAt < next.hard.wakeAt) next = agent;
    }
    return next;
  }

  private policyOf(role: string, agentId: string, group: string) {
    return policyFor(this.policies, role, agentId, group);
  }

  private tell(event: HolterEvent): void {
    const line = tellEvent(event);
    if (line !== null) this.say(`${clock(event.at)} ${line}`);
  }

  private tellEffect(effect: Effect): void {
    const from =
      effect.kind === 'spawn' && effect.checkpointId !== null ? ` from ${effect.checkpointId}` : '';
    const detail = 'message' in effect ? ` "${onOneLine(effect.message)}"` : from;
    this.say(`${clock(this.at)} effect ${effect.kind} [${effect.id}]${detail}`);
  }
}

function mustCompile(raw: unknown): PolicySet {
  const compiled = compile(raw);
  if (compiled.kind === 'invalid')
    throw new Error(compiled.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  return compiled.policies;
}

const onOneLine = (text: string): string => text.replaceAll('\n', ' / ');

/** Minutes and seconds since the story began. */
export function clock(at: Instant): string {
  const totalSeconds = at / 1000;
  const minutes = Math.floor(totalSeconds / 60);
  const seconds = totalSeconds - minutes * 60;
  return `${minutes}:${seconds.toFixed(Number.isInteger(seconds) ? 0 : 3).padStart(2, '0')}`;
}

/** One line per event that matters to readers of stories. */
function tellEvent(event: HolterEvent): string | null {
  const { type, payload } = event;
  const who = 'agentId' in payload ? payload.agentId : 'newAgentId' in payload ? payload.newAgentId : 'fleet';
  switch (type) {
    case 'AGENT_HEARTBEAT':
    case 'EFFECT_RECEIPT':
    case 'CHECKPOINT_WRITTEN':
    case 'NUDGE_SENT':
      return null;
    case 'STOP_ANNOUNCED':
      return `${who} says that it has stopped (${payload.reason}), but its process is looked at`;
    case 'HOLD_BEGAN':
      return `${who} on hold: ${payload.hold}${payload.until === undefined ? '' : ` until ${clock(payload.until)}`}`;
    case 'HOLD_ENDED':
      return `${who} off hold: ${payload.hold}, after ${inWords(milliseconds(payload.heldMs))}`;
    case 'QUIET_BEGAN':
      return `${who} quiet${aboutOf(payload)} until ${clock(payload.until)} (${payload.by}: ${payload.reason})`;
    case 'QUIET_ENDED':
      return `${who} not quiet${aboutOf(payload)} any more (${payload.by}: ${payload.reason})`;
    case 'HEALTH_STATE_CHANGED':
      return `${who} ${payload.from} -> ${payload.to} (${payload.reason})`;
    case 'FINDING_RAISED':
      return `${who} finding ${payload.kind} ${payload.severity}: ${payload.evidence}`;
    case 'FINDING_CLEARED':
      return `${who} cleared ${payload.kind}`;
    case 'LIVENESS_CHANGED':
      return `${who} ${payload.from} -> ${payload.to} (${payload.cause})`;
    case 'AGENT_RETURNED':
      return `${who} returned after ${payload.downtimeMs / 1000} s`;
    case 'AGENT_REGISTERED':
      return `${who} registered as incarnation ${event.incarnation}`;
    case 'INCIDENT_OPENED':
      return `${who} incident ${payload.incidentId} opened at ${payload.step}: ${payload.cause}`;
    case 'INCIDENT_REOPENED':
      return `${who} incident ${payload.incidentId} reopened at ${payload.step} ${payload.attempt}`;
    case 'INCIDENT_STEP':
      return `${who} incident ${payload.incidentId} -> ${payload.step} ${payload.attempt}: ${payload.reason}`;
    case 'INCIDENT_CLOSED':
      return `${who} incident ${payload.incidentId} closed: ${payload.reason}`;
    default:
      return `${who} ${type} ${JSON.stringify(withoutAgent(payload))}`;
  }
}

const aboutOf = ({ finding }: { readonly finding?: string }): string =>
  finding === undefined ? '' : ` about ${finding}`;

function withoutAgent(payload: object): object {
  const { agentId: _agentId, ...rest } = payload as { agentId?: string };
  return rest;
}

const tellPermit = (answer: Acquired): string =>
  answer.kind === 'permit' ? 'permitted' : `refused: ${answer.because}, retry at ${clock(answer.retryAt)}`;

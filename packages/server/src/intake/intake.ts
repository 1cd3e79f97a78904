import { type Agent, checkSignal, SENSED_ONLY, type Signal } from '@holter/core';
import type { Answer } from '../engine/agent-cell.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Metrics } from '../http/metrics.ts';
import { type Refusal, refusalOf } from '../http/problem.ts';
import type { Caller } from '../http/tokens.ts';
import { cleanSignal } from './clean-signal.ts';

/** The door through which every signal goes: may this caller say that, and what did the engine make of it. */
export class Intake {
  private readonly deps: Needs;
  private readonly metrics: Pick<Metrics, 'signalTaken' | 'signalRefused'>;

  constructor(deps: Needs, metrics: Pick<Metrics, 'signalTaken' | 'signalRefused'>) {
    this.deps = deps;
    this.metrics = metrics;
  }

  /**
   * A signal that this caller may give, or why not. `agentId` is the one in the path, if there is one. What
   * the sender need not say is written into `value`, which was parsed for this request alone.
   */
  read(value: unknown, caller: Caller, agentId?: string): Signal | Refusal {
    address(value, caller, agentId);
    const checked = checkSignal(value);
    if (checked.kind === 'bad-signal') {
      const { code, message, field } = checked;
      this.metrics.signalRefused('bad');
      return { status: 400, code, message, ...(field !== undefined && { field }) };
    }
    const { signal } = checked;
    if (agentId !== undefined && signal.agentId !== agentId) return otherAgent;
    if (caller.role === 'agent') {
      if (signal.agentId !== caller.agentId) return notYours;
      if (caller.incarnation !== null && signal.incarnation !== caller.incarnation) return otherStart;
    }
    return cleanSignal(signal, this.deps.clock.now());
  }

  /** Null when the signal was taken. */
  async take(signal: Signal, caller: Caller, correlationId: string): Promise<Refusal | null> {
    const known = this.deps.engine.peek(signal.agentId);
    if (known) return this.give(this.introduce(signal, caller, known), caller, correlationId);
    return this.give(await this.prepare(signal, caller), caller, correlationId);
  }

  /** The agent's own word shows that it has seen what earlier replies carried. */
  async prepare(signal: Signal, caller: Caller): Promise<Signal> {
    if (caller.role !== 'agent') return signal;
    const agent = await this.deps.engine.read(signal.agentId);
    return agent ? this.introduce(signal, caller, agent) : signal;
  }

  private introduce(signal: Signal, caller: Caller, agent: Agent): Signal {
    if (caller.role !== 'agent') return signal;
    const current = agent.hard.incarnation;
    // A token that an operator made by hand speaks for whichever start there is.
    const isAnyStart = signal.incarnation === undefined && caller.incarnation === null && current > 0;
    const full = isAnyStart ? { ...signal, incarnation: current } : signal;
    // A message to this start was seen when this start speaks again; an older start has seen nothing.
    if ((full.incarnation ?? 0) === current) this.deps.replies.heard(signal.agentId);
    return full;
  }

  /** To the engine, at once: signals that are given one after the other are folded in that order. */
  async give(signal: Signal, caller: Caller, correlationId: string): Promise<Refusal | null> {
    try {
      const answer = await this.deps.engine.signal(signal, originOf(signal, caller), correlationId);
      const refusal = refusalOfAnswer(answer);
      if (refusal === null) this.metrics.signalTaken(signal.kind);
      else this.metrics.signalRefused(signal.kind);
      return refusal;
    } catch (error) {
      const refusal = refusalOf(error);
      this.metrics.signalRefused(signal.kind);
      // What nobody foresaw goes to the error handler, which logs it.
      if (refusal.status === 500) throw error;
      return refusal;
    }
  }
}

type Needs = Pick<HttpDeps, 'engine' | 'replies' | 'clock'>;

/** Every signal has a kind, and no refusal does. */
export const isSignal = (value: Signal | Refusal): value is Signal => 'kind' in value;

/** The path names the agent and the token its start; if the body does too, they have to agree. */
function address(value: unknown, { role, incarnation }: Caller, agentId: string | undefined): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const raw = value as Record<string, unknown>;
  if (agentId !== undefined && raw.agentId === undefined && raw.agent_id === undefined) raw.agentId = agentId;
  if (role === 'agent' && incarnation !== null) raw.incarnation ??= incarnation;
}

function originOf(signal: Signal, caller: Caller): 'agent' | 'holter' {
  if (caller.role === 'agent') return 'agent';
  return SENSED_ONLY.has(signal.kind) ? 'holter' : 'agent';
}

const otherAgent: Refusal = {
  status: 400,
  code: 'other_agent',
  message: 'the body names another agent than the path',
  field: 'agentId',
};
const notYours: Refusal = {
  status: 403,
  code: 'forbidden',
  message: 'this token speaks for another agent',
  field: 'agentId',
};
const otherStart: Refusal = {
  status: 409,
  code: 'stale_incarnation',
  message: 'this token belongs to another start of the agent',
  field: 'incarnation',
};

/** The core's reasons, by the words that it puts on record. */
const rejections: Readonly<Record<string, readonly [status: number, code: string]>> = {
  'stale incarnation': [409, 'stale_incarnation'],
  'unknown incarnation': [409, 'unknown_incarnation'],
  'no incarnation, but the agent is registered': [409, 'no_incarnation'],
  'the agent has ended': [409, 'agent_ended'],
  'only Holter itself may say this': [403, 'forbidden'],
  'only an operator may pause': [403, 'forbidden'],
};

export function refusalOfAnswer(answer: Answer): Refusal | null {
  if (answer.kind === 'unknown-agent')
    return { status: 404, code: 'unknown_agent', message: 'nobody has registered an agent of this id' };
  if (answer.kind !== 'folded' || answer.rejected === undefined) return null;
  const [status, code] = rejections[answer.rejected] ?? [409, 'rejected'];
  return { status, code, message: answer.rejected };
}

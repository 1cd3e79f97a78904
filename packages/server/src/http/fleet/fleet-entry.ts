import type { Agent, HealthState, Instant, Signal } from '@holter/core';
import { lastHeardOf } from '../../post/index.ts';
import { isAsked, needsYouSince } from '../needs-you.ts';
import { inputInWords, outputInWords } from './call-in-words.ts';
import { Pulse } from './pulse.ts';

/** A call as people are shown it. It is kept in memory only, and is no part of the record that is judged. */
type CallShown = {
  readonly callId: string;
  readonly tool: string;
  /** Its arguments and the beginning of its result, without secrets. */
  readonly input: string | null;
  readonly output: string | null;
  readonly begunAt: Instant;
  readonly endedAt: Instant | null;
  readonly isError: boolean;
};

type CallSignal = Extract<Signal, { kind: 'call-begun' | 'call-ended' }>;

const CALLS_SHOWN = 30;
/** Longer than a time in nanoseconds. */
const DIGITS = 20;

/** What the fleet's page must know of an agent to find and order it, without asking the store. */
export class FleetEntry {
  readonly agentId: string;
  /** Sorts `agent-9` before `agent-10`. */
  readonly sortKey: string;
  readonly pulse: Pulse;
  group = '';
  role = '';
  state: HealthState = 'HEALTHY';
  /** -1 before anything was taken, so that the first record always counts as a change. */
  stateSince = -1;
  /** Of this incarnation. */
  startedAt = 0;
  hasIncident = false;
  needsPerson = false;
  /** Since when it has waited for a person who has not taken it up; 0 when it does not. */
  needsYouSince = 0;
  hasBreakers = false;
  openBreakers = 0;
  beatAt = 0;
  /** The last sign of life that it gave itself. */
  heardAt = 0;
  tokens = 0;
  costUsd = 0;
  /** Of the record that was taken last. */
  recordAt = 0;
  /** Grows with every change of the fleet; tells what a reader has not seen yet. */
  changed = 0;
  calls: CallShown[] = [];

  constructor(agentId: string, at: Instant) {
    this.agentId = agentId;
    this.sortKey = agentId.replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0'));
    this.pulse = new Pulse(at);
  }

  /** Text that a search looks through. */
  get text(): string {
    return `${this.agentId} ${this.role} ${this.group}`.toLowerCase();
  }

  get tool(): string | null {
    return this.calls.filter(({ endedAt }) => endedAt === null).at(-1)?.tool ?? null;
  }

  /** Whether this record has nothing new. */
  isOf(agent: Agent): boolean {
    const { tokens, costUsd } = agent.soft;
    return (
      agent.hard.at <= this.recordAt &&
      (lastHeardOf(agent) ?? 0) <= this.heardAt &&
      tokens <= this.tokens &&
      costUsd <= this.costUsd
    );
  }

  /** Returns whether that can change where the agent stands, whether it is found, or how it is counted. */
  take(agent: Agent, at: Instant): boolean {
    const { hard } = agent;
    const before = this.place;
    const { incident } = hard;
    this.recordAt = hard.at;
    this.group = hard.group;
    this.role = hard.role;
    this.state = hard.health;
    this.stateSince = hard.healthSince;
    this.startedAt = hard.startedAt;
    this.hasIncident = incident !== undefined;
    this.needsPerson = isAsked(hard);
    this.needsYouSince = needsYouSince(hard, at) ?? 0;
    this.hasBreakers = hard.breakers !== undefined;
    this.openBreakers = Object.values(hard.breakers ?? {}).filter(({ state }) => state !== 'CLOSED').length;
    this.takeSoft(agent, at);
    this.pulse.stateIs(hard.health, at);
    if (hard.end) this.calls = this.calls.filter(({ endedAt }) => endedAt !== null);
    return this.place !== before;
  }

  /** All that orders, filters and counts look at, beside what every beat changes. */
  private get place(): string {
    const flags = `${this.hasIncident} ${this.needsPerson} ${this.hasBreakers} ${this.openBreakers}`;
    return `${this.group} ${this.role} ${this.state} ${this.stateSince} ${this.needsYouSince} ${flags}`;
  }

  takeSoft(agent: Agent, at: Instant): void {
    const { beatAt, tokens, costUsd } = agent.soft;
    this.beatAt = beatAt;
    this.heardAt = lastHeardOf(agent) ?? 0;
    this.tokens = tokens;
    this.costUsd = costUsd;
    this.pulse.tokensAre(tokens, at);
  }

  hear(signal: Signal, at: Instant): void {
    switch (signal.kind) {
      case 'call-begun':
        return this.begin(signal, at);
      case 'call-ended':
        return this.end(signal, at);
      case 'error':
        return this.pulse.error(at);
      default:
        return;
    }
  }

  private begin({ callId, tool, input }: CallSignal, at: Instant): void {
    if (this.calls.some((call) => call.callId === callId)) return;
    const call = { callId, tool, input: inputInWords(input), output: null };
    this.calls = [...this.calls, { ...call, begunAt: at, endedAt: null, isError: false }].slice(-CALLS_SHOWN);
  }

  private end(signal: CallSignal & { readonly kind: 'call-ended' }, at: Instant): void {
    const { callId, isError } = signal;
    const known = this.calls.find((call) => call.callId === callId);
    // The same call may come by hook and by transcript; it is one.
    if (known?.endedAt) return;
    this.pulse.call(at, isError);
    if (!known) this.begin(signal, at);
    const output = outputInWords(signal.output);
    this.calls = this.calls.map((call) =>
      call.callId === callId
        ? { ...call, endedAt: at, isError, input: call.input ?? inputInWords(signal.input), output }
        : call,
    );
  }
}

import type {
  Decision,
  Effect,
  Enrollment,
  HolterEvent,
  InputBody,
  Registration,
  Transition,
} from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import { DAY_START } from '../base/scenario.ts';
import type { Packet } from '../world/packet.ts';
import type { Witness } from '../world/witness.ts';

/** Writes down what happens to one agent and keeps the last lines: the story behind a violation. */
export class Trace implements Witness {
  readonly lines: string[] = [];
  private readonly slot: number;
  private readonly linesMax: number;
  /** Ordinary beats and looks say little; how many were left out is said instead. */
  private quiet = 0;

  constructor(slot: number, linesMax = 30) {
    this.slot = slot;
    this.linesMax = linesMax;
  }

  private say(at: number, text: string): void {
    if (this.quiet > 0) this.push(`             … ${this.quiet} beats and looks`);
    this.quiet = 0;
    this.push(`${clock(at)}  ${text}`);
  }

  private push(line: string): void {
    this.lines.push(line);
    if (this.lines.length > this.linesMax) this.lines.shift();
  }

  delivering(_agent: SimAgent, _at: number, _packet: Packet): void {}

  folded(
    agent: SimAgent,
    at: number,
    input: InputBody,
    result: Transition,
    packet: Packet | undefined,
  ): void {
    if (agent.slot !== this.slot) return;
    const news = result.events.filter(({ type }) => type !== 'AGENT_HEARTBEAT');
    const kind = packet?.signal.kind;
    if (news.length === 0 && result.effects.length === 0) {
      if (kind === 'heartbeat' || kind === 'process' || input.kind === 'tick') {
        this.quiet++;
        return;
      }
    }
    this.say(at, describeInput(input));
    if (result.permit !== undefined) this.say(at, `    answers ${JSON.stringify(result.permit)}`);
    for (const event of news) this.say(at, `    ${describeEvent(event)}`);
    for (const effect of result.effects) this.say(at, `    wants ${effect.kind} (${effect.id})`);
  }

  enrolled(agent: SimAgent, at: number, { instanceId, spawnKey }: Registration, result: Enrollment): void {
    if (agent.slot !== this.slot) return;
    const who = spawnKey === undefined ? instanceId : `${instanceId} with key ${spawnKey}`;
    if (result.kind === 'refused') this.say(at, `register ${who}: refused`);
    else this.say(at, `register ${who}: incarnation ${result.agent.hard.incarnation}`);
  }

  claimed(agent: SimAgent, at: number, effect: Effect, isProceeding: boolean): void {
    if (agent.slot === this.slot)
      this.say(at, `claim ${effect.id}: ${isProceeding ? 'proceed' : 'cancelled'}`);
  }

  deciding(agent: SimAgent, at: number, decision: Decision): void {
    if (agent.slot === this.slot) this.say(at, `${decision.by} decides ${decision.decision}`);
  }

  stalled(from: number, to: number): void {
    this.say(to, `the monitor was away for ${Math.round((to - from) / 100) / 10} s`);
  }

  truthChanged(agent: SimAgent, at: number): void {
    if (agent.slot !== this.slot) return;
    this.say(at, `TRUTH ${agent.truth} (${agent.activity}${agent.isReachable ? '' : ', cut off'})`);
  }

  inspect(_agent: SimAgent, _at: number): void {}
}

function describeInput(input: InputBody): string {
  switch (input.kind) {
    case 'signal': {
      const { agentId: _agentId, kind, ...rest } = input.signal;
      const from = input.origin === 'holter' ? 'sensed ' : '';
      return `${from}${kind} ${JSON.stringify(rest)}`.slice(0, 160);
    }
    case 'receipt':
      return `receipt ${input.effect.id} ${input.outcome}`;
    case 'claim':
      return `claim ${input.effect.id} ${JSON.stringify(input.evidence)}`;
    case 'decision':
      return `decision ${input.decision.decision}`;
    case 'breaker':
      return `breaker ${input.name} ${JSON.stringify(input.act)}`.slice(0, 160);
    default:
      return input.kind;
  }
}

function describeEvent({ type, payload }: HolterEvent): string {
  const { agentId: _agentId, ...rest } = payload as Record<string, unknown>;
  return `${type} ${JSON.stringify(rest)}`.slice(0, 170);
}

/** h:mm:ss.t since the start of the run. */
export function clock(at: number): string {
  const tenths = Math.floor((at - DAY_START) / 100);
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(tenths / 36_000);
  return `${two(hours)}:${two(Math.floor(tenths / 600) % 60)}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}

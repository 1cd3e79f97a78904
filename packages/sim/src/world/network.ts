import type { Signal, SignalBody } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Packet } from './packet.ts';
import { type Journey, travel } from './transit.ts';

/** What a client keeps while its way is cut; more than this and the oldest work is told by others. */
const SPOOL_MAX = 400;
/** A loopback call, and an executor's report that follows the agent's own words. */
const LOCAL_MS = 5;
const SENSED_MS = 20;

export interface NetworkPort {
  readonly now: number;
  deliverAt(agent: SimAgent, at: number, packet: Packet): void;
}

/** Takes words from agents and from Holter's senses, and brings them to the monitor, if they get there. */
export class Network {
  private readonly port: NetworkPort;
  private readonly hasNetworkFaults: boolean;
  private readonly journey: Journey = { arrivesAt: 0, copyAt: 0 };

  constructor(port: NetworkPort, hasNetworkFaults: boolean) {
    this.port = port;
    this.hasNetworkFaults = hasNetworkFaults;
  }

  send(agent: SimAgent, incarnation: number, body: SignalBody, id: string | undefined): void {
    const signal = { agentId: agent.name, incarnation, ...(id !== undefined && { id }), ...body } as Signal;
    const packet: Packet = { signal, origin: 'agent' };
    const isBeat = body.kind === 'heartbeat' || body.kind === 'pong';
    if (!agent.canReachHolter) {
      if (!isBeat) this.keep(agent, packet);
      return;
    }
    if (!agent.canBeReached) return this.sendUnanswered(agent, packet, isBeat);
    if (!this.hasNetworkFaults || agent.profile.role === 'in-process')
      return this.bring(agent, LOCAL_MS, packet);
    const { journey } = this;
    agent.arrivedAt = travel(agent.random, this.port.now, agent.arrivedAt, isBeat, journey);
    if (Number.isNaN(journey.arrivesAt)) return;
    const hasCopy = !Number.isNaN(journey.copyAt);
    const sent: Packet = hasCopy ? { ...packet, twin: { isHeard: false } } : packet;
    this.port.deliverAt(agent, journey.arrivesAt, sent);
    if (hasCopy) this.port.deliverAt(agent, journey.copyAt, sent);
  }

  /** What arrives without an answer is sent again, the first of the queue first; the rest waits behind it. */
  private sendUnanswered(agent: SimAgent, packet: Packet, isBeat: boolean): void {
    if (isBeat) this.bring(agent, LOCAL_MS, packet);
    else this.keep(agent, packet);
    const first = agent.spool[0];
    if (first !== undefined && (isBeat || agent.spool.length === 1))
      this.bring(agent, LOCAL_MS, first as Packet);
  }

  /** An executor reports what it sees in the order in which it sees it; looks that are not reported are lost. */
  sense(agent: SimAgent, body: SignalBody): void {
    const signal = { agentId: agent.name, incarnation: agent.incarnation, ...body } as Signal;
    const packet: Packet = { signal, origin: 'holter' };
    const isHeard = agent.canHostReachHolter;
    if (isHeard) this.bring(agent, SENSED_MS, packet);
    // Without an answer the executor can't know that it was heard, and says it once more later.
    if (body.kind !== 'process' && !(isHeard && agent.canHostBeReached)) this.keep(agent, packet);
  }

  /** The way is free again. */
  flush(agent: SimAgent): void {
    for (const packet of agent.spool) this.bring(agent, 0, packet as Packet);
    if (agent.spool.length > 0) agent.spool = [];
  }

  /** What is kept may be sent more than once before somebody answers. */
  private keep(agent: SimAgent, packet: Packet): void {
    if (agent.spool.length < SPOOL_MAX) agent.spool.push({ ...packet, twin: { isHeard: false } });
  }

  /** Strictly after what came before: words that arrive at the same moment have no order. */
  private bring(agent: SimAgent, delayMs: number, packet: Packet): void {
    agent.arrivedAt = Math.max(agent.arrivedAt + 1, this.port.now + delayMs);
    this.port.deliverAt(agent, agent.arrivedAt, packet);
  }
}

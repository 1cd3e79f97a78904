import type { Signal, SignalBody } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Random } from '../base/random.ts';
import type { Packet, Said } from './packet.ts';

/** How a network treats single messages. */
const network = {
  // A request over a local or near network, with the odd slow one.
  delayMedianMs: 25,
  delaySigma: 0.9,
  dropShare: 0.002,
  // A retry after a time-out, in order: the client holds back what comes after.
  retryMinMs: 2_000,
  retryMaxMs: 20_000,
  copyShare: 0.004,
  copyMaxMs: 15_000,
  // Two connections at once: a later message may overtake an earlier one.
  overtakenShare: 0.0005,
  overtakenMaxMs: 4_000,
} as const;

/** How many messages a client keeps while it can't reach Holter. */
const SPOOL_MAX = 400;
/** A loopback call; and an executor's report, which follows the agent's own messages. */
const LOCAL_MS = 5;
const SENSED_MS = 20;

export interface NetworkPort {
  readonly now: number;
  deliverAt(agent: SimAgent, at: number, packet: Packet): void;
}

/**
 * Brings messages of agents and of Holter's senses to the monitor. Messages of one agent usually arrive in order;
 * now and then one is overtaken or arrives twice, and a beat is lost. Everything but beats is repeated by the client
 * until it is received, so it comes late instead of never.
 */
export class Network {
  private readonly port: NetworkPort;
  private readonly hasNetworkFaults: boolean;
  private readonly journey: Journey = { arrivesAt: 0, copyAt: 0 };

  constructor(port: NetworkPort, hasNetworkFaults: boolean) {
    this.port = port;
    this.hasNetworkFaults = hasNetworkFaults;
  }

  send(
    agent: SimAgent,
    incarnation: number,
    body: SignalBody,
    id: string | undefined,
    origin: Said = 'agent',
  ): void {
    const signal = { agentId: agent.name, incarnation, ...(id !== undefined && { id }), ...body } as Signal;
    const packet: Packet = { signal, origin };
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

  /** What is not answered is sent again, the head of the queue first; the rest waits behind it. */
  private sendUnanswered(agent: SimAgent, packet: Packet, isBeat: boolean): void {
    if (isBeat) this.bring(agent, LOCAL_MS, packet);
    else this.keep(agent, packet);
    const first = agent.spool[0];
    if (first !== undefined && (isBeat || agent.spool.length === 1))
      this.bring(agent, LOCAL_MS, first as Packet);
  }

  /** An executor reports in the order in which it sees; probes that do not arrive are lost. */
  sense(agent: SimAgent, body: SignalBody): void {
    const signal = { agentId: agent.name, incarnation: agent.incarnation, ...body } as Signal;
    const packet: Packet = { signal, origin: 'holter' };
    const isHeard = agent.canHostReachHolter;
    if (isHeard) this.bring(agent, SENSED_MS, packet);
    // Without an answer the executor can't know that it was heard, and repeats the report later.
    if (body.kind !== 'process' && !(isHeard && agent.canHostBeReached)) this.keep(agent, packet);
  }

  /** The agent can reach Holter again. */
  flush(agent: SimAgent): void {
    for (const packet of agent.spool) this.bring(agent, 0, packet as Packet);
    if (agent.spool.length > 0) agent.spool = [];
  }

  /** What is kept may be sent more than once before it is answered. */
  private keep(agent: SimAgent, packet: Packet): void {
    if (agent.spool.length < SPOOL_MAX) agent.spool.push({ ...packet, twin: { isHeard: false } });
  }

  /** Strictly after the message before: arrivals at the same moment have no order. */
  private bring(agent: SimAgent, delayMs: number, packet: Packet): void {
    agent.arrivedAt = Math.max(agent.arrivedAt + 1, this.port.now + delayMs);
    this.port.deliverAt(agent, agent.arrivedAt, packet);
  }
}

type Journey = {
  /** When it arrives, or NaN when it is lost. */
  arrivesAt: number;
  /** When a second copy arrives, or NaN. */
  copyAt: number;
};

/** Draws the journey of one message into `journey`, which is reused: there are millions of them. Returns the newest arrival in order. */
function travel(random: Random, now: number, lastArrival: number, isBeat: boolean, journey: Journey): number {
  journey.copyAt = Number.NaN;
  let arrivesAt = now + random.lognormal(network.delayMedianMs, network.delaySigma);
  const luck = random.unit();
  if (luck < network.dropShare) {
    if (isBeat) {
      journey.arrivesAt = Number.NaN;
      return lastArrival;
    }
    arrivesAt += random.between(network.retryMinMs, network.retryMaxMs);
  } else if (luck < network.dropShare + network.copyShare) {
    // Behind a queue the retry follows at once, otherwise some time later.
    journey.copyAt =
      Math.max(arrivesAt, lastArrival + 1) + (lastArrival > now ? 1 : random.unit() * network.copyMaxMs);
  } else if (luck < network.dropShare + network.copyShare + network.overtakenShare && lastArrival <= now) {
    // A client sends what is queued before it opens a second connection, so a queue is never overtaken.
    journey.arrivesAt = arrivesAt + random.unit() * network.overtakenMaxMs;
    return lastArrival;
  }
  // Strictly after the message before: arrivals at the same moment have no order.
  if (arrivesAt <= lastArrival) arrivesAt = lastArrival + 1;
  journey.arrivesAt = arrivesAt;
  return arrivesAt;
}

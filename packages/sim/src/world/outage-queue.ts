import type { SimAgent } from '../agents/sim-agent.ts';
import type { Packet } from './packet.ts';
import { Plan } from './plan.ts';

/** What queued up while the monitor was away arrives within this time, or a quarter of the agent's interval. */
const DRAIN_MS_MAX = 8_000;

type Waiting = { readonly agent: SimAgent; readonly act: number; readonly data: unknown };

/** What found the monitor away, in the order in which it came: senders try again until they are heard. */
export class OutageQueue {
  private waiting: Waiting[] = [];

  add(agent: SimAgent, act: number, data: unknown): void {
    this.waiting.push({ agent, act, data });
  }

  /** The monitor is back: each agent's words come in their order, somewhere in the time that draining takes. */
  open(at: number, bring: (at: number, slot: number, act: number, data: unknown) => void): void {
    // What waits for the second time, because the monitor left again, is older than what came meanwhile.
    const waiting = this.waiting.sort((left, right) => waitsOf(right) - waitsOf(left));
    this.waiting = [];
    for (const agent of new Set(waiting.map((one) => one.agent))) agent.waits++;
    for (const { agent, act, data } of waiting) {
      const drainMs = Math.min(DRAIN_MS_MAX, agent.profile.intervalMs / 4);
      if (agent.arrivedAt < at + 1) agent.arrivedAt = at + 1 + agent.random.unit() * drainMs;
      agent.arrivedAt += 1;
      agent.drainedAt = agent.arrivedAt;
      bring(
        agent.arrivedAt,
        agent.slot,
        act,
        act === Plan.deliver ? { ...(data as Packet), waits: agent.waits } : data,
      );
    }
  }
}

const waitsOf = ({ act, data }: Waiting): number =>
  act === Plan.deliver ? ((data as Packet).waits ?? 0) : 0;

/** A client has one queue: what was on its way when the monitor came back goes behind what waited. */
export function placeBehindQueue(agent: SimAgent, now: number, packet: Packet): Packet | null {
  if (now >= agent.drainedAt || (packet.waits ?? 0) >= agent.waits) return null;
  agent.drainedAt++;
  agent.arrivedAt = Math.max(agent.arrivedAt, agent.drainedAt);
  return { ...packet, waits: agent.waits };
}

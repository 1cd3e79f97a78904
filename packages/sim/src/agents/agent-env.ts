import type { Acquired, BreakerAct, Decision, SignalBody } from '@holter/core';
import type { SimAgent } from './sim-agent.ts';

/** What can happen to an agent; the world calls it at the planned moment, if that life still goes on. */
export const Act = {
  register: 1,
  beat: 2,
  thought: 3,
  toolDone: 4,
  nextTask: 5,
  trouble: 6,
  relief: 7,
  probe: 8,
  nudgeSeen: 9,
  own: 10,
  handoff: 11,
  pong: 12,
} as const;
export type Act = (typeof Act)[keyof typeof Act];

/** What the world offers to its agents. */
export interface AgentEnv {
  readonly now: number;
  /** The same moment by Holter's own clock. */
  readonly holterNow: number;
  plan(agent: SimAgent, delayMs: number, act: Act, data?: unknown): void;
  /** The agent's own word, or a hook of the program that it runs in (`cli`); it travels over the network. */
  send(agent: SimAgent, body: SignalBody, id?: string, origin?: 'cli'): void;
  /** The same, in the name of another start of the agent: an elder that does not know it was replaced. */
  sendAs(agent: SimAgent, incarnation: number, body: SignalBody, id?: string): void;
  /** What Holter's own senses report about the agent. */
  sense(agent: SimAgent, body: SignalBody): void;
  /** How often an executor looks at this agent's process now. */
  probeEveryMs(agent: SimAgent): number;
  /** Another agent of the same kind that runs, is connected in the same way and has no trouble now. */
  findSimilar(agent: SimAgent): SimAgent | null;
  /** Another process asks for this agent's name; true when it got it. */
  claimName(agent: SimAgent, instanceId: string): boolean;
  /** The agent registers its own name with its own token, as another instance that is only watched. */
  takeOver(agent: SimAgent, instanceId: string): void;
  /** Asks one of the agent's breakers on the spot; null when Holter can't be reached. */
  acquire(agent: SimAgent, name: string): Acquired | null;
  /** A word to a breaker that takes its time; it arrives even when its sender has died meanwhile. */
  tellBreaker(agent: SimAgent, delayMs: number, name: string, act: BreakerAct): void;
  /** Somebody decides something about this agent, whatever has become of it by then. */
  decideLater(agent: SimAgent, delayMs: number, decision: Decision): void;
  truthChanged(agent: SimAgent): void;
}

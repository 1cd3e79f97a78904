import type { Effect, Registration } from '@holter/core';
import type { AgentProfile } from './agent-profile.ts';
import type { SimAgent } from './sim-agent.ts';

/**
 * What makes an agent the kind of agent it is. The common life (boot, beats, tasks, calls, checkpoints) is
 * `SimAgent`'s; a behaviour only says where it differs. It never looks at what the core thinks of it.
 */
export type Behaviour = {
  readonly name: string;
  /** One sentence for the tables. */
  readonly tells: string;
  /** The ways in which such agents are connected; one is drawn for each agent. */
  readonly profiles: readonly AgentProfile[];
  /** Mean time until its trouble comes; absent for agents without one. */
  readonly troubleEveryMs?: number;
  /** Trouble that has to wait until no call is open (a hang inside a tool is a long tool). */
  readonly isTroubleBetweenCalls?: true;
  /** It registers every later life itself, with its own token, and says this of itself. */
  readonly returnsAs?: Partial<Registration>;
  /** A life begins. The default takes a task and works. */
  readonly begin?: (agent: SimAgent) => void;
  readonly trouble?: (agent: SimAgent) => void;
  /** A happening that only this behaviour knows: the next repeat of a loop, another try. */
  readonly own?: (agent: SimAgent, data: unknown) => void;
  /** The trouble's own end, where it has one. */
  readonly relief?: (agent: SimAgent) => void;
  readonly thinkMs?: (agent: SimAgent) => number;
  readonly toolMs?: (agent: SimAgent) => number;
  readonly bootMs?: (agent: SimAgent) => number;
  /** A nudge was put in front of it and read. */
  readonly nudged?: (agent: SimAgent) => void;
  /** An effect about it entered the outbox: only for worlds that choose the worst moment on purpose. */
  readonly ordered?: (agent: SimAgent, effect: Effect) => void;
  /** Holter's launcher started a successor, or something else did. */
  readonly successorBegins?: (agent: SimAgent) => void;
  /** Whether a successor would get somewhere, asked at the moment of death; absent means yes. */
  readonly isRecoverable?: (agent: SimAgent) => boolean;
  /** Which of its checkpoints can be read: how many of the newest can't, or null when none can. */
  readonly checkpointsSkipped?: (agent: SimAgent) => number | null;
};

import type { SimAgent } from './sim-agent.ts';

/** One strange way to spend some minutes: a small script that is played turn by turn. */
export type Oddity = {
  readonly tells: string;
  readonly turns: number;
  readonly everyMs: number;
  /**
   * What it means for the work: `stuck` gets nowhere meanwhile, `rests` rightly does nothing, and `works` goes on
   * as if nothing were.
   */
  readonly work: 'stuck' | 'rests' | 'works';
  readonly play: (agent: SimAgent, turn: number) => void;
  /** What shows that it is over, where the next piece of work does not show it. */
  readonly over?: (agent: SimAgent) => void;
};

/** Planned after an end, in place of a turn: its owner starts the agent again. */
export const START_AGAIN = -1;

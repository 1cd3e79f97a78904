import type { TokenRole } from '../store/store.ts';

/** Who brings a signal or a registration. Every caller of the API is one. */
export type Sender = {
  /** `holter` is no role of a token: Holter's own senses, and those who hand out tasks. */
  readonly role: TokenRole | 'holter';
  /** The agent that an `agent` speaks for; the others may speak about any. */
  readonly agentId: string | null;
  /** The start that it speaks for; null stands for the current one. */
  readonly incarnation: number | null;
  /** The token's: agents that an `enroll` token registers are counted. */
  readonly tokenId?: string;
};

/** Not the agent's own word: it never counts as a sign of life. */
export const HOLTER: Sender = { role: 'holter', agentId: null, incarnation: null };

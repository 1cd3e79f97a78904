import type { TokenRole } from '../store/store.ts';

/** The sender of a signal or registration. Every API caller is one. */
export type Sender = {
  /** `holter` is not a token role: it stands for Holter's own sensors and for task assignment. */
  readonly role: TokenRole | 'holter';
  /** The agent that an `agent` token belongs to; null for roles that may report on any agent. */
  readonly agentId: string | null;
  /** The incarnation that it speaks for; null for the current one. */
  readonly incarnation: number | null;
  /** Identifies the token, to count the agents that it registers. */
  readonly tokenId?: string;
  /** The user whose sessions a `hook` token reports. */
  readonly user?: string | null;
};

/** Not sent by the agent itself, so it never counts as a sign of life. */
export const HOLTER: Sender = { role: 'holter', agentId: null, incarnation: null };

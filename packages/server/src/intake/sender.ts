import { AUTHORITY, type Source } from '@holter/core';
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
  /** The group that an `orchestrator` decides for. */
  readonly group?: string | null;
  /** The user whose sessions a `hook` token reports. */
  readonly user?: string | null;
  /** A hook or the record of the agent's program, or the run that owns it, speaks with this token. */
  readonly via?: 'cli' | 'seen-cli' | 'executor';
};

/** Whose word it is about this agent, for the table of authority in core. */
export function sourceOf({ role, agentId: own, via }: Sender, agentId: string): Source {
  switch (role) {
    case 'holter':
    case 'orchestrator':
      return role;
    case 'operator':
      return via ?? role;
    case 'agent':
      return own === agentId ? (via ?? role) : 'other-agent';
    case 'hook':
      return 'cli';
    case 'enroll':
      return via ?? 'starter';
    case 'viewer':
      return 'other-agent';
  }
}

/** An orchestrator decides for the agents of its group, and for no other. */
export function mayDecideFor(sender: Sender, group: string): boolean {
  const { decides } = AUTHORITY[sourceOf(sender, sender.agentId ?? '')];
  return decides === 'always' || (decides === 'own-group' && sender.group === group);
}

/** Not sent by the agent itself, so it never counts as a sign of life. */
export const HOLTER: Sender = { role: 'holter', agentId: null, incarnation: null };

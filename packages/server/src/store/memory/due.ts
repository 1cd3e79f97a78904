import { later } from '@holter/core';
import type { Arguments } from '../operations.ts';
import type { DueAgent } from '../store.ts';
import type { Tables } from './tables.ts';
import type { WakeQueue } from './wake-queue.ts';

export function claimDue(
  { agents, dueClaims }: Tables,
  wakes: WakeQueue,
  ...[{ at, leaseMs, limit }]: Arguments<'claimDue'>
): readonly DueAgent[] {
  const due = wakes.upTo(at, limit, ({ agentId, wakeAt }) => {
    const claim = dueClaims.get(agentId);
    return claim?.wakeAt !== wakeAt || claim.until <= at;
  });
  return due.flatMap(({ agentId, wakeAt }) => {
    const row = agents.get(agentId);
    if (!row) return [];
    if (leaseMs > 0) dueClaims.set(agentId, { wakeAt, until: later(at, leaseMs) });
    const { agent, version } = row;
    return { agentId, version, incarnation: agent.hard.incarnation, soft: agent.soft };
  });
}

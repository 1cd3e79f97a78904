import type { Instant, Signal } from '@holter/core';
import type { World } from './world.ts';

/** Words that must not be believed, each for its own reason. */
const lies: readonly ((agentId: string, incarnation: number, at: number) => Signal)[] = [
  // An agent may not report anybody's exit, its own included.
  (agentId, incarnation) => ({ agentId, incarnation, kind: 'exited', code: 0 }),
  // A start that never happened.
  (agentId, incarnation) => ({ agentId, incarnation: incarnation + 7, kind: 'heartbeat' }),
  // No start at all, for an agent that registered.
  (agentId) => ({ agentId, kind: 'heartbeat' }),
  // A finding is Holter's own word.
  (agentId, incarnation, at) => ({
    agentId,
    incarnation,
    kind: 'finding',
    finding: {
      kind: 'repeated-call',
      severity: 'act',
      source: 'operating-system',
      since: at as Instant,
      evidence: 'said by the agent itself',
      threshold: 'none',
      count: 99,
    },
  }),
  // An agent that could pause itself would never be judged again.
  (agentId, incarnation) => ({ agentId, incarnation, kind: 'hold-begun', hold: 'paused-by-operator' }),
  // The start before this one.
  (agentId, incarnation) => ({ agentId, incarnation: incarnation - 1, kind: 'stopped', reason: 'late news' }),
];

/** One lie about one agent, picked by a number of the unit line. */
export function injectForgedSignal(world: World, draw: number): void {
  const scaled = draw * world.slots;
  const slot = Math.floor(scaled);
  if (!world.has(slot) || world.at(slot).incarnation === 0) return;
  const agent = world.at(slot);
  const lie = lies[Math.floor((scaled % 1) * lies.length)];
  if (lie === undefined) return;
  world.injectForged(agent, { signal: lie(agent.name, agent.incarnation, world.holterNow), origin: 'agent' });
}

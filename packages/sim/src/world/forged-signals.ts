import type { BreakerAct, Instant, Signal } from '@holter/core';
import { registrationOf, THIEF } from '../agents/registration.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { World } from './world.ts';

/** The draw also picks the agent and the lie; from its further digits comes the intrusion. */
const INTRUSION_DRAWS = 1_000_003;

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

/** What strangers try at the other doors: to become the ordered successor, and to trip breakers. */
const intrusions: readonly ((world: World, agent: SimAgent) => void)[] = [
  (world, agent) => stealName(world, agent, `${agent.name}/1/recover/1`),
  (world, agent) => stealName(world, agent, 'any key'),
  (world, agent) => failCall(world, agent, { name: 'recovery_attempt' }),
  (world, agent) => failCall(world, agent, { name: 'tool_execution', incarnation: agent.incarnation - 1 }),
];

const FAILURE: BreakerAct = {
  kind: 'report',
  report: { generation: 0, permitId: 0, outcome: 'failure' },
};

/** A stranger asks for the agent's name with a key that it made up. */
function stealName({ monitor, holterNow }: World, agent: SimAgent, spawnKey: string): void {
  if (monitor.isAway() || !monitor.knows(agent.slot)) return;
  monitor.enroll(agent.slot, holterNow, { ...registrationOf(agent, THIEF), spawnKey });
}

/** A stranger reports a failure to one of the agent's breakers. */
function failCall(
  { monitor, holterNow }: World,
  agent: SimAgent,
  call: { readonly name: string; readonly incarnation?: number },
): void {
  if (monitor.isAway() || !monitor.knows(agent.slot)) return;
  monitor.tell(agent.slot, holterNow, { kind: 'breaker', act: FAILURE, roll: 0, ...call });
}

/** One lie about one agent, picked by a number of the unit line. */
export function injectForgedSignal(world: World, draw: number): void {
  const scaled = draw * world.slots;
  const slot = Math.floor(scaled);
  if (!world.has(slot) || world.at(slot).incarnation === 0) return;
  const agent = world.at(slot);
  const intrusion = intrusions[Math.floor((draw * INTRUSION_DRAWS) % intrusions.length)];
  if (intrusion !== undefined) intrusion(world, agent);
  const lie = lies[Math.floor((scaled % 1) * lies.length)];
  if (lie === undefined) return;
  world.injectForged(agent, { signal: lie(agent.name, agent.incarnation, world.holterNow), origin: 'agent' });
}

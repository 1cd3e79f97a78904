import type { AgentView } from '@holter/server/local';
import { isWrong, stateWord } from '../explain/state-order.ts';
import { counted } from '../terminal/words.ts';
import { readStateFile, writeStateFile } from '../town/state-file.ts';
import { DEACON, type Town } from '../town/town.ts';

/** One agent at one check. */
type AgentHealth = {
  readonly state: string;
  readonly group: string;
  /** Checks in a row at which it needed attention. */
  readonly wrongInRow: number;
};

export type HealthCheck = {
  readonly healthy: number;
  readonly unhealthy: readonly string[];
  readonly agents: Readonly<Record<string, AgentHealth>>;
};

/** The agents that have not ended, as the server judges them. */
export function checkHealth(agents: readonly AgentView[], before: ReadonlyMap<string, number>): HealthCheck {
  const living = agents.filter((agent) => stateWord(agent) !== 'ended');
  const health = living.map((agent): [string, AgentHealth] => {
    const wrongInRow = isWrong(agent) ? (before.get(agent.agentId) ?? 0) + 1 : 0;
    return [agent.agentId, { state: stateWord(agent), group: agent.group, wrongInRow }];
  });
  const unhealthy = health.flatMap(([agentId, { wrongInRow }]) => (wrongInRow > 0 ? [agentId] : []));
  return { healthy: living.length - unhealthy.length, unhealthy, agents: Object.fromEntries(health) };
}

/** Whether a run of the Deacon is to end now, and why; null if it goes on. Its context is seen by the server. */
export function whyHandOver(
  agents: readonly Pick<AgentView, 'agentId' | 'findings'>[],
  cycles: number,
  cyclesMax: number,
): string | null {
  if (cycles >= cyclesMax) return `after ${counted(cycles, 'cycle')}`;
  const own = agents.find(({ agentId }) => agentId === DEACON);
  const isFull = own?.findings.some(({ kind }) => kind === 'context-exhausted') === true;
  return cycles > 0 && isFull ? 'because your context is nearly full' : null;
}

export function writeHealthCheck(
  town: Town,
  { healthy, unhealthy, agents }: HealthCheck,
  at: number,
  incarnation: string,
): Promise<void> {
  const shown = Object.entries(agents).map(([agentId, { state, group, wrongInRow }]) => [
    agentId,
    { state, group, unhealthy_in_row: wrongInRow },
  ]);
  const state = {
    at: new Date(at).toISOString(),
    healthy_agents: healthy,
    unhealthy_agents: unhealthy.length,
    agents: Object.fromEntries(shown),
  };
  return writeStateFile(town.healthCheckFile, state, incarnation);
}

/** How often in a row each agent needed attention, as the last check has written it. */
export async function wrongInRow(town: Town, now: () => number): Promise<ReadonlyMap<string, number>> {
  const reading = await readStateFile(town.healthCheckFile, now);
  const agents = reading.kind === 'read' ? reading.state.agents : null;
  if (typeof agents !== 'object' || agents === null) return new Map();
  return new Map(
    Object.entries(agents).flatMap(([agentId, each]: [string, unknown]) => {
      const { unhealthy_in_row: count } = (each ?? {}) as Record<string, unknown>;
      return typeof count === 'number' && count > 0 ? [[agentId, count]] : [];
    }),
  );
}

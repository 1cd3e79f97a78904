import type { HeartbeatReading } from '@holter/core/chain';
import { instant } from '@holter/core/time';
import { readStateFile, writeStateFile } from '../town/state-file.ts';
import type { Town } from '../town/town.ts';

/** What a cycle of the patrol has found. Null counts are unknown: the server did not answer. */
type Heartbeat = {
  readonly cycle: number;
  readonly lastAction: string;
  readonly healthyAgents: number | null;
  readonly unhealthyAgents: number | null;
};

export function writeHeartbeat(
  town: Town,
  { cycle, lastAction, healthyAgents, unhealthyAgents }: Heartbeat,
  at: number,
  incarnation: string,
): void {
  const state = {
    timestamp: new Date(at).toISOString(),
    cycle,
    last_action: lastAction,
    healthy_agents: healthyAgents,
    unhealthy_agents: unhealthyAgents,
  };
  writeStateFile(town.heartbeatFile, state, incarnation);
}

export async function heartbeatReading(town: Town, now: () => number): Promise<HeartbeatReading> {
  const reading = await readStateFile(town.heartbeatFile, now);
  if (reading.kind !== 'read') return reading;
  const { at, incarnation } = reading;
  return { kind: 'read', heartbeat: { at: instant(at), incarnation } };
}

/** The number of the last cycle, whoever wrote it; a new patrol goes on counting. */
export async function lastCycle(town: Town, now: () => number): Promise<number> {
  const reading = await readStateFile(town.heartbeatFile, now);
  const cycle = reading.kind === 'read' ? reading.state.cycle : 0;
  return typeof cycle === 'number' && Number.isSafeInteger(cycle) && cycle > 0 ? cycle : 0;
}

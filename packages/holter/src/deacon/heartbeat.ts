import type { HeartbeatReading } from '@holter/core/chain';
import { instant } from '@holter/core/time';
import { readStateFile, writeStateFile } from '../town/state-file.ts';
import type { Town } from '../town/town.ts';

/** What a cycle of the patrol has found. Null counts are unknown: the server did not answer. */
type Heartbeat = {
  readonly cycle: number;
  /** Of this run. */
  readonly cycleOfRun: number;
  readonly lastAction: string;
  readonly healthyAgents: number | null;
  readonly unhealthyAgents: number | null;
};

export function writeHeartbeat(
  town: Town,
  { cycle, cycleOfRun, lastAction, healthyAgents, unhealthyAgents }: Heartbeat,
  at: number,
  incarnation: string,
): Promise<void> {
  const state = {
    timestamp: new Date(at).toISOString(),
    cycle,
    last_action: lastAction,
    healthy_agents: healthyAgents,
    unhealthy_agents: unhealthyAgents,
    cycle_of_run: cycleOfRun,
  };
  return writeStateFile(town.heartbeatFile, state, incarnation);
}

export async function heartbeatReading(town: Town, now: () => number): Promise<HeartbeatReading> {
  const reading = await readStateFile(town.heartbeatFile, now);
  if (reading.kind !== 'read') return reading;
  const { at, incarnation } = reading;
  return { kind: 'read', heartbeat: { at: instant(at), incarnation } };
}

/** The last cycle, whoever wrote it: a new patrol goes on counting. `ofRun` counts those of this run. */
export async function lastCycle(
  town: Town,
  now: () => number,
  incarnation: string | null = null,
): Promise<{ readonly cycle: number; readonly ofRun: number }> {
  const reading = await readStateFile(town.heartbeatFile, now);
  if (reading.kind !== 'read') return { cycle: 0, ofRun: 0 };
  const { cycle, cycle_of_run: ofRun } = reading.state;
  return { cycle: countIn(cycle), ofRun: reading.incarnation === incarnation ? countIn(ofRun) : 0 };
}

const countIn = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;

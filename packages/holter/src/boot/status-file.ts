import type { BootMemory, TriageAction } from '@holter/core/chain';
import { readStateFile, writeStateFile } from '../town/state-file.ts';
import type { Town } from '../town/town.ts';

export type BootStatus = {
  readonly action: TriageAction;
  readonly reason: string;
  readonly at: number;
  /** The session that it is about. */
  readonly target: string;
  readonly result: string;
  readonly memory: BootMemory | null;
};

export function writeBootStatus(town: Town, status: BootStatus, incarnation: string): void {
  const { memory, at, ...rest } = status;
  const deacon = memory && {
    incarnation: memory.incarnation,
    heartbeat_at: memory.heartbeatAt === null ? null : new Date(memory.heartbeatAt).toISOString(),
    wakes: memory.wakes,
    unsent: memory.unsent,
    cpu_ms: memory.cpuMs,
    is_stopped: memory.isStopped,
    unknown_since: memory.unknownSince === null ? null : new Date(memory.unknownSince).toISOString(),
    is_told: memory.isTold,
  };
  writeStateFile(town.bootStatusFile, { ...rest, at: new Date(at).toISOString(), deacon }, incarnation);
}

/** The last triage; null if there was none, or nothing sure can be said about it. */
export async function readBootStatus(town: Town, now: () => number): Promise<BootStatus | null> {
  const reading = await readStateFile(town.bootStatusFile, now);
  if (reading.kind !== 'read') return null;
  const { action, reason, target, result, deacon } = reading.state;
  if (typeof action !== 'string' || !ACTIONS.has(action)) return null;
  return {
    action: action as TriageAction,
    reason: String(reason),
    at: reading.at,
    target: String(target),
    result: String(result),
    memory: memoryIn(deacon),
  };
}

const ACTIONS: ReadonlySet<string> = new Set<TriageAction>([
  'START',
  'WAKE',
  'NUDGE',
  'NOTHING',
  'RESTART',
  'ESCALATE',
]);

function memoryIn(value: unknown): BootMemory | null {
  if (typeof value !== 'object' || value === null) return null;
  const { incarnation, wakes, unsent, cpu_ms, is_stopped, unknown_since, is_told, heartbeat_at } =
    value as Record<string, unknown>;
  if (typeof incarnation !== 'string') return null;
  return {
    incarnation,
    heartbeatAt: timeIn(heartbeat_at),
    wakes: countIn(wakes),
    unsent: countIn(unsent),
    cpuMs: typeof cpu_ms === 'number' ? cpu_ms : null,
    isStopped: is_stopped === true,
    unknownSince: timeIn(unknown_since),
    isTold: is_told === true,
  };
}

const countIn = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);

function timeIn(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) ? at : null;
}

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

export function writeBootStatus(town: Town, status: BootStatus, incarnation: string): Promise<void> {
  const { memory, at, ...rest } = status;
  const deacon = memory && {
    incarnation: memory.incarnation,
    heartbeat_at: dateOf(memory.heartbeatAt),
    wakes: memory.wakes,
    unsent: memory.unsent,
    wake_tried_at: dateOf(memory.wakeTriedAt),
    cpu_ms: memory.cpuMs,
    is_stopped: memory.isStopped,
    unknown_since: dateOf(memory.unknownSince),
    limited_until: dateOf(memory.limitedUntil),
    is_told: memory.isTold,
  };
  return writeStateFile(
    town.bootStatusFile,
    { ...rest, at: new Date(at).toISOString(), deacon },
    incarnation,
  );
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
  const deacon = value as Record<string, unknown>;
  const { incarnation, wakes, unsent, cpu_ms, is_stopped, unknown_since, is_told } = deacon;
  if (typeof incarnation !== 'string') return null;
  return {
    incarnation,
    heartbeatAt: timeIn(deacon.heartbeat_at),
    wakes: countIn(wakes),
    unsent: countIn(unsent),
    wakeTriedAt: timeIn(deacon.wake_tried_at),
    cpuMs: typeof cpu_ms === 'number' ? cpu_ms : null,
    isStopped: is_stopped === true,
    unknownSince: timeIn(unknown_since),
    limitedUntil: timeIn(deacon.limited_until),
    isTold: is_told === true,
  };
}

const dateOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

const countIn = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);

function timeIn(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) ? at : null;
}

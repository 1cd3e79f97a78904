import type { TriageAction } from '@holter/core/chain';
import { readStateFile, writeStateFile } from '../town/state-file.ts';
import type { Town } from '../town/town.ts';

/** What Boot has to remember of one run of the Deacon from one triage to the next. */
export type BootMemory = {
  /** The run that it is about. */
  readonly incarnation: string;
  /** Deliveries of a WAKE since its last fresh heartbeat. */
  readonly wakes: number;
  /** CPU time of it and everything below it; null if it could not be read. */
  readonly cpuMs: number | null;
  readonly isStopped: boolean;
  /** Since when its heartbeat can't be read. */
  readonly unknownSince: number | null;
  /** Whether the overseer was told about it. */
  readonly isTold: boolean;
};

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
    wakes: memory.wakes,
    cpu_ms: memory.cpuMs,
    is_stopped: memory.isStopped,
    unknown_since: memory.unknownSince === null ? null : new Date(memory.unknownSince).toISOString(),
    is_told: memory.isTold,
  };
  writeStateFile(town.bootStatusFile, { ...rest, at: new Date(at).toISOString(), deacon }, incarnation);
}

/** The last triage; null if there was none, or nothing sure can be said about it. */
export function readBootStatus(town: Town, now: () => number): BootStatus | null {
  const reading = readStateFile(town.bootStatusFile, now);
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
  const { incarnation, wakes, cpu_ms, is_stopped, unknown_since, is_told } = value as Record<string, unknown>;
  if (typeof incarnation !== 'string') return null;
  const since = typeof unknown_since === 'string' ? Date.parse(unknown_since) : Number.NaN;
  return {
    incarnation,
    wakes: typeof wakes === 'number' && wakes >= 0 ? wakes : 0,
    cpuMs: typeof cpu_ms === 'number' ? cpu_ms : null,
    isStopped: is_stopped === true,
    unknownSince: Number.isFinite(since) ? since : null,
    isTold: is_told === true,
  };
}

import { type DurationMs, type Instant, milliseconds } from '../base/time.ts';
import type { Freshness, HeartbeatReading } from './freshness.ts';
import type { ChainProcess } from './triage.ts';

/** What one look at the processes of the Deacon gives. */
export type ProcessSample = {
  /** The run that it is about. */
  readonly incarnation: string;
  /** CPU time of it and everything below it; null if it could not be read. */
  readonly cpuMs: number | null;
  readonly isStopped: boolean;
};

/** What Boot has to remember of one run of the Deacon from one triage to the next. */
export type BootMemory = ProcessSample & {
  /** The newest heartbeat that was read. */
  readonly heartbeatAt: number | null;
  /** WAKEs since that heartbeat that have reached its terminal or its mailbox. */
  readonly wakes: number;
  /** WAKEs in a row that could not be sent. */
  readonly unsent: number;
  /** When the last of all these was sent, or could not be. */
  readonly wakeTriedAt: number | null;
  /** Since when its heartbeat can't be read. */
  readonly unknownSince: number | null;
  /** When its usage limit resets, as its program has said last; it is asked for where the server may be down. */
  readonly limitedUntil: number | null;
  /** Whether the overseer was told about it. */
  readonly isTold: boolean;
};

type Seen = {
  readonly at: Instant;
  readonly reading: HeartbeatReading;
  readonly freshness: Freshness | null;
  /** Null if it has none; undefined if nobody could say. */
  readonly limitedUntil: number | null | undefined;
};

type Remembered = {
  readonly memory: BootMemory;
  readonly process: ChainProcess;
  readonly unknownMs: DurationMs;
  /** Null if it was not woken since its heartbeat. */
  readonly sinceWakeMs: DurationMs | null;
  /** For how long its usage limit lasts. */
  readonly limitedMs: DurationMs;
};

/** So many WAKEs that could not be sent say that nothing reaches it. */
export const UNSENT_MAX = 2;

/**
 * What is known of this run now. WAKEs count for one heartbeat: a Deacon that was woken, came back, and fell silent
 * again before the next triage has to be woken again.
 */
export function remember(
  last: (BootMemory & { readonly at: Instant }) | null,
  sample: ProcessSample,
  seen: Seen,
): Remembered {
  const { at, reading, freshness } = seen;
  const before = last?.incarnation === sample.incarnation ? last : null;
  const heartbeatAt = reading.kind === 'read' ? reading.heartbeat.at : (before?.heartbeatAt ?? null);
  const isSilent = before !== null && before.heartbeatAt === heartbeatAt && freshness?.kind !== 'fresh';
  // A clock that was set back must not make it wait for ever.
  const unknownSince = freshness?.kind === 'unknown' ? Math.min(before?.unknownSince ?? at, at) : null;
  const triedAt = isSilent ? before.wakeTriedAt : null;
  const wakeTriedAt = triedAt === null ? null : Math.min(triedAt, at);
  const { limitedUntil = before?.limitedUntil ?? null } = seen;
  return {
    memory: {
      ...sample,
      heartbeatAt,
      wakes: isSilent ? before.wakes : 0,
      unsent: isSilent ? before.unsent : 0,
      wakeTriedAt,
      unknownSince,
      limitedUntil,
      isTold: freshness?.kind === 'fresh' ? false : (before?.isTold ?? false),
    },
    process: processEvidence(before, { ...sample, at }),
    unknownMs: milliseconds(unknownSince === null ? 0 : at - unknownSince),
    sinceWakeMs: wakeTriedAt === null ? null : milliseconds(at - wakeTriedAt),
    limitedMs: milliseconds(Math.max(0, (limitedUntil ?? at) - at)),
  };
}

/** A shorter time shows nothing, and after a longer one nobody knows what happened in between, such as a sleep. */
const ELAPSED_MS_MIN = 1_000;
const ELAPSED_MS_MAX = 15 * 60_000;
/** A runtime that waits has timers of its own; an agent that waits for its model draws a spinner, which costs more. */
const IDLE_SHARE = 0.005;

export type SampleAt = ProcessSample & { readonly at: number };

/** What two looks at the same processes show; a single one is no evidence. */
export function processEvidence(before: SampleAt | null, after: SampleAt): ChainProcess {
  if (!before || before.incarnation !== after.incarnation) return 'unknown';
  const elapsedMs = after.at - before.at;
  if (elapsedMs < ELAPSED_MS_MIN || elapsedMs > ELAPSED_MS_MAX) return 'unknown';
  if (before.isStopped && after.isStopped) return 'stopped';
  // One that was stopped and goes on has changed, however little CPU time it has used since.
  if (before.cpuMs === null || after.cpuMs === null || before.isStopped || after.isStopped) return 'unknown';
  const cpuMs = after.cpuMs - before.cpuMs;
  // Less than before: a process has ended meanwhile, so that something happened.
  return cpuMs >= 0 && cpuMs <= elapsedMs * IDLE_SHARE ? 'idle' : 'busy';
}

/**
 * Whether a restart that was decided by the look `before` is still justified now, right before it is carried out: some
 * minutes may have passed, in which the Deacon may have begun to work, or to ask, without a heartbeat. Null if it is,
 * else why not.
 */
export function whyNotRestart(before: SampleAt | null, now: SampleAt, isAsking: boolean): string | null {
  if (isAsking) return 'it waits for a person';
  const process = processEvidence(before, now);
  if (process === 'busy') return 'its process is at work again';
  return process === 'unknown' ? 'nothing is known about its process' : null;
}

import type { Instant, Signal } from '@holter/core';
import { redact, redactValue } from '../redaction/index.ts';

/** Ids, and words of a fixed vocabulary. Every other text of a signal may hold a secret. */
const NOT_TEXT: ReadonlySet<string> = new Set([
  'agentId',
  'kind',
  'id',
  'channel',
  'callId',
  'checkpointId',
  'parentId',
  'hash',
  'messageId',
  'noteId',
  'findingKind',
]);

/** Ids that are stored and shown as they are. Others are only compared, or never shown. */
const SHOWN_IDS = ['checkpointId', 'messageId', 'noteId'] as const;

/** An id that redaction would change can't be kept: it would be another id. Returns the name of such a field. */
export function fieldWithSecret(fields: object, names: readonly string[] = SHOWN_IDS): string | null {
  const isSecret = (name: string): boolean => {
    const value: unknown = (fields as Readonly<Record<string, unknown>>)[name];
    return typeof value === 'string' && redact(value) !== value;
  };
  return names.find(isSecret) ?? null;
}

/**
 * A signal that is safe to store: secrets are removed from its texts and from the arguments of calls, and times in
 * the future are replaced by now. Returns the same object when there is nothing to change, which is nearly always.
 */
export function cleanSignal(signal: Signal, now: Instant): Signal {
  const given = inThePast(signal, now);
  const fields = given as Readonly<Record<string, unknown>>;
  let clean: Record<string, unknown> | null = null;
  for (const field in fields) {
    const value = fields[field];
    if ((typeof value !== 'string' && typeof value !== 'object') || NOT_TEXT.has(field)) continue;
    const without = redactValue(value);
    if (without === value) continue;
    clean ??= { ...fields };
    clean[field] = without;
  }
  return (clean as Signal | null) ?? given;
}

function inThePast(signal: Signal, now: Instant): Signal {
  if (signal.kind === 'finding' && signal.finding.since > now)
    return { ...signal, finding: { ...signal.finding, since: now } };
  if (signal.kind !== 'heartbeat') return signal;
  const { timestamp = 0, lastToolCall } = signal;
  // A clock that is ahead is ahead for both: the age of the call stays as the agent tells it.
  const aheadMs = Math.max(0, timestamp - now);
  const calledAt = lastToolCall === undefined ? undefined : Math.min(now, lastToolCall - aheadMs);
  if (aheadMs === 0 && calledAt === lastToolCall) return signal;
  return {
    ...signal,
    ...(aheadMs > 0 && { timestamp: now }),
    ...(calledAt !== undefined && { lastToolCall: calledAt }),
  };
}

/** Normal clock difference between two machines; smaller differences get no note. */
const CLOCK_SKEW_MS = 1_000;

/** Tells a sender whose clock is ahead which fields `cleanSignal` replaced by now, under the names it sent. */
export function notesOn(raw: unknown, given: Signal, clean: Signal): readonly string[] {
  if (given.kind !== 'heartbeat' || clean.kind !== 'heartbeat') return [];
  const isAhead = (before = 0, after = 0): boolean => before - after > CLOCK_SKEW_MS;
  const isTimestampAhead = isAhead(given.timestamp, clean.timestamp);
  const names = [
    ...(isTimestampAhead ? ['timestamp'] : []),
    ...(!isTimestampAhead && isAhead(given.lastToolCall, clean.lastToolCall)
      ? [Object.hasOwn(raw as object, 'lastToolCall') ? 'lastToolCall' : 'last_tool_call']
      : []),
  ];
  return names.map((name) => `${name} was in the future; taken as now`);
}

import type { Instant, Signal } from '@holter/core';
import { redact } from './redact.ts';

/**
 * A signal that is safe to store: secrets are removed from text that people will read, and times in the future
 * are replaced by now. A call's input and output are left alone: the rules compare them and keep only
 * fingerprints. Returns the same object when there is nothing to change, which is nearly always.
 */
export function cleanSignal(signal: Signal, now: Instant): Signal {
  switch (signal.kind) {
    case 'heartbeat':
      return cleanBeat(signal, now);
    case 'blocker':
      return withText(signal, 'text', signal.text);
    case 'handoff-requested':
    case 'stopped':
      return withText(signal, 'reason', signal.reason);
    case 'error':
      return withText(signal, 'message', signal.message);
    case 'task-updated':
      return signal.note === undefined ? signal : withText(signal, 'note', signal.note);
    case 'finding': {
      const { finding } = signal;
      const since = finding.since > now ? now : finding.since;
      return {
        ...signal,
        finding: {
          ...finding,
          since,
          evidence: redact(finding.evidence),
          threshold: redact(finding.threshold),
        },
      };
    }
    default:
      return signal;
  }
}

type Beat = Extract<Signal, { kind: 'heartbeat' }>;

function cleanBeat(beat: Beat, now: Instant): Beat {
  let clean = beat;
  if (beat.timestamp !== undefined && beat.timestamp > now) clean = { ...clean, timestamp: now };
  if (beat.lastToolCall !== undefined && beat.lastToolCall > now) clean = { ...clean, lastToolCall: now };
  if (beat.phase !== undefined) clean = withText(clean, 'phase', beat.phase);
  if (beat.progressIndicator !== undefined)
    clean = withText(clean, 'progressIndicator', beat.progressIndicator);
  return clean;
}

function withText<S extends Signal>(signal: S, field: string, text: string): S {
  const clean = redact(text);
  return clean === text ? signal : { ...signal, [field]: clean };
}

/** Normal clock difference between two machines; smaller differences get no note. */
const CLOCK_SKEW_MS = 1_000;

/** Tells a sender whose clock is ahead which fields `cleanSignal` replaced by now, under the names it sent. */
export function notesOn(raw: unknown, given: Signal, clean: Signal): readonly string[] {
  if (given.kind !== 'heartbeat' || clean.kind !== 'heartbeat') return [];
  const isAhead = (before = 0, after = 0): boolean => before - after > CLOCK_SKEW_MS;
  const names = [
    ...(isAhead(given.timestamp, clean.timestamp) ? ['timestamp'] : []),
    ...(isAhead(given.lastToolCall, clean.lastToolCall)
      ? [Object.hasOwn(raw as object, 'lastToolCall') ? 'lastToolCall' : 'last_tool_call']
      : []),
  ];
  return names.map((name) => `${name} was in the future; taken as now`);
}

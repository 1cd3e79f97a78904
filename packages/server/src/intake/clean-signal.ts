import type { Instant, Signal } from '@holter/core';
import { redact } from './redact.ts';

/**
 * A signal as it may be stored: without secrets in the words that people will read, and without a past
 * that lies in the future. A call's input and output are left alone: the rules compare them and keep only
 * fingerprints. Returns the same object when there is nothing to do, which is nearly always.
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

/** Clocks of two machines differ by this much on a good day; less is not worth a word. */
const CLOCK_SKEW_MS = 1_000;

/** Times of a beat that `cleanSignal` took as now, for a sender whose clock is ahead; by the names it used. */
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

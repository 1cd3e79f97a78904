import type { Draft } from '../draft.ts';
import { hashText } from '../hash.ts';
import type { SignalBody } from '../signal.ts';
import { hasProgressed, isDoing } from './doing.ts';
import { countOutcome } from './failures.ts';
import { closeCall, endHold, openCall } from './holds.ts';

type CallEnded = Extract<SignalBody, { kind: 'call-ended' }>;

/** Enough to tell a new result from an old one in an ordinary back and forth. */
const RESULTS_MAX = 8;

export function foldCallBegun(draft: Draft, callId: string): void {
  // Whoever starts a tool is no longer waiting for a person or for the model's limit.
  endHold(draft, 'waiting-for-input');
  endHold(draft, 'waiting-for-permission');
  endHold(draft, 'rate-limited');
  isDoing(draft);
  openCall(draft, callId);
}

export function foldCallEnded(draft: Draft, call: CallEnded): void {
  closeCall(draft, call.callId);
  isDoing(draft);
  countOutcome(draft, call.isError);
  if (!call.isError && isNewResult(draft, call)) hasProgressed(draft);
}

/** A success that was not seen lately. A changed error is no progress. */
function isNewResult({ hard }: Draft, { tool, output }: CallEnded): boolean {
  const result = hashText(`${tool}\n${output ?? ''}`);
  const results = hard.results ?? [];
  if (results.includes(result)) return false;
  hard.results = [...results.slice(1 - RESULTS_MAX), result];
  return true;
}

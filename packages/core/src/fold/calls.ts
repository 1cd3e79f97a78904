import type { Draft } from '../record/draft.ts';
import type { SignalBody } from '../vocabulary/signal.ts';
import { noteActivity, noteProgress } from './doing.ts';
import { countOutcome } from './failures.ts';
import { closeCall, endHold, openCall } from './holds.ts';
import { followStep } from './trail.ts';

type CallEnded = Extract<SignalBody, { kind: 'call-ended' }>;

export function foldCallBegun(draft: Draft, callId: string): void {
  // Whoever starts a tool is no longer waiting for a person or for the model's limit.
  endHold(draft, 'waiting-for-input');
  endHold(draft, 'waiting-for-permission');
  endHold(draft, 'rate-limited');
  noteActivity(draft);
  openCall(draft, callId);
}

export function foldCallEnded(draft: Draft, call: CallEnded): void {
  closeCall(draft, call.callId);
  noteActivity(draft);
  countOutcome(draft, call.isError);
  const { callId: id, tool, input = null, output = null, isError: error, text = null } = call;
  const isProgress = followStep(draft, { id, kind: 'tool', tool, input, output, error, text });
  // Without its arguments nobody can say whether a call was new; a result is then taken for one.
  const isOpaqueResult = input === null && output !== null && !error;
  if (isProgress || isOpaqueResult) noteProgress(draft);
}

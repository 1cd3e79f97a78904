import type { Draft } from '../record/draft.ts';
import type { SignalBody } from '../vocabulary/signal.ts';
import { noteActivity, noteProgress, noteReportedActivity } from './doing.ts';
import { countOutcome } from './failures.ts';
import { closeCall, endContradictedHolds, openCall } from './holds.ts';
import { infer } from './infer.ts';
import { followStep } from './trail.ts';

type CallEnded = Extract<SignalBody, { kind: 'call-ended' }>;

export function foldCallBegun(draft: Draft, callId: string, tool: string): void {
  infer(draft, 'calls');
  endContradictedHolds(draft);
  noteActivity(draft);
  openCall(draft, callId, tool);
}

export function foldCallEnded(draft: Draft, call: CallEnded): void {
  infer(draft, 'calls');
  // A call that began before a hold may end during it, or after it has lapsed: it does not show that the hold is over.
  if (closeCall(draft, call.callId)) noteReportedActivity(draft);
  else {
    endContradictedHolds(draft);
    noteActivity(draft);
  }
  const { callId: id, tool, input = null, output = null, isError: error, text = null } = call;
  const step = followStep(draft, { id, kind: 'tool', tool, input, output, error, text });
  // Red after an edit is how working test first looks; it says nothing about the agent's calls.
  if (!(error && step.isRetest)) countOutcome(draft, error);
  // Without arguments it is unknown whether the call was new; a successful result then counts as progress.
  const isOpaqueResult = input === null && output !== null && !error;
  if (step.isProgress || isOpaqueResult) noteProgress(draft);
}

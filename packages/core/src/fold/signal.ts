import { assertNever } from '../base/invariant.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { emit, markNow } from '../record/draft.ts';
import type { Source } from '../vocabulary/authority.ts';
import { AUTHORITY } from '../vocabulary/authority.ts';
import type { HoldKind } from '../vocabulary/hold.ts';
import type { Signal } from '../vocabulary/signal.ts';
import { foldModels, knownCostUsd } from './books.ts';
import { foldCallBegun, foldCallEnded } from './calls.ts';
import { noteActivity, noteProgress } from './doing.ts';
import { countFailure, raiseUnrecoverable } from './failures.ts';
import { foldHeartbeat, foldPhase } from './heartbeat.ts';
import { beginHold, endHold, isContradicted, takeBackHold } from './holds.ts';
import { infer } from './infer.ts';
import { endJob } from './job.ts';
import { foldExit, foldProcess, foldSelfStatus, foldStatusOf, foldStopped, hearFrom } from './life.ts';
import { foldAcknowledged, foldDelivered, foldDeliveryFailed } from './messages.ts';
import { clearPoint, raisePoint } from './point.ts';
import { assignTask, beginTurn, endTask, endTurn, explainTasks, updateTask } from './tasks.ts';
import { foldTokens } from './tokens.ts';
import { followContext, followStep, followVerdict, noteChange } from './trail.ts';

/** Whether the agent itself shows by it that it lives. Whoever keeps its tasks speaks about them when it is dead, too. */
function isActivity({ kind }: Signal, origin: Source): boolean {
  if (origin === 'holter' || kind === 'heartbeat' || kind === 'pong') return false;
  return !kind.startsWith('task-') || (origin !== 'operator' && origin !== 'orchestrator');
}

/** Folds one fact into the record. What follows from it is decided by `judge` and `advance`. */
export function foldSignal(draft: Draft, signal: Signal, origin: Source): void {
  const { hard, at } = draft;
  const { agentId } = hard;
  if (hard.end && signal.kind === 'tokens') return foldLateTokens(draft, signal);
  if (signal.kind === 'message-acknowledged' && hard.end) return foldAcknowledged(draft, signal.messageId);
  if (isActivity(signal, origin)) hearFrom(draft, 'activityAt');
  switch (signal.kind) {
    case 'heartbeat':
      return foldHeartbeat(draft, signal);
    case 'pong':
      if (signal.phase !== undefined) foldPhase(draft, signal.phase);
      return foldStatusOf(draft, signal.status, hearFrom(draft, 'pongAt'));
    case 'activity':
    case 'started':
      return;
    case 'status':
      return foldSelfStatus(draft, signal.status);
    case 'turn-begun':
      return beginTurn(draft);
    case 'turn-ended':
      return endTurn(draft);
    case 'call-begun':
      return foldCallBegun(draft, signal.callId, signal.tool);
    case 'call-ended':
      return foldCallEnded(draft, signal);
    case 'said':
      return foldWords(draft, signal.role, signal.text);
    case 'compaction':
      noteActivity(draft);
      followStep(draft, { ...NO_CALL, kind: 'compaction', text: null });
      return;
    case 'tokens':
      if (signal.models) foldModels(draft, signal.models, signal.costUsd);
      foldTokens(draft, signal.total, signal.costUsd || knownCostUsd(hard));
      if (signal.contextUse !== undefined)
        followContext(draft, { kind: 'use', share: signal.contextUse, at });
      return;
    case 'checkpoint':
      infer(draft, 'checkpoints');
      hard.checkpoint = { id: signal.checkpointId, hash: signal.hash, mark: markNow(draft) };
      noteChange(draft);
      noteActivity(draft);
      noteProgress(draft);
      followContext(draft, { kind: 'handoff' });
      return emit(draft, {
        type: 'CHECKPOINT_WRITTEN',
        payload: { agentId, checkpointId: signal.checkpointId },
      });
    case 'task-assigned':
      return assignTask(draft, signal, origin);
    case 'task-updated':
      return updateTask(draft, signal);
    case 'task-ended':
      return endTask(draft, signal.taskId, signal.outcome);
    case 'job-ended':
      return endJob(draft, signal);
    case 'verdict':
      noteActivity(draft);
      followVerdict(draft, signal.verdict);
      if (signal.verdict === 'ACCEPT') noteProgress(draft);
      return;
    case 'message-delivered':
      return foldDelivered(draft, signal.messageId, signal.priority);
    case 'message-acknowledged':
      return foldAcknowledged(draft, signal.messageId);
    case 'message-failed':
      return foldDeliveryFailed(draft, signal.code);
    case 'connection':
      if (signal.state === 'closed') hard.isConnectionClosed = true;
      else forget(hard, 'isConnectionClosed');
      return;
    case 'process':
      return foldProcess(draft, signal);
    case 'hold-begun':
      return beginHold(draft, signal.hold, {
        ...(signal.until !== undefined && { until: signal.until }),
        ...(isOwnWord(draft, signal.hold, origin) && { isOwnWord: true as const }),
        ...(isOnRecord(signal.hold, origin) && { isOnRecord: true as const }),
      });
    case 'hold-ended':
      forget(hard, 'isHoldLapsed');
      if (AUTHORITY[origin].holds === 'limited') return takeBackHold(draft, signal.hold);
      return endHold(draft, signal.hold);
    case 'error':
      return foldError(draft, signal.isUnrecoverable === true, signal.message);
    case 'blocker':
      explainTasks(draft);
      raisePoint(draft, {
        kind: 'blocker',
        severity: 'warn',
        source: 'agent-reports',
        since: at,
        evidence: `reports a blocker: ${signal.text}`,
        threshold: 'as the agent reports',
      });
      return emit(draft, { type: 'BLOCKER_REPORTED', payload: { agentId, text: signal.text } });
    case 'handoff-requested':
      explainTasks(draft);
      raisePoint(draft, {
        kind: 'blocker',
        severity: 'warn',
        source: 'agent-reports',
        since: at,
        evidence: `asks for a handoff: ${signal.reason}`,
        threshold: 'as the agent reports',
      });
      return emit(draft, {
        type: 'HANDOFF_REQUESTED',
        payload: { agentId, by: 'agent', reason: signal.reason },
      });
    case 'handoff-written':
      hard.handoffNoteId = signal.noteId;
      followContext(draft, { kind: 'handoff' });
      return emit(draft, { type: 'HANDOFF_WRITTEN', payload: { agentId, noteId: signal.noteId } });
    case 'stopped':
      return foldStopped(draft, signal.reason, origin);
    case 'exited':
      return foldExit(draft, signal.code, signal.signal);
    case 'finding':
      return raisePoint(draft, signal.finding);
    case 'finding-cleared':
      return clearPoint(draft, signal.findingKind);
    default:
      return assertNever(signal);
  }
}

/** Of an agent that has ended: they are booked, and are no sign of life. */
function foldLateTokens(draft: Draft, { total, costUsd, models }: Extract<Signal, { kind: 'tokens' }>): void {
  const { soft, hard } = draft;
  if (models) foldModels(draft, models, costUsd);
  draft.soft = {
    ...soft,
    tokens: Math.max(soft.tokens, total),
    costUsd: Math.max(soft.costUsd, costUsd || knownCostUsd(hard)),
  };
}

const NO_CALL = { tool: null, input: null, output: null, error: null } as const;

const stepKinds = { assistant: 'message', user: 'user', system: 'system' } as const;

function foldWords(draft: Draft, role: keyof typeof stepKinds, text: string): void {
  if (role === 'assistant') noteActivity(draft);
  followStep(draft, { ...NO_CALL, kind: stepKinds[role], text });
}

function foldError(draft: Draft, isUnrecoverable: boolean, message: string): void {
  countFailure(draft);
  if (!isUnrecoverable) return;
  raiseUnrecoverable(draft, `: ${message}`);
}

const isOnRecord = (hold: HoldKind, origin: Source): boolean =>
  hold === 'rate-limited' && AUTHORITY[origin].holds !== 'limited';

/** A limit of the model is read from what the agent's program prints and posts: it counts as the agent's word. */
function isOwnWord(draft: Draft, hold: HoldKind, origin: Source): boolean {
  const { holds } = AUTHORITY[origin];
  if (holds !== 'until-contradicted') return holds === 'limited';
  return hold === 'rate-limited' || isContradicted(draft);
}

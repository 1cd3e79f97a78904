import { hashText } from '../base/hash.ts';
import { type Instant, instant, seconds } from '../base/time.ts';
import type { Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { markNow } from '../record/draft.ts';
import { openTask } from '../record/tasks.ts';
import type { HeartbeatBody } from '../vocabulary/signal.ts';
import { noteProgress, noteReportedActivity } from './doing.ts';
import { countFailure, endFailureRow } from './failures.ts';
import { infer, isInferable } from './infer.ts';
import { foldStatusOf, hearFrom } from './life.ts';
import { clearPoint, raisePoint } from './point.ts';
import { nameTask } from './tasks.ts';
import { noteTotal } from './tokens.ts';
import { isTokenNews } from './trail.ts';

export function foldHeartbeat(draft: Draft, beat: HeartbeatBody): void {
  const { hard } = draft;
  const isAnswer = hearFrom(draft, 'beatAt');
  infer(draft, 'beats');
  foldTask(draft, beat.taskId);
  foldLastCall(draft, beat);
  if (beat.tokenCount !== undefined) foldTokenCount(draft, beat.tokenCount);
  const indicator = hashText(`${beat.phase ?? ''}\n${beat.progressIndicator ?? ''}`);
  if (indicator !== (hard.indicatorHash ?? NO_INDICATOR)) {
    hard.indicatorHash = indicator;
    if (beat.phase !== undefined) foldPhase(draft, beat.phase);
    if (isBestEvidence(hard)) noteProgress(draft);
  }
  foldErrorCount(draft, beat.errorCount);
  foldStatusOf(draft, beat.status, isAnswer);
}

/** A phase or progress indicator is easy to vary, so it counts as progress only if nothing better was promised. */
const isBestEvidence = ({ promises }: Hard): boolean =>
  !promises.calls && !promises.checkpoints && !promises.tasks;

const PHASE_LENGTH_MAX = 60;

/** What the agent says that it does, for people. */
export function foldPhase({ hard }: Draft, phase: string): void {
  hard.phase = phase.slice(0, PHASE_LENGTH_MAX);
}

/** The indicator of an agent that reports none, so that continuing to report none is not a change. */
export const NO_INDICATOR = hashText('\n');

/** Errors are running totals: a total that rose since the last beat is a failure, an unchanged one ends a row. */
function foldErrorCount(draft: Draft, errorCount: number | undefined): void {
  const { hard } = draft;
  if (errorCount === undefined) return;
  const isRisen = errorCount > (hard.errorCount ?? 0);
  hard.errorCount = errorCount;
  if (isRisen) countFailure(draft);
  else endFailureRow(draft);
}

/** Seed 000 §2: a beat names its task. The first one opens it; one that contradicts an assigned task is reported. */
function foldTask(draft: Draft, taskId: string | undefined): void {
  const { hard, at } = draft;
  if (!isForeign(hard, taskId)) return clearPoint(draft, 'foreign-task');
  const named = taskId ?? '';
  if (!hard.task || hard.task.isInferred || openTask(hard, named)) return nameTask(draft, named);
  raisePoint(draft, {
    kind: 'foreign-task',
    severity: 'warn',
    source: 'agent-reports',
    since: at,
    evidence: `its beats name the task ${taskId}, but its open task is ${hard.task.id}`,
    threshold: 'any beat that names another task',
  });
}

const isForeign = ({ task, endedTaskId }: Hard, taskId: string | undefined): boolean =>
  taskId !== undefined && taskId !== task?.id && (task !== undefined || taskId !== endedTaskId);

/** Most totals only replace the one before; the detectors see one every half minute. */
function foldTokenCount(draft: Draft, total: number): void {
  if (isTokenNews(draft.hard, total, draft.at)) noteTotal(draft, total);
  else if (total > draft.soft.tokens) draft.soft = { ...draft.soft, tokens: total };
}

/** Seed 000 §2: a beat tells when the last call was. One that does not move is silence of calls. */
function foldLastCall(draft: Draft, beat: HeartbeatBody): void {
  const { hard, at } = draft;
  if (beat.lastToolCall === undefined) return;
  infer(draft, 'lastCalls');
  if (!isMoved(hard, beat.lastToolCall)) return;
  hard.lastToolCall = beat.lastToolCall;
  const calledAt = lastCallAt(beat, at);
  if (!isLaterCall(hard, calledAt)) return;
  const { doing } = hard;
  noteReportedActivity(draft);
  const now = markNow(draft);
  // With a hold in between, it is not known how much of it came after the call.
  const isHeldSince = doing !== undefined && now.held.anyMs > doing.held.anyMs;
  hard.doing = isHeldSince ? now : { at: calledAt, held: now.held };
}

/**
 * The age of the call by the agent's own clock, where the beat says what that clock shows; its clock and Holter's
 * need not agree.
 */
function lastCallAt({ lastToolCall = 0, timestamp }: HeartbeatBody, at: Instant): Instant {
  const age = (timestamp ?? at) - lastToolCall;
  return instant(at - Math.max(0, age));
}

/** Less is the time that a beat takes to arrive. */
const CALL_IS_NEW = seconds(2);

/** By the agent's own clock, so that a change of its clock is no call. */
const isMoved = (hard: Hard, lastToolCall: number): boolean => lastToolCall > (hard.lastToolCall ?? -1);

/** A call from before the task, or from before there was work, says nothing about it. */
function isLaterCall({ doing, work, task, startedAt }: Hard, calledAt: Instant): boolean {
  const knownAt = doing?.at ?? Math.max(startedAt, work?.at ?? 0, task?.assignedAt ?? 0);
  return calledAt > knownAt + CALL_IS_NEW;
}

/** Whether this beat says more than "alive"; otherwise folding it in changes no hard fact. */
export function isNews(hard: Hard, beat: HeartbeatBody, at: Instant): boolean {
  if (isInferable(hard, 'beats') || isForeign(hard, beat.taskId)) return true;
  if (beat.tokenCount !== undefined && isTokenNews(hard, beat.tokenCount, at)) return true;
  if (beat.lastToolCall === undefined) return false;
  return isInferable(hard, 'lastCalls') || isMoved(hard, beat.lastToolCall);
}

import type { Instant } from '../base/time.ts';
import { between, later } from '../base/time.ts';
import type { End, Hard } from '../record/agent.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { askLoss, emit, lookAgainAt, markNow } from '../record/draft.ts';
import { allFindings } from '../record/findings.ts';
import { inOrdersWords } from '../record/incident.ts';
import {
  endedHow,
  isToReturn,
  isWatched,
  lastProofOf,
  livenessOf,
  lookEveryOf,
  pulseOf,
} from '../record/liveness.ts';
import { openTasks } from '../record/tasks.ts';
import { LOOKS_FRESH } from '../rule/process.ts';
import type { Source } from '../vocabulary/authority.ts';
import { AUTHORITY } from '../vocabulary/authority.ts';
import { EVIDENCE_LENGTH_MAX } from '../vocabulary/finding.ts';
import type { ProcessState, SelfStatus } from '../vocabulary/signal.ts';
import { clearPoint, raisePoint } from './point.ts';
import { noteTransientLoss } from './transient-losses.ts';

/** The agent itself was heard, so findings about its silence are over. Returns whether it answered an inquiry. */
export function hearFrom(draft: Draft, how: 'beatAt' | 'pongAt' | 'activityAt'): boolean {
  const { hard, at } = draft;
  const silentSince = lastProofOf(draft);
  draft.soft = { ...draft.soft, [how]: at };
  clearPoint(draft, 'delivery-failed');
  forget(hard, 'isConnectionClosed');
  if (hard.unknownSince !== undefined) becomeAlive(draft, silentSince, 'heard again');
  if (!hard.inquiry) return false;
  // Seed 001 §1.7: an agent that answers is busy; its next silence may last one deadline longer.
  forget(hard, 'inquiry');
  hard.isBusy = true;
  return true;
}

function becomeAlive(draft: Draft, silentSince: Instant, cause: string): void {
  const { hard, at } = draft;
  forget(hard, 'unknownSince');
  hard.aliveSince = at;
  noteTransientLoss(draft);
  emit(draft, {
    type: 'LIVENESS_CHANGED',
    payload: { agentId: hard.agentId, from: 'unknown', to: 'alive', cause },
  });
  emit(draft, {
    type: 'AGENT_RETURNED',
    payload: { agentId: hard.agentId, downtimeMs: between(silentSince, at) },
  });
}

/** A beat without a status means "healthy", unless it is the answer that made the agent busy. */
export function foldStatusOf(draft: Draft, status: SelfStatus | undefined, isAnswer: boolean): void {
  if (status !== undefined) foldSelfStatus(draft, status);
  else if (!isAnswer) foldSelfStatus(draft, 'healthy');
}

export function foldSelfStatus(draft: Draft, status: SelfStatus): void {
  const { hard, at } = draft;
  if (status === 'busy') hard.isBusy = true;
  else forget(hard, 'isBusy');
  if (status === 'degraded') {
    raisePoint(draft, {
      kind: 'self-reported',
      severity: 'warn',
      source: 'agent-reports',
      since: at,
      evidence: 'the agent says of itself that it is degraded',
      threshold: 'as the agent reports',
    });
  } else if (status === 'healthy') {
    clearPoint(draft, 'self-reported');
  }
}

type ProcessLook = {
  readonly state: ProcessState;
  readonly cpuMs: number;
  readonly ioBytes: number;
  readonly childrenAtWork: number;
  readonly memoryBytes: number;
  readonly isPlaceGone?: boolean;
};

/** Below this share of one core, CPU use is housekeeping, not work. */
const CPU_SHARE_FLAT = 0.01;

/** A probe of the process tree by the executor. Counters are compared with those of the previous probe. */
export function foldProcess(draft: Draft, look: ProcessLook): void {
  const { hard, soft, at } = draft;
  if (look.state === 'gone') {
    const isCut = hard.holds.some(({ kind }) => kind === 'in-tool');
    const detail = `the process is gone${isCut ? ', in the middle of a call' : ''}`;
    // Many are lost together then, and none of them can be brought back: that is told once, by the brake.
    if (look.isPlaceGone) hard.can = hard.can.filter((capability) => capability !== 'spawn');
    becomeGone(draft, { how: 'crash', at, detail });
    return;
  }
  if (pulseOf(hard) === 'looks' && hard.unknownSince !== undefined) {
    // The agent promised only a process, and it was seen, so the agent is alive.
    becomeAlive(draft, lastProofOf(draft), 'its process was seen again');
    forget(hard, 'inquiry');
  }
  const elapsed = between(soft.probedAt, at);
  const isFlat =
    soft.probedAt > 0 &&
    look.childrenAtWork === 0 &&
    look.ioBytes <= soft.ioBytes &&
    look.cpuMs - soft.cpuMs <= elapsed * CPU_SHARE_FLAT;
  const state = look.state === 'running' ? (isFlat ? 'flat' : 'working') : look.state;
  // A gap between probes is a gap in the evidence: the network failure that kept the executor from reporting may
  // also have swallowed the agent's beats. Evidence starts again with this probe.
  const isSteady = elapsed <= LOOKS_FRESH * lookEveryOf(draft.policy);
  // Flat since the previous probe: the counters have not moved from that moment on.
  const flatSince =
    hard.process?.state === state ? hard.process.since : state === 'flat' ? soft.probedAt : at;
  const since = isSteady ? flatSince : at;
  hard.process = { state, since, memoryBytes: look.memoryBytes };
  draft.soft = { ...soft, probedAt: at, cpuMs: look.cpuMs, ioBytes: look.ioBytes };
}

/** Where its process is seen, the word ends nothing: it only says how to read the end that will be seen. */
export function foldStopped(draft: Draft, reason: string, origin: Source): void {
  const { hard, at } = draft;
  const { ends } = AUTHORITY[origin];
  if (ends === 'always') return becomeGone(draft, { how: 'stopped', at, detail: reason });
  if (ends === 'unless-watched' && !isWatched(hard))
    return becomeGone(draft, { how: 'stopped', at, detail: reason, isOwnWord: true });
  if (hard.stopAnnounced === undefined)
    emit(draft, { type: 'STOP_ANNOUNCED', payload: { agentId: hard.agentId, reason } });
  hard.stopAnnounced = reason.slice(0, EVIDENCE_LENGTH_MAX);
}

/**
 * A session announced its stop, and who saw its process is no longer there to see it end: the word counts after the
 * silence of an agent that does nothing.
 */
export function endAnnounced(draft: Draft): void {
  const { hard, at, policy } = draft;
  const { stopAnnounced: detail, reporter, holds, end } = hard;
  if (detail === undefined || !reporter || end || isWatched(hard)) return;
  // It acts from within a call.
  if (holds.some(({ kind }) => kind === 'in-tool')) return;
  const dueAt = later(lastProofOf(draft), policy.silence.actMs);
  if (dueAt <= at) becomeGone(draft, { how: 'stopped', at, detail, isOwnWord: true });
  else lookAgainAt(draft, dueAt);
}

export function foldExit(draft: Draft, code: number | null, signal: string | undefined): void {
  const { at } = draft;
  const exit = { at, ...(code !== null && { exitCode: code }), ...(signal !== undefined && { signal }) };
  if (code === 0) becomeGone(draft, { ...exit, how: 'exit-0', detail: 'exit code 0' });
  else
    becomeGone(draft, {
      ...exit,
      how: 'crash',
      detail: signal ? `killed by ${signal}` : `exit code ${code ?? 'unknown'}`,
    });
}

/** The findings still hold at this moment; the rules drop them when they see the end. */
function whyStopped(hard: Hard): string {
  const { order, cause } = hard.incident ?? { cause: 'operator' };
  if (order && order.source !== 'policy') return inOrdersWords(order);
  return allFindings(hard).find(({ kind }) => kind === cause)?.evidence ?? cause;
}

/** The end is proven. Holds, inquiries and the turn end with it; letters wait for a successor. */
export function becomeGone(draft: Draft, end: End): void {
  const { hard, at } = draft;
  const from = livenessOf(hard);
  const isOurs = hard.incident?.step === 'terminate' && hard.incident.phase === 'acting';
  const isAnnounced = end.how === 'crash' && hard.stopAnnounced !== undefined;
  const told = isAnnounced ? `${hard.stopAnnounced} (${end.detail})` : end.detail;
  const proven: End = {
    ...end,
    how: isAnnounced ? 'stopped' : end.how,
    detail: told.slice(0, EVIDENCE_LENGTH_MAX),
    ...(isOurs && { byHolter: true as const, because: whyStopped(hard) }),
  };
  hard.end = proven;
  const limitedUntil = hard.holds.find(({ isOnRecord }) => isOnRecord)?.until;
  // A program that reaches its limit ends by itself. One that is killed meanwhile is lost like any other.
  const isLimited = proven.how === 'crash' && limitedUntil !== undefined && proven.signal === undefined;
  if (isLimited) hard.limitedUntil = limitedUntil;
  hard.heldBefore = markNow(draft).held;
  hard.holds = [];
  forget(hard, 'ownHolds');
  forget(hard, 'stopAnnounced');
  forget(hard, 'unknownSince');
  forget(hard, 'inquiry');
  forget(hard, 'isBusy');
  forget(hard, 'turnSince');
  forget(hard, 'process');
  emit(draft, {
    type: 'AGENT_ENDED',
    payload: { agentId: hard.agentId, how: proven.how, detail: proven.detail },
  });
  emit(draft, {
    type: 'LIVENESS_CHANGED',
    payload: {
      agentId: hard.agentId,
      from,
      to: 'gone',
      cause: proven.how === 'crash' ? 'process-crash' : 'stopped',
    },
  });
  // A program that fails by itself, and that nothing starts again, is not lost: its exit code is its answer.
  const isAnswer = proven.exitCode !== undefined && !isToReturn(hard);
  // Those that end at a usage limit end together, and are not lost either.
  if (proven.how === 'crash' && !isOurs && !isLimited && !isAnswer)
    askLoss(draft, { signAt: at, hasKept: true });
  const open = openTasks(hard).filter(({ isInferred }) => !isInferred).length;
  if (open === 0 || isOurs || isToReturn(hard)) return;
  const how = proven.how === 'crash' ? `ended (${proven.detail})` : endedHow(proven);
  const message = `it ${how} with ${open === 1 ? 'its task' : `${open} tasks`} still open`;
  emit(draft, { type: 'ATTENTION_RAISED', payload: { agentId: hard.agentId, about: 'open-task', message } });
}

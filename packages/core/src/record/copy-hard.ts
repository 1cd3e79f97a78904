import type { Instant } from '../base/time.ts';
import type { Hard } from './agent.ts';

type OptionalKeys<T> = {
  [Key in keyof T]-?: Record<never, never> extends Pick<T, Key> ? Key : never;
}[keyof T];
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Copies an agent's hard facts for one step. Written out field by field: spreading records whose optional fields
 * differ gives them different hidden classes in V8 and costs several times as much. An absent field is `undefined`
 * here, which JSON omits again.
 */
export function copyHard(hard: Hard, at: Instant): Mutable<Hard> {
  const copy = {
    agentId: hard.agentId,
    incarnation: hard.incarnation,
    instanceHash: hard.instanceHash,
    role: hard.role,
    group: hard.group,
    mode: hard.mode,
    promises: hard.promises,
    inferred: hard.inferred,
    can: hard.can,
    executor: hard.executor,
    patience: hard.patience,
    reporter: hard.reporter,
    enrolledBy: hard.enrolledBy,
    startedAt: hard.startedAt,
    registeredAt: hard.registeredAt,
    host: hard.host,
    at,
    wakeAt: hard.wakeAt,
    health: hard.health,
    healthSince: hard.healthSince,
    settlingSince: hard.settlingSince,
    end: hard.end,
    stopAnnounced: hard.stopAnnounced,
    isConnectionClosed: hard.isConnectionClosed,
    aliveSince: hard.aliveSince,
    limitedUntil: hard.limitedUntil,
    hasKept: hard.hasKept,
    unknownSince: hard.unknownSince,
    transientLosses: hard.transientLosses,
    isBusy: hard.isBusy,
    inquiry: hard.inquiry,
    holds: hard.holds,
    ownHolds: hard.ownHolds,
    isHoldLapsed: hard.isHoldLapsed,
    heldBefore: hard.heldBefore,
    task: hard.task,
    otherTasks: hard.otherTasks,
    endedTasks: hard.endedTasks,
    endedTaskId: hard.endedTaskId,
    turnSince: hard.turnSince,
    job: hard.job,
    acks: hard.acks,
    process: hard.process,
    work: hard.work,
    doing: hard.doing,
    progress: hard.progress,
    checkpoint: hard.checkpoint,
    phase: hard.phase,
    indicatorHash: hard.indicatorHash,
    errorCount: hard.errorCount,
    lastToolCall: hard.lastToolCall,
    handoffNoteId: hard.handoffNoteId,
    outcomes: hard.outcomes,
    failuresInRow: hard.failuresInRow,
    trail: hard.trail,
    spent: hard.spent,
    breakers: hard.breakers,
    points: hard.points,
    derived: hard.derived,
    incident: hard.incident,
    incidentCount: hard.incidentCount,
    past: hard.past,
    quiet: hard.quiet,
    quietFindings: hard.quietFindings,
    tickets: hard.tickets,
    givenUp: hard.givenUp,
    recovery: hard.recovery,
    probation: hard.probation,
    spawnKey: hard.spawnKey,
    seen: hard.seen,
    highWater: hard.highWater,
    // The compiler checks that a field added to the record also appears here.
  } satisfies Record<keyof Hard, unknown>;
  return copy as Mutable<Hard>;
}

/**
 * Clears an optional fact. Never with `delete`: that would change the record's hidden class and slow down every
 * later read.
 */
export function forget(hard: Mutable<Hard>, key: OptionalKeys<Hard>): void {
  (hard as Record<OptionalKeys<Hard>, unknown>)[key] = undefined;
}

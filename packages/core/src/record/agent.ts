import type { DurationMs, Instant } from '../base/time.ts';
import type { Breaker } from '../breaker/breaker.ts';
import type { Capability } from '../vocabulary/effect.ts';
import type { Finding, FindingKind } from '../vocabulary/finding.ts';
import type { HealthState } from '../vocabulary/health-state.ts';
import type { HeldTime, Hold, HoldRow, Mark } from '../vocabulary/hold.ts';
import type { JobOutcome, MessagePriority } from '../vocabulary/signal.ts';
import type { TicketNote } from '../vocabulary/ticket.ts';
import type { Incident, PastIncident } from './incident.ts';
import type { Spent, Sum } from './spent.ts';
import type { Trail } from './trail.ts';

/**
 * Everything that Holter knows about one agent: plain JSON, bounded in size. `soft` facts change with every signal,
 * are merged by maximum, and up to a second of them may be lost in a crash. `hard` facts are committed before they
 * count. A heartbeat copies only `soft`, which makes it cheap.
 */
export type Agent = { readonly soft: Soft; readonly hard: Hard };

/** Zero means never. */
export type Soft = {
  readonly beatAt: Instant;
  readonly pongAt: Instant;
  /** Any other sign from the agent itself; it counts as a beat. */
  readonly activityAt: Instant;
  readonly tokens: number;
  readonly costUsd: number;
  /** The last probe of the process tree by the operating system, with its counters. */
  readonly probedAt: Instant;
  readonly cpuMs: number;
  readonly ioBytes: number;
};

/** What the agent may be judged by, and nothing else. Set by its adapter, profile or registration. */
export type Promises = {
  /** Beats at least this often. */
  readonly beatEveryMs?: DurationMs;
  readonly pongs?: true;
  /** Reports tool calls. The value is how long its model call may hang before the agent itself gives up. */
  readonly calls?: { readonly modelTimeoutMs: DurationMs };
  readonly turns?: true;
  readonly tasks?: true;
  readonly checkpoints?: true;
  readonly verdicts?: true;
  /** Runs on a schedule: a run ends at least this often, and within the grace time after its start. */
  readonly job?: { readonly everyMs: DurationMs; readonly graceMs: DurationMs };
  /** Its process can be seen by an executor. */
  readonly process?: true;
};

/**
 * Promises that the agent did not make but has shown, each since the first sign of its kind. One by itself only
 * warns, and any sign of life keeps it. See decision 012.
 */
export type Inferred = {
  readonly beats?: Instant;
  readonly calls?: Instant;
  /** Its beats tell when its last call was, so a beat by itself is no sign of calls. */
  readonly lastCalls?: Instant;
  readonly turns?: Instant;
  readonly tasks?: Instant;
  readonly checkpoints?: Instant;
};

/**
 * What the working directory of a run asked for: longer limits, by the path of the setting. Whoever makes the
 * agent's policy keeps it within bounds.
 */
export type Patience = { readonly file: string; readonly settings: Readonly<Record<string, number>> };

export type Mode = 'observe' | 'nudge' | 'act';

/** A proven end of a process. Only `crash` is a failure. */
export type End = {
  readonly how: 'exit-0' | 'stopped' | 'crash';
  readonly at: Instant;
  readonly detail: string;
  /** How the process exited, where that was seen: one of the two. */
  readonly exitCode?: number;
  readonly signal?: string;
  /** Said by the agent or its program, and seen by nobody. */
  readonly isOwnWord?: true;
  /** Ended by a termination that an incident ordered. */
  readonly byHolter?: true;
  /** Why Holter stopped it; `detail` only says how its process ended. */
  readonly because?: string;
};

/** One of several that an agent may have; `Hard.task` is the one that it works on. */
export type Task = {
  readonly id: string;
  /** What is to be done, in the words of whoever assigned it. */
  readonly description?: string;
  readonly assignedAt: Instant;
  readonly expectedAt?: Instant;
  /** Last update from the agent about this task, or else its assignment. */
  readonly updated: Mark;
  readonly percent?: number;
  /** When the first call, turn or update showed that work on it began; absent until then. */
  readonly begunAt?: Instant;
  /** When the agent was asked about the delay; cleared by the next report about the task. */
  readonly inquiredAt?: Instant;
  /** Known only because its beats name it. */
  readonly isInferred?: true;
  /** Named by the agent itself or by its start, and by nobody who keeps its tasks. */
  readonly isOwn?: true;
  /** What it has cost, while it is not the current one. */
  readonly spent?: Sum;
};

export type TaskOutcome = 'done' | 'failed' | 'cancelled';

export type EndedTask = Pick<Task, 'id' | 'description' | 'assignedAt' | 'expectedAt' | 'percent'> & {
  readonly updatedAt: Instant;
  readonly outcome: TaskOutcome;
  readonly endedAt: Instant;
};

/** How the last run of a scheduled job ended. */
type JobEnd = {
  readonly endedAt: Instant;
  readonly outcome: JobOutcome;
  readonly code?: number;
  /** Absent if its start was not told. */
  readonly durationMs?: DurationMs;
};

export type ProcessView = {
  readonly state: 'working' | 'flat' | 'stopped' | 'uninterruptible';
  readonly since: Instant;
  readonly memoryBytes: number;
};

/** A question to a silent agent; any sign of life is the answer. */
type Inquiry = { readonly askedAt: Instant };

/** A letter in the agent's box that waits for its acknowledgement. */
export type PendingAck = {
  readonly idHash: number;
  /** Absent in records that were written before reminders named the letter. */
  readonly id?: string;
  readonly priority: MessagePriority;
  readonly delivered: Mark;
  /** Its time is over, and what follows from that has been done. */
  readonly isOverdue?: true;
};

export type Quiet = { readonly until: Instant; readonly by: string; readonly reason: string };

/** One kind of finding that was snoozed or dismissed: it is still recorded, but causes no action. */
export type QuietFinding = Quiet & { readonly kind: FindingKind };

/** Recoveries so far. Counted when decided, so that a crash of Holter can't lose one. */
export type Recovery = {
  readonly taskId: string | null;
  readonly attempts: number;
  /** Decisions of the last hour, oldest first; at most as many as the hourly limit. */
  readonly startedAt: readonly Instant[];
  /** The permit of the `recovery_attempt` breaker that the newest attempt uses. */
  readonly permit?: { readonly generation: number; readonly permitId: number };
};

/**
 * Who reports by hooks for an agent that did not register itself: its session, or the agent that made it. Hooks of
 * another reporter never speak for it. Empty in records of version 2, until the next hook of the same instance.
 */
export type Reporter = {
  /** The whole id of the session. */
  readonly session?: string;
  /** The user whose hook token the session uses; absent for sessions that report with a token of another role. */
  readonly user?: string;
  /** The agent whose subagent it is. */
  readonly parent?: string;
};

export type Probation = { readonly until: Instant; readonly incidentId: string };

export type Hard = {
  readonly agentId: string;
  /** 0 for an agent that was never registered (a curl ping, an imported log). */
  readonly incarnation: number;
  readonly instanceHash: number;
  readonly role: string;
  readonly group: string;
  readonly mode: Mode;
  readonly promises: Promises;
  /** Absent in records of version 3: nothing is inferred for an incarnation that began before. */
  readonly inferred?: Inferred;
  can: readonly Capability[];
  readonly executor: string | null;
  readonly reporter?: Reporter;
  /** Whose quota of agents it counts against. */
  readonly enrolledBy?: string;
  readonly patience?: Patience;
  /** Start of this incarnation. */
  readonly startedAt: Instant;
  /** Start of the first incarnation; absent while there is only one. */
  readonly registeredAt?: Instant;
  /** The machine that it runs on, as it was registered. */
  readonly host?: string;
  /** The newest `at` that was folded in; the time of an earlier input is raised to it. */
  readonly at: Instant;
  readonly wakeAt: Instant;

  readonly health: HealthState;
  readonly healthSince: Instant;
  /** Since when the findings allow a better state; set until that state has lasted long enough. */
  readonly settlingSince?: Instant;

  readonly end?: End;
  /** The agent announced its stop while its process was seen; forgotten when it does something again. */
  readonly stopAnnounced?: string;
  readonly isConnectionClosed?: true;
  /** Since when it has been alive without a gap; absent in records of version 2, where any sign of life will do. */
  readonly aliveSince?: Instant;
  /** It ended because of a usage limit of its model, which resets then. */
  readonly limitedUntil?: Instant;
  /** It has kept its promises for a while, in this or an earlier incarnation; see `hasKeptPromises`. */
  readonly hasKept?: true;
  /** Since when it is unknown whether the agent is alive. */
  readonly unknownSince?: Instant;
  /** When it was heard again after a silence that was no failure yet, in the last hour; oldest first. */
  readonly transientLosses?: readonly Instant[];
  /** The agent reported `busy`, or answered an inquiry: the next silence may last one deadline longer. */
  readonly isBusy?: true;
  readonly inquiry?: Inquiry;

  readonly holds: readonly Hold[];
  /** The holds that the agent declared itself, one soon after the other: they have one age. */
  readonly ownHolds?: HoldRow;
  /** Its last hold ended only because Holter's clock said so, and no sign of work has followed yet. */
  readonly isHoldLapsed?: true;
  readonly heldBefore: HeldTime;
  /** The one that was last assigned, updated or named by a beat. */
  readonly task?: Task;
  /** Its other open tasks, the one that it worked on last at the end. */
  readonly otherTasks?: readonly Task[];
  /** Those that ended last, the newest at the end. */
  readonly endedTasks?: readonly EndedTask[];
  /** The task that ended last: a beat that still names it does not open it again. */
  readonly endedTaskId?: string;
  readonly turnSince?: Instant;
  readonly job?: JobEnd;
  readonly acks?: readonly PendingAck[];
  readonly process?: ProcessView;

  /** When it last went from having no work to having some; absent while it has none. */
  readonly work?: Mark;
  /** Last sign of activity (a call, a turn, text, tokens). Beats do not count. */
  readonly doing?: Mark;
  /** Last evidence of progress. */
  readonly progress?: Mark;
  /** Head of the checkpoint chain, and since when its age counts. */
  readonly checkpoint?: { readonly id: string; readonly hash: string; readonly mark: Mark };
  readonly phase?: string;
  readonly indicatorHash?: number;
  readonly errorCount?: number;
  /** As its newest beat told it, by the agent's own clock. */
  readonly lastToolCall?: number;
  readonly handoffNoteId?: string;

  /** Outcomes of the newest calls as a string of `.` and `x`, oldest first. */
  readonly outcomes?: string;
  readonly failuresInRow?: number;
  /** What the detectors remember. It has its own size limit, beside that of the record. */
  readonly trail?: Trail;

  /** What is on the books; absent until tokens are reported. */
  readonly spent?: Spent;

  /** By name; created on first use. */
  readonly breakers?: Readonly<Record<string, Breaker>>;

  /** Findings that stay until contrary evidence or a decision. */
  readonly points: readonly Finding[];
  /** Findings derived from time and facts; computed again at every judgement. */
  readonly derived: readonly Finding[];

  readonly incident?: Incident;
  readonly incidentCount: number;
  readonly past?: PastIncident;
  readonly quiet?: Quiet;
  /** One for each kind; expired ones are removed by the next input. */
  readonly quietFindings?: readonly QuietFinding[];
  /** The newest tickets about this incarnation, oldest first. */
  readonly tickets?: readonly TicketNote[];
  /** Starts that a person gave up without proof of their end, the newest at the end: one may come back. */
  readonly givenUp?: readonly number[];
  readonly recovery?: Recovery;
  readonly probation?: Probation;
  /**
   * A secret that only the executor which claimed the newest start is given. Kept until the agent starts again or
   * another start is claimed, so that a successor that is late may still come.
   */
  readonly spawnKey?: string;

  /** Hashed ids of the newest signals, oldest first. */
  readonly seen: readonly number[];
  /** High-water mark of each ordered source. */
  readonly highWater?: Readonly<Record<string, number>>;
};

import { type Agent, type HoldKind, hasSeen, instant } from '@holter/core';
import {
  type Adapter,
  meterStartOf,
  type SessionFile,
  TRANSCRIPT_CHANNEL,
  TranscriptTail,
} from '../adapters/index.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { FileFaults, ownerOf, statAgentFile } from '../files/index.ts';
import { isAlive, type ProcessIdentity, type ProcessTable, ProcessTree } from '../processes/index.ts';
import type { Session } from './session.ts';
import { type EndContext, maybeEnd } from './session-end.ts';
import { SessionProcesses } from './session-processes.ts';

/** Called when files become unusable or usable again; `session` is null for files of no known session. */
export type FileFaultsTold = (faults: readonly string[], session: Session | null) => void;

type WatchContext = EndContext & {
  readonly adapter: Pick<Adapter, 'transcript' | 'session'>;
  readonly engine: Pick<Engine, 'peek' | 'read'>;
  readonly clock: Clock;
  /** Determines where the agent keeps its files; transcripts elsewhere are not read. */
  readonly env: NodeJS.ProcessEnv;
  /** Null where processes can't be inspected; the owner of a session file can't be verified then. */
  readonly table: ProcessTable | null;
  readonly fileFaults: FileFaultsTold;
  /** A running session that an earlier server heard of; null if there is none, or it has ended. */
  readonly sessionOf: (sessionId: string) => Promise<Session | null>;
};

/** A transcript, and its size when the session first reported: earlier content belongs to another incarnation. */
type Place = { readonly file: string; readonly endAtFirst: number };

type Watched = {
  readonly session: Session;
  place: Promise<Place | null>;
  readonly faults: FileFaults;
  readonly beganAt: number;
  tail: TranscriptTail | null;
  heardAt: number;
  isLooking: boolean;
  isLookPlanned: boolean;
  seen: SessionFile | null;
  tree: ProcessTree | null;
  /** Since when the transcript or the status has been ahead of the hooks; null while neither is. */
  unreportedAt: number | null;
  /** The newest call or prompt of the transcript, by the signal that its hook sends. */
  begun: Begun | null;
  /** When the status last changed. */
  changedAt: number;
  isSilent: boolean;
};

type Begun = readonly [kind: 'call-begun' | 'said', id: string];

const LOOK_EVERY_MS = 2_000;
/** The transcript line is written together with its hook; this leaves time for the write to arrive. */
const LOOK_AFTER_HOOK_MS = 150;
/** After this long without a hook, the end of a turn is taken from other sources. */
const QUIET_MS = 10_000;
/** A hook that should have come and is this late does not come. */
const SILENT_MS = 10_000;
/** Sessions whose files are read; the one that was added first makes room, and its next hook adds it again. */
const WATCHED_MAX = 5_000;
/** So long after its end a session's transcript is still read. */
const LAST_LINES_MS = 3_000;
/** A session that has been silent for this long is assumed to have ended. */
const FORGET_MS = 24 * 3_600_000;

/**
 * Reads what hooks do not report: the transcript, and the status file of a running session. Both are read after
 * each hook and every two seconds. If the transcript goes on and no hook comes, hooks are silent: that is reported,
 * and calls are read from the transcript until a hook comes again.
 */
export class SessionWatch {
  private readonly context: WatchContext;
  private readonly watched = new Map<Session, Watched>();
  private readonly timers = new Set<() => void>();
  private readonly processes: SessionProcesses;
  private isTicking = false;
  private readonly beganAt: number;
  /** Running sessions that were looked for among the agents once. */
  private readonly lookedFor = new Set<string>();

  constructor(context: WatchContext) {
    this.context = context;
    this.beganAt = context.clock.now();
    this.processes = new SessionProcesses({
      ...context,
      faulty: (faults) => context.fileFaults(faults, null),
    });
  }

  /** Takes up sessions that an earlier server heard of: their hooks may never come here. */
  async start(): Promise<void> {
    await this.lookAtSessionFiles();
    // At least once more: a session file that was being written at the first look could not be read.
    this.tick(true);
  }

  heard(session: Session): void {
    // Subagents have transcripts of their own, and their calls are reported by hooks.
    if (session.source.subagentId !== null) return;
    const watched = this.watched.get(session) ?? this.add(session);
    watched.heardAt = this.context.clock.now();
    watched.unreportedAt = null;
    watched.isSilent = false;
    const agent = session.agentId === null ? null : this.context.engine.peek(session.agentId);
    if (agent?.hard.points?.some(({ kind }) => kind === 'hooks-silent'))
      this.context.sensed(session, { kind: 'finding-cleared', findingKind: 'hooks-silent' });
    this.lookSoon(watched);
    this.tick();
  }

  /** Watches a session that is known in another way than by a hook; its first hook takes over. */
  follow(session: Session): void {
    const { sessionId, agentId, incarnation } = session;
    for (const known of this.watched.keys())
      if (known.sessionId === sessionId && known.agentId === agentId && known.incarnation === incarnation)
        return;
    this.add(session).heardAt = this.context.clock.now();
    this.tick();
  }

  /** The process of a session that runs here, as of the last look; if there is none, the next look is soon. */
  processOf(sessionId: string): ProcessIdentity | null {
    const file = this.processes.find(sessionId);
    if (!file) this.tick(true);
    return file?.process ?? null;
  }

  private add(session: Session): Watched {
    const before = [...this.watched.values()].find((other) => other.session.sessionId === session.sessionId);
    const watched: Watched = {
      session,
      place: before ? before.place.then((place) => place ?? this.placeOf(session)) : this.placeOf(session),
      faults: new FileFaults((faults) => this.context.fileFaults(faults, session)),
      beganAt: this.context.clock.now(),
      tail: null,
      heardAt: 0,
      isLooking: false,
      isLookPlanned: false,
      seen: before?.seen ?? null,
      tree: before?.tree ?? null,
      unreportedAt: null,
      begun: null,
      changedAt: 0,
      isSilent: false,
    };
    session.isProcessSeen = watched.seen !== null;
    this.makeRoomFor(session);
    if (before) this.watched.delete(before.session);
    this.watched.set(session, watched);
    return watched;
  }

  /** An agent has one session at a time; hooks of its own token may name any number. */
  private makeRoomFor({ isOwn, agentId }: Session): void {
    const [oldest] = this.watched.keys();
    if (this.watched.size >= WATCHED_MAX && oldest) this.watched.delete(oldest);
    if (!isOwn) return;
    for (const other of this.watched.keys()) if (other.agentId === agentId) this.watched.delete(other);
  }

  private async placeOf({ source }: Session): Promise<Place | null> {
    const { adapter, env } = this.context;
    const { sessionId, transcriptPath } = source;
    const file =
      transcriptPath === null
        ? await adapter.transcript?.fileOfSession?.(env, sessionId)
        : await adapter.transcript?.fileNamedByHook?.(env, sessionId, transcriptPath);
    if (!file) return null;
    const size = await statAgentFile(file, { isOwner: ownerOf(), bytesMax: Number.POSITIVE_INFINITY });
    return { file, endAtFirst: size.kind === 'ok' ? size.value.size : 0 };
  }

  /** The transcript of a session that was just started appears with its first line, and is all its own. */
  private findPlaceAgain(watched: Watched): void {
    const { session } = watched;
    if (session.source.transcriptPath !== null) return;
    watched.place = this.placeOf(session).then((place) => place && { ...place, endAtFirst: 0 });
  }

  /** The hooks of one call arrive within milliseconds of each other, so one delayed read covers them all. */
  private lookSoon(watched: Watched): void {
    if (watched.isLookPlanned) return;
    watched.isLookPlanned = true;
    this.later(LOOK_AFTER_HOOK_MS, () => {
      watched.isLookPlanned = false;
      return this.look(watched);
    });
  }

  close(): void {
    for (const cancel of this.timers) cancel();
    this.watched.clear();
  }

  private tick(isAsked = false): void {
    if (this.isTicking || (this.watched.size === 0 && !isAsked)) return;
    this.isTicking = true;
    this.later(LOOK_EVERY_MS, async () => {
      try {
        await this.lookAtSessionFiles();
        await Promise.all([...this.watched.values()].map((watched) => this.look(watched)));
      } finally {
        this.isTicking = false;
        this.tick();
      }
    });
  }

  private async look(watched: Watched): Promise<void> {
    const { adapter, engine, clock, table } = this.context;
    const { session } = watched;
    const agent = session.agentId === null ? null : await engine.read(session.agentId);
    const isOver = agent !== null && (agent.hard.end !== undefined || !session.speaksFor(agent));
    // One that said that it ends is followed until its process is gone: its tools may outlive it.
    const isLeaving = agent?.hard.end !== undefined && watched.seen !== null;
    const hasEnded = isOver && session.speaksFor(agent);
    const silentMs = clock.now() - watched.heardAt;
    // The last lines may be written after the last hook.
    const isForgotten = hasEnded ? !isLeaving && silentMs > LAST_LINES_MS : isOver;
    if (isForgotten || silentMs > FORGET_MS) this.watched.delete(session);
    // The position of the last read is known only from the committed registration.
    if ((isOver && !hasEnded) || !adapter.transcript || !agent || watched.isLooking) return;
    const place = await watched.place;
    if (place === null) {
      this.findPlaceAgain(watched);
      if (!hasEnded) this.compareStatus(watched, agent);
      return;
    }
    if (watched.isLooking) return;
    watched.tail ??= new TranscriptTail(session, {
      file: place.file,
      reader: adapter.transcript.open(session.sessionId),
      start: {
        ...this.startOf(agent, place),
        ...meterStartOf(agent),
      },
      hooks: () =>
        watched.isSilent ? 'none' : clock.now() - watched.heardAt > QUIET_MS ? 'quiet' : 'coming',
      unreported: (at) => {
        // What ended before could not be reported to this server.
        if (Date.parse(at ?? '') >= watched.beganAt) watched.unreportedAt ??= clock.now();
      },
      begun: (...begun) => {
        watched.begun = begun;
      },
      user: () => (watched.seen && table ? table.userOf(watched.seen.process.pid) : null),
      noted: (answer) => watched.faults.note('its transcript', answer),
    });
    watched.isLooking = true;
    await watched.tail.look(hasEnded).finally(() => {
      watched.isLooking = false;
    });
    if (hasEnded) return;
    this.noteOthers(watched, agent);
    this.maybeTellSilent(
      watched,
      "but its transcript goes on; Holter reads the transcript, and can't nudge it",
    );
  }

  /**
   * Hooks may arrive at another server. What only they report is in the record then: the newest of it, because what was
   * reported to a server before this one says nothing about now.
   */
  private noteOthers(watched: Watched, { hard }: Agent): void {
    const newest = watched.begun;
    if (watched.isSilent || !newest || !hasSeen(hard, ...newest)) return;
    watched.begun = null;
    watched.heardAt = this.context.clock.now();
    watched.unreportedAt = null;
  }

  /** Without a transcript, the status shows that a turn began or ended, which a hook should have reported. */
  private compareStatus(watched: Watched, { hard }: Agent): void {
    const doneAt = hard.doing?.at ?? 0;
    if (doneAt > watched.heardAt) {
      watched.heardAt = doneAt;
      watched.unreportedAt = null;
    }
    if (watched.changedAt > watched.heardAt + SILENT_MS) watched.unreportedAt ??= watched.changedAt;
    this.maybeTellSilent(
      watched,
      'and it has no transcript that Holter can read; only its process is watched',
    );
  }

  /** Where the last read ended. An earlier server may have ended before its first: then the times tell. */
  private startOf({ hard }: Agent, { endAtFirst }: Place): { position: number; since?: number } {
    const mark = hard.highWater?.[TRANSCRIPT_CHANNEL];
    if (mark !== undefined) return { position: Math.max(0, mark - 1) };
    return hard.startedAt < this.beganAt ? { position: 0, since: hard.startedAt } : { position: endAtFirst };
  }

  private maybeTellSilent(watched: Watched, consequence: string): void {
    const { unreportedAt, isSilent, session } = watched;
    const now = this.context.clock.now();
    if (isSilent || unreportedAt === null || now - unreportedAt < SILENT_MS) return;
    watched.isSilent = true;
    this.context.sensed(session, {
      kind: 'finding',
      finding: {
        kind: 'hooks-silent',
        severity: 'warn',
        source: 'operating-system',
        since: instant(unreportedAt),
        evidence: `its hooks do not arrive, ${consequence} (why: holter doctor)`,
        threshold: `${SILENT_MS / 1_000} s without the hook of a call or turn that ended`,
      },
    });
  }

  private async lookAtSessionFiles(): Promise<void> {
    const files = await this.processes.look();
    if (!files) return;
    for (const sessionId of files.keys()) await this.maybeTakeUp(sessionId);
    for (const watched of this.watched.values()) {
      const file = files.get(watched.session.sessionId) ?? null;
      if (file) this.followFile(watched, file);
      else if (watched.seen) this.maybeGone(watched, watched.seen.process);
    }
  }

  private async maybeTakeUp(sessionId: string): Promise<void> {
    if (this.lookedFor.has(sessionId)) return;
    if (this.lookedFor.size > WATCHED_MAX) this.lookedFor.clear();
    this.lookedFor.add(sessionId);
    const session = await this.context.sessionOf(sessionId);
    if (session) this.follow(session);
  }

  private followFile(watched: Watched, file: SessionFile): void {
    const { session, seen } = watched;
    const before = seen?.status ?? null;
    // An unknown status is ignored; the last known one still applies.
    const status = file.status ?? before;
    // A file that names another process can be the agent's own.
    const process = seen && this.isRunning(seen.process) ? seen.process : file.process;
    watched.seen = { ...file, process, status };
    session.isProcessSeen = true;
    this.noteTree(watched, watched.seen);
    if (status === null || status === before || agentOf(session, this.context.engine)?.hard.end) return;
    if (before !== null) watched.changedAt = this.context.clock.now();
    for (const [held, hold] of HOLDS) {
      if (status === held) void session.tell({ kind: 'hold-begun', hold }).catch(this.context.failed);
      else if (before === held) void session.tell({ kind: 'hold-ended', hold }).catch(this.context.failed);
    }
  }

  /** Tools run in sessions of their own and outlive the agent, so they are noted while it lives. */
  private noteTree(watched: Watched, { process, sessionId }: SessionFile): void {
    const { table, engine } = this.context;
    // An executor follows the processes that it has started.
    if (!table || agentOf(watched.session, engine)?.hard.executor) return;
    const isKnown =
      watched.tree?.root.pid === process.pid && watched.tree.root.startedAt === process.startedAt;
    watched.tree = isKnown ? watched.tree : new ProcessTree(table, process, sessionId);
    watched.tree?.look();
  }

  private isRunning(process: ProcessIdentity): boolean {
    const { table } = this.context;
    return table !== null && isAlive(table, process);
  }

  private maybeGone(watched: Watched, process: ProcessIdentity): void {
    const { session, tree } = watched;
    const agent = agentOf(session, this.context.engine);
    if (!maybeEnd(session, { agent, tree, isRunning: this.isRunning(process) }, this.context)) return;
    watched.seen = null;
    watched.tree = null;
    session.isProcessSeen = false;
  }

  private later(ms: number, run: () => void | Promise<void>): void {
    const cancel = this.context.clock.after(ms, () => {
      this.timers.delete(cancel);
      Promise.resolve().then(run).catch(this.context.failed);
    });
    this.timers.add(cancel);
  }
}

const HOLDS: readonly [status: string, hold: HoldKind][] = [
  ['waiting', 'waiting-for-permission'],
  ['idle', 'waiting-for-input'],
];

const agentOf = ({ agentId }: Session, engine: Pick<Engine, 'peek'>): Agent | null =>
  agentId === null ? null : engine.peek(agentId);

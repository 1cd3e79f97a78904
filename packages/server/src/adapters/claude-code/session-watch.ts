import { statSync } from 'node:fs';
import type { HoldKind } from '@holter/core';
import type { Clock } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ProcessTable } from '../../processes/index.ts';
import type { LiveSession } from './hook-sessions.ts';
import { transcriptFile } from './own-folder.ts';
import { readSessionFiles, type SessionFile } from './session-file.ts';
import { TRANSCRIPT_CHANNEL, TranscriptTail } from './transcript-tail.ts';

type WatchContext = {
  readonly engine: Engine;
  readonly clock: Clock;
  /** The CLI's own folder; transcripts elsewhere are not read. */
  readonly folder: string;
  /** Null where processes can't be seen: whose session file it is can't be proven then. */
  readonly table: ProcessTable | null;
  readonly failed: (error: unknown) => void;
};

type Watched = {
  readonly session: LiveSession;
  readonly file: string | null;
  /** Where the transcript ended when the session was first heard of: what was before is another start's. */
  readonly endAtFirst: number;
  tail: TranscriptTail | null;
  heardAt: number;
  isLooking: boolean;
  isLookPlanned: boolean;
  seen: SessionFile | null;
};

const LOOK_EVERY_MS = 2_000;
/** A line is written at once with its hook; this is for the disk. */
const LOOK_AFTER_HOOK_MS = 150;
/** Hooks that did not come for so long are off, as far as a turn's end is concerned. */
const QUIET_MS = 10_000;
/** A session that has said nothing for so long has gone without a word. */
const FORGET_MS = 24 * 3_600_000;

/**
 * What hooks do not say: the transcript, and the file that a running session keeps about itself. Looked at
 * after a hook and every two seconds; sessions that nobody heard of by a hook are not looked at.
 */
export class SessionWatch {
  private readonly context: WatchContext;
  private readonly watched = new Map<LiveSession, Watched>();
  private readonly timers = new Set<() => void>();
  private isTicking = false;

  constructor(context: WatchContext) {
    this.context = context;
  }

  heard(session: LiveSession): void {
    const { clock, folder } = this.context;
    // Helpers write into files of their own, and their calls come by hooks.
    if (session.subagentId !== null) return;
    let watched = this.watched.get(session);
    if (!watched) {
      const file = transcriptFile(folder, session.sessionId, session.transcriptPath);
      const size = file === null ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
      watched = {
        session,
        file,
        endAtFirst: size,
        tail: null,
        heardAt: 0,
        isLooking: false,
        isLookPlanned: false,
        seen: null,
      };
      this.watched.set(session, watched);
    }
    watched.heardAt = clock.now();
    this.lookSoon(watched);
    this.tick();
  }

  /** The hooks of one call come within milliseconds, and one look sees what they were about. */
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

  private tick(): void {
    if (this.isTicking || this.watched.size === 0) return;
    this.isTicking = true;
    this.later(LOOK_EVERY_MS, async () => {
      this.isTicking = false;
      this.lookAtSessionFiles();
      await Promise.all([...this.watched.values()].map((watched) => this.look(watched)));
      this.tick();
    });
  }

  private async look(watched: Watched): Promise<void> {
    const { engine, clock } = this.context;
    const { session, file } = watched;
    const agent = engine.peek(session.agentId);
    const isOver = agent?.hard.end !== undefined || isOtherStart(session, agent?.hard.incarnation);
    if (isOver || clock.now() - watched.heardAt > FORGET_MS) this.watched.delete(session);
    // Before its registration is committed nobody knows where an earlier look left off.
    if (isOver || file === null || !agent || watched.isLooking) return;
    const mark = agent.hard.marks?.[TRANSCRIPT_CHANNEL];
    watched.tail ??= new TranscriptTail(
      session,
      file,
      {
        position: mark === undefined ? watched.endAtFirst : Math.max(0, mark - 1),
        tokens: agent.soft.tokens,
        costUsd: agent.soft.costUsd,
      },
      () => clock.now() - watched.heardAt > QUIET_MS,
    );
    watched.isLooking = true;
    await watched.tail.look().finally(() => {
      watched.isLooking = false;
    });
  }

  private lookAtSessionFiles(): void {
    const { table, folder } = this.context;
    if (!table) return;
    const files = readSessionFiles(folder, table);
    for (const watched of this.watched.values()) {
      const file = files.get(watched.session.sessionId) ?? null;
      if (file) this.follow(watched, file);
      else if (watched.seen) this.gone(watched);
    }
  }

  private follow(watched: Watched, file: SessionFile): void {
    const before = watched.seen?.status ?? null;
    // A word that is not known changes nothing, and the last known one is not forgotten over it.
    const status = file.status ?? before;
    watched.seen = { ...file, status };
    if (status === null || status === before) return;
    const { session } = watched;
    for (const [held, hold] of HOLDS) {
      if (status === held) void session.tell({ kind: 'hold-begun', hold }).catch(this.context.failed);
      else if (before === held) void session.tell({ kind: 'hold-ended', hold }).catch(this.context.failed);
    }
  }

  /** Its process lived and does not any more. Whoever started it knows how; else it just went. */
  private gone(watched: Watched): void {
    watched.seen = null;
    const { session } = watched;
    const agent = this.context.engine.peek(session.agentId);
    if (!agent || agent.hard.executor || agent.hard.end) return;
    void session.tell({ kind: 'stopped', reason: 'its process has gone' }).catch(this.context.failed);
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

const isOtherStart = ({ incarnation }: LiveSession, current: number | undefined): boolean =>
  incarnation !== null && current !== undefined && incarnation !== current;

import { statSync } from 'node:fs';
import type { HoldKind } from '@holter/core';
import { type Adapter, type SessionFile, TRANSCRIPT_CHANNEL, TranscriptTail } from '../adapters/index.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { ProcessTable } from '../processes/index.ts';
import type { Session } from './session.ts';

type WatchContext = {
  readonly adapter: Pick<Adapter, 'transcript' | 'session'>;
  readonly engine: Pick<Engine, 'peek'>;
  readonly clock: Clock;
  /** Tells where the agent keeps its own files; transcripts elsewhere are not read. */
  readonly env: NodeJS.ProcessEnv;
  /** Null where processes can't be seen: whose session file it is can't be proven then. */
  readonly table: ProcessTable | null;
  readonly failed: (error: unknown) => void;
};

type Watched = {
  readonly session: Session;
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
 * after a hook and every two seconds; sessions that no hook reported are not looked at.
 */
export class SessionWatch {
  private readonly context: WatchContext;
  private readonly watched = new Map<Session, Watched>();
  private readonly timers = new Set<() => void>();
  private isTicking = false;

  constructor(context: WatchContext) {
    this.context = context;
  }

  heard(session: Session): void {
    const { adapter, clock, env } = this.context;
    const { sessionId, subagentId, transcriptPath } = session.source;
    // Subagents write into files of their own, and their calls come by hooks.
    if (subagentId !== null) return;
    let watched = this.watched.get(session);
    if (!watched) {
      const file = adapter.transcript?.fileNamedByHook?.(env, sessionId, transcriptPath) ?? null;
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
    const { adapter, engine, clock } = this.context;
    const { session, file } = watched;
    const agent = engine.peek(session.agentId);
    const isOver = agent?.hard.end !== undefined || isOtherStart(session, agent?.hard.incarnation);
    if (isOver || clock.now() - watched.heardAt > FORGET_MS) this.watched.delete(session);
    // Only its committed registration says where an earlier look left off.
    if (isOver || file === null || !adapter.transcript || !agent || watched.isLooking) return;
    const mark = agent.hard.highWater?.[TRANSCRIPT_CHANNEL];
    watched.tail ??= new TranscriptTail(session, {
      file,
      reader: adapter.transcript.open(session.sessionId),
      start: {
        position: mark === undefined ? watched.endAtFirst : Math.max(0, mark - 1),
        tokens: agent.soft.tokens,
        costUsd: agent.soft.costUsd,
      },
      hooks: () => (clock.now() - watched.heardAt > QUIET_MS ? 'quiet' : 'coming'),
    });
    watched.isLooking = true;
    await watched.tail.look().finally(() => {
      watched.isLooking = false;
    });
  }

  private lookAtSessionFiles(): void {
    const { adapter, table, env } = this.context;
    if (!table || !adapter.session) return;
    const files = adapter.session(env, table);
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

  /** Its process lived and does not any more. An executor that started it reports how it ended. */
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

const isOtherStart = ({ incarnation }: Session, current: number | undefined): boolean =>
  incarnation !== null && current !== undefined && incarnation !== current;

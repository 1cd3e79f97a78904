import type { SignalBody } from '@holter/core';
import type { Idle } from '@holter/server/adapters';
import {
  type Clock,
  type FileAnswer,
  maybeContinue,
  ownerOf,
  type ProcessLook,
  type ProcessTable,
  statAgentFile,
} from '@holter/server/process';
import type { Child } from './child.ts';
import { IdleFloor } from './idle-floor.ts';
import type { RunOptions } from './options.ts';

type WatcherContext = {
  readonly clock: Clock;
  readonly table: ProcessTable;
  readonly options: RunOptions;
  readonly heartbeatFile: string;
  /** The idle activity of the command, if it is known. */
  readonly idle: Idle | null;
  /** Told at each look whether the heartbeat file can be used. */
  readonly noted: (answer: FileAnswer<unknown>) => void;
  readonly tell: (body: SignalBody) => void;
  readonly say: (line: string) => void;
  /** An additional check that is run regularly. */
  readonly everyTick: () => void;
  readonly overLimit: (option: string, evidence: string, limit: string) => void;
};

/** How much of the newest state may be lost if a crash also damages the checkpoint file. */
const CHECKPOINT_LOOK_MS = 2_000;
/** Readings without news are sent this often until the server says how often. */
const TELL_EVERY_MS = 15_000;
/** Counters move in coarse steps; a window of a few looks evens them out. */
const LOOKS_PER_WINDOW = 4;
const WINDOW_MS_MAX = 5_000;
const BEAT_EVERY_MS_MAX = 5_000;

/**
 * Observes the command of a run. Cheap by design: a few `stat` calls every two seconds, a reading of the process tree
 * every few seconds, and a signal when something changed or enough time has passed.
 */
export class Watcher {
  private readonly context: WatcherContext;
  private child: Child | null = null;
  private startedAt = 0;
  private probedAt = 0;
  private toldAt = 0;
  private beatAt = 0;
  private lastState: ProcessLook['state'] | null = null;
  private lastEvidence: number | string = 0;
  private ioBytes = 0;
  private isOverLimit = false;
  private tellEveryMs = TELL_EVERY_MS;
  private floor: IdleFloor | null = null;
  private cancel: () => void = () => undefined;

  constructor(context: WatcherContext) {
    this.context = context;
  }

  /** Called before each start: what the heartbeat file is now is no beat of that start. */
  async prepare(): Promise<void> {
    if (this.context.options.heartbeat === 'file') this.lastEvidence = await this.touchedAt();
  }

  follow(child: Child): void {
    this.cancel();
    this.child = child;
    this.startedAt = this.context.clock.now();
    this.probedAt = 0;
    this.toldAt = 0;
    this.lastState = null;
    if (this.context.options.heartbeat === 'output') this.lastEvidence = this.outputSeen();
    this.isOverLimit = false;
    const { idle, options } = this.context;
    const windowMs = Math.min(WINDOW_MS_MAX, LOOKS_PER_WINDOW * options.lookEvery);
    this.floor = idle && new IdleFloor(idle, windowMs);
    this.schedule();
  }

  tellEvery(ms: number): void {
    const isSooner = ms < this.tellEveryMs;
    this.tellEveryMs = ms;
    if (!isSooner || !this.child) return;
    this.cancel();
    this.schedule();
  }

  stop(): void {
    this.cancel();
    this.child = null;
  }

  private schedule(): void {
    this.cancel = this.context.clock.after(this.tickMs, () => {
      this.tick();
      if (this.child) this.schedule();
    });
  }

  /** As often as the option says, or as the server asks for if that is more often. */
  private get lookEveryMs(): number {
    return Math.min(this.context.options.lookEvery, this.tellEveryMs);
  }

  /** Runs only as often as a relevant change is possible. */
  private get tickMs(): number {
    const { heartbeat, heartbeatEvery, checkpointFile } = this.context.options;
    const lookEvery = this.lookEveryMs;
    const beatMs = heartbeat === 'output' || heartbeat === 'file' ? heartbeatEvery / 3 : lookEvery;
    return Math.min(lookEvery, beatMs, checkpointFile === undefined ? lookEvery : CHECKPOINT_LOOK_MS);
  }

  private tick(): void {
    const { clock, options } = this.context;
    const now = clock.now();
    this.context.everyTick();
    if (!this.child?.isRunning) return;
    if (now - this.probedAt >= this.lookEveryMs) {
      this.probedAt = now;
      this.look(now);
    }
    void this.beat(now);
    const { limitRuntime } = options;
    if (limitRuntime !== undefined && now - this.startedAt > limitRuntime)
      this.exceed('--limit-runtime', `has run for ${seconds(now - this.startedAt)}`, seconds(limitRuntime));
  }

  private look(now: number): void {
    if (!this.child) return;
    const { tell, options } = this.context;
    const seen = this.child.sensor.look();
    const look = this.floor?.above(seen, now) ?? seen;
    // The supervisor reports the exit itself, with its code.
    if (look.state === 'gone') return;
    this.ioBytes = look.ioBytes;
    if (look.state !== this.lastState || now - this.toldAt >= this.tellEveryMs) {
      this.toldAt = now;
      tell(look);
    }
    if (look.state === 'stopped' && this.lastState !== 'stopped') this.noteStopped();
    else if (look.state === 'stopped' && options.whenStopped === 'continue') this.continueChild();
    else if (this.lastState === 'stopped') tell({ kind: 'finding-cleared', findingKind: 'frozen' });
    this.lastState = look.state;
    const { limitMemory } = options;
    if (limitMemory !== undefined && look.memoryBytes > limitMemory)
      this.exceed('--limit-memory', `uses ${megabytes(look.memoryBytes)}`, megabytes(limitMemory));
  }

  /** The process was stopped (SIGSTOP), perhaps on purpose: this is reported and never a reason to kill it. */
  private noteStopped(): void {
    const { clock, tell, say, options } = this.context;
    const pid = this.child?.identity.pid;
    const what = options.whenStopped === 'continue' ? 'Holter resumes it' : `kill -CONT ${pid} resumes it`;
    say(`its process (pid ${pid}) is suspended (SIGSTOP); ${what}`);
    tell({
      kind: 'finding',
      finding: {
        kind: 'frozen',
        severity: 'warn',
        source: 'operating-system',
        since: clock.now(),
        evidence: `its process was stopped by SIGSTOP; ${what}`,
        threshold: 'any stop',
      },
    });
  }

  private continueChild(): void {
    const { table, say } = this.context;
    if (this.child && maybeContinue({ table }, this.child.tree)) say('it was continued (SIGCONT)');
  }

  /** A beat is sent for new evidence, never because time has passed. */
  private async beat(now: number): Promise<void> {
    const { options, tell } = this.context;
    if (options.heartbeat !== 'output' && options.heartbeat !== 'file') return;
    if (now - this.beatAt < Math.min(BEAT_EVERY_MS_MAX, options.heartbeatEvery / 3)) return;
    const { child } = this;
    const evidence = options.heartbeat === 'file' ? await this.touchedAt() : this.outputSeen();
    if (evidence === this.lastEvidence || child !== this.child) return;
    this.lastEvidence = evidence;
    this.beatAt = now;
    tell({ kind: 'heartbeat' });
  }

  private async touchedAt(): Promise<string> {
    const { heartbeatFile, noted, table } = this.context;
    const pid = this.child?.identity.pid;
    const isOwner = ownerOf(() => (pid === undefined ? null : table.userOf(pid)));
    const answer = await statAgentFile(heartbeatFile, { isOwner, bytesMax: Number.POSITIVE_INFINITY });
    noted(answer);
    return answer.kind === 'ok' ? String(answer.value.mtimeMs) : 'none';
  }

  private outputSeen(): number {
    // Output that goes straight to the terminal shows in the counters of the operating system.
    return this.child ? this.child.outputBytes || this.ioBytes : 0;
  }

  private exceed(option: string, evidence: string, limit: string): void {
    if (this.isOverLimit) return;
    this.isOverLimit = true;
    this.context.overLimit(option, evidence, limit);
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

import { inWords, type Mode, milliseconds, type SignalBody } from '@holter/core';
import type { ResultPrint } from '@holter/core/detect';
import type { SessionFile } from '@holter/server/adapters';
import {
  type Clock,
  type DataFolder,
  isAlive,
  type ProcessTable,
  ProcessTree,
  type RunRecord,
  TreeSensor,
} from '@holter/server/process';
import { AgentRecord } from '../run/agent-record.ts';
import { EffectLoop } from '../run/effect-loop.ts';
import type { ServerLink } from '../run/server-link.ts';
import { SignalQueue } from '../run/signal-queue.ts';
import type { FoundAgent } from './find-agent.ts';
import { endOf, type Loss } from './pane-end.ts';
import { PaneExecutor } from './pane-executor.ts';
import { agoOf, type PaneRow } from './pane-row.ts';
import { nextQuiet, type QuietScreen } from './quiet-screen.ts';
import { printOf, readScreen, type Screen } from './screen.ts';
import type { SessionFiles } from './session-files.ts';
import type { Pane } from './tmux-server.ts';

export type PaneContext = {
  readonly link: ServerLink;
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly table: ProcessTable;
  readonly sessions: SessionFiles;
  readonly hostId: string;
  readonly watcher: RunRecord['run'];
  readonly mode: Mode;
  /** After how long an agent that works and shows nothing new hangs at its model; null: it is never interrupted. */
  readonly hungModelMs: number | null;
  readonly newId: () => string;
  readonly sha256: (text: string) => string;
  readonly say: (line: string) => void;
};

/** All panes of a tmux server are lost together if it dies, so they share one brake. */
const GROUP = 'tmux';
const TELL_EVERY_MS = 15_000;
const SCREEN_EVERY_MS = 10_000;
const STATUS_EVERY_MS = 5_000;
/** tmux learns of the end of a pane's command a moment after the system does. */
const EXIT_CODE_LOOKS = 3;
/** About a minute: each takes two seconds, and five in which tmux did not answer. */
const SILENT_LOOKS = 9;

const HOLDS = [
  ['waiting', 'waiting-for-permission'],
  ['idle', 'waiting-for-input'],
] as const;

const NO_SCREEN: Screen = { state: 'unknown', typed: null };

/** The agent of one pane: registers it, reports what is seen of it, and carries out effects in its pane. */
export class PaneAgent {
  readonly agentId: string;
  readonly executorId: string;
  readonly pane: Pane;
  readonly context: PaneContext;
  found: FoundAgent;
  tree: ProcessTree;
  /** Whether its process was alive at the last look. */
  isRunning = true;
  /** Its end is awaited, or its successor is being started: looks would report what is meant to happen. */
  isInHand = false;
  /** The session that it works on, as its own file says; kept when the file has gone with its process. */
  sessionId: string | null = null;
  private sensor: TreeSensor;
  private screen = NO_SCREEN;
  private print: ResultPrint | null = null;
  /** Since its process was reported last. */
  private hasPrinted = false;
  private status: SessionFile['status'] | undefined;
  private typedAt: number | null = null;
  private statusAt = 0;
  private isWorking = false;
  private screenAt = 0;
  private activity = -1;
  private toldAt = 0;
  private tellEveryMs = TELL_EVERY_MS;
  private looksSinceEnd = 0;
  private endedAt = 0;
  private quiet: QuietScreen | null = null;
  /** Since its screen or its children were last looked at for it. */
  private hasMoved = false;
  /** Since when it was quiet when its interruption was ordered. */
  private interruptedAt = -1;
  private readonly record: AgentRecord;
  private readonly queue: SignalQueue;
  private readonly loop: EffectLoop;

  constructor(context: PaneContext, pane: Pane, names: PaneNames, found: FoundAgent) {
    this.context = context;
    this.pane = pane;
    this.agentId = names.agentId;
    this.executorId = names.executorId;
    this.found = found;
    this.tree = new ProcessTree(context.table, found.process, this.instanceId);
    this.sensor = new TreeSensor(context.table, this.tree);
    const { link, clock, newId, mode } = context;
    const canResume = found.adapter.recipe !== undefined;
    this.record = new AgentRecord(
      {
        link,
        // What a run says of one agent would be said of every pane.
        say: () => undefined,
        directory: null,
        newId: () => this.instanceId,
        options: { role: 'default', group: GROUP },
        plan: {
          agentId: this.agentId,
          mode,
          // Its own file says when it has work and when it has none.
          promises: { process: true, ...(found.adapter.session && { turns: true }) },
          can: ['nudge', 'terminate', 'spawn', ...(canResume ? (['resume'] as const) : [])],
        },
      },
      this.executorId,
    );
    this.queue = new SignalQueue(link, this.agentId, newId);
    const executor = new PaneExecutor(this, this.record);
    this.loop = new EffectLoop(this.executorId, {
      link,
      clock,
      record: () => this.runRecord(),
      carryOut: (effect) => executor.carryOut(effect),
      lookEvery: (ms) => {
        this.tellEveryMs = ms;
      },
    });
  }

  /**
   * The same for every watcher that finds this process, so that one that was restarted gets its incarnation back.
   * A process that Holter itself has started carries its number in its environment.
   */
  get instanceId(): string {
    const { env, process } = this.found;
    if (env.HOLTER_AGENT_ID === this.agentId && env.HOLTER_RUN_ID) return env.HOLTER_RUN_ID;
    return `tmux-${this.context.sha256(JSON.stringify(process)).slice(0, 32)}`;
  }

  /** Throws a `RunFailure` if its name is taken by another agent that runs. */
  async begin(): Promise<void> {
    await this.record.register();
    // Without it a pane closes with its command, and nothing could be started in it again.
    if (this.context.mode === 'act') await this.pane.stay();
    await this.loop.present();
    void this.loop.run().catch((error: unknown) => this.context.say(String(error)));
  }

  /** Somebody has started an agent in this pane again. */
  async beginAgain(found: FoundAgent): Promise<void> {
    this.follow(found);
    await this.record.register();
    await this.loop.present();
  }

  follow(found: FoundAgent): void {
    const { table } = this.context;
    this.found = found;
    this.tree = new ProcessTree(table, found.process, this.instanceId);
    this.sensor = new TreeSensor(table, this.tree);
    this.isRunning = true;
    this.screen = NO_SCREEN;
    this.status = undefined;
    this.isWorking = false;
    this.print = null;
    this.toldAt = 0;
    this.looksSinceEnd = 0;
    this.quiet = null;
  }

  present(): Promise<void> {
    return this.loop.present();
  }

  tell(body: SignalBody): void {
    this.queue.put(this.record.incarnation, body);
  }

  async leave(): Promise<void> {
    if (this.isRunning) this.tell({ kind: 'stopped', reason: 'holter tmux watch has ended; it runs on' });
    await this.queue.flush();
    await this.loop.leave();
  }

  get isAlive(): boolean {
    return isAlive(this.context.table, this.found.process);
  }

  /** For how long its process has been gone. */
  get goneMs(): number {
    return this.isRunning ? 0 : this.context.clock.now() - this.endedAt;
  }

  /** One look. `seen` is null when the pane has closed or its tmux server has gone. */
  async look(seen: PaneRow | null | 'unknown', loss: Loss): Promise<void> {
    if (!this.isRunning || this.isInHand) return;
    const row = seen === 'unknown' ? null : seen;
    const { clock } = this.context;
    // The clients go with the last pane, and what was typed there last may have closed it.
    this.typedAt = row?.typedAt ?? this.typedAt;
    if (!this.isAlive) {
      this.looksSinceEnd += 1;
      const isOwnCommand = row?.pid === this.found.process.pid;
      if (isOwnCommand && !row.dead && this.looksSinceEnd < EXIT_CODE_LOOKS) return;
      // How it ended is known only to tmux, which may answer again.
      if (seen === 'unknown' && this.looksSinceEnd < SILENT_LOOKS) return;
      const dead = isOwnCommand ? row.dead : null;
      const typedMsAgo = agoOf(this.typedAt, clock.now());
      this.hasEnded(endOf({ dead, lastState: this.screen.state, typedMsAgo, loss }));
      return;
    }
    const now = clock.now();
    if (now - this.toldAt >= this.tellEveryMs) {
      this.toldAt = now;
      // Both in one request.
      if (this.hasPrinted) this.tell({ kind: 'activity' });
      this.hasPrinted = false;
      const facts = this.sensor.look();
      if (facts.childrenAtWork > 0) this.hasMoved = true;
      this.tell(facts);
    }
    if (now - this.statusAt >= STATUS_EVERY_MS) {
      this.statusAt = now;
      await this.lookAtStatus();
    }
    if (row && row.activity !== this.activity && now - this.screenAt >= SCREEN_EVERY_MS) {
      this.screenAt = now;
      await this.lookAtScreen(row, now);
    }
    const isBusy = this.screen.state === 'busy' && this.status === 'busy';
    this.quiet = nextQuiet(this.quiet, { now, isBusy, hasMoved: this.hasMoved });
    this.hasMoved = false;
    if (this.isHung && this.quiet && this.quiet.since !== this.interruptedAt) {
      this.interruptedAt = this.quiet.since;
      // Not waited for: a server that does not answer must not stop the looks at other panes.
      void this.orderInterruption().catch((error: unknown) => this.context.say(`${this.agentId}: ${error}`));
    }
  }

  /** It works, and has shown nothing new for so long that its model will not answer any more. */
  get isHung(): boolean {
    const { hungModelMs, clock } = this.context;
    if (hungModelMs === null || !this.quiet || !this.found.adapter.screen?.hasEscape) return false;
    return clock.now() - this.quiet.since >= hungModelMs;
  }

  /** The operator's setting is the order, which waits while acts are stopped; it goes through an incident, like every nudge. */
  private async orderInterruption(): Promise<void> {
    const { mode, link, hungModelMs } = this.context;
    if (mode === 'observe' || (await this.record.look())?.incident) return;
    const wait = inWords(milliseconds(hungModelMs ?? 0));
    const reason = `no answer came from your model for ${wait}, so that request was cancelled`;
    const body = { by: 'tmux.escape_hung_model', reason, source: 'run' };
    await link.insist('POST', `/v1/agents/${encodeURIComponent(this.agentId)}/nudge`, body);
  }

  private async lookAtScreen(row: PaneRow, now: number): Promise<void> {
    const lines = await this.pane.screen();
    // More output of the same second may follow.
    this.activity = row.activity * 1_000 + 1_000 < now ? row.activity : -1;
    const { screen } = this.found.adapter;
    this.screen = readScreen(screen, lines, row.title);
    const before = this.print;
    this.print = printOf(screen, lines, before);
    if (!before || before.exact === this.print.exact) return;
    this.hasPrinted = true;
    this.hasMoved = true;
  }

  hasEnded(body: SignalBody): void {
    this.isRunning = false;
    this.endedAt = this.context.clock.now();
    this.tell(body);
    const how = body.kind === 'stopped' ? body.reason : 'its process has gone';
    this.context.say(`${this.agentId}: ${how}`);
  }

  /** Whether it waits for a person is taken from its own file, never from its screen. */
  private async lookAtStatus(): Promise<void> {
    const file = await this.context.sessions.of(this.found);
    const before = this.status;
    this.status = file === undefined ? undefined : (file?.status ?? null);
    this.sessionId = file?.sessionId ?? this.sessionId;
    if (this.status === before || !this.status) return;
    const isWorking = this.status !== 'idle';
    if (isWorking !== this.isWorking) this.tell({ kind: isWorking ? 'turn-begun' : 'turn-ended' });
    this.isWorking = isWorking;
    for (const [held, hold] of HOLDS) {
      if (this.status === held) this.tell({ kind: 'hold-begun', hold });
      else if (before === held) this.tell({ kind: 'hold-ended', hold });
    }
  }

  private runRecord(): RunRecord {
    const { hostId, watcher } = this.context;
    return {
      executorId: this.executorId,
      agentId: this.agentId,
      incarnation: this.record.incarnation,
      runId: this.instanceId,
      hostId,
      run: watcher,
      child: this.isRunning ? this.found.process : null,
      nudgeFile: null,
      words: 'file',
      onLost: 'adopt',
    };
  }
}

type PaneNames = { readonly agentId: string; readonly executorId: string };

/** Named after its session, so that people recognise it; the number of its pane makes it the only one. */
export function agentIdOf({ sessionName, paneId }: Pick<PaneRow, 'sessionName' | 'paneId'>): string {
  const session = sessionName.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 60);
  return `${session}.${paneId.slice(1)}`;
}

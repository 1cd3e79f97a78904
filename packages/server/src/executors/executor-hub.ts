import {
  type Agent,
  type Effect,
  executorInWords,
  type Instant,
  probeEveryOf,
  type Signal,
} from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Executor } from '../engine/executor.ts';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import type { Intake, Sender } from '../intake/index.ts';
import { policyFor } from '../policy/index.ts';
import { isAlive, type ProcessTable } from '../processes/index.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';
import { AdoptedRun } from './adopted-run.ts';
import { RemoteExecutor, type RemoteOutcome } from './remote-executor.ts';
import type { RunRecord } from './run-record.ts';
import { RunRows } from './run-rows.ts';

type HubContext = {
  readonly engine: Engine;
  readonly intake: Intake;
  readonly store: Store;
  readonly clock: Clock;
  readonly replies: Pick<ReplyQueue, 'onBehalfOf' | 'carryToo'>;
  /** Null where processes can't be inspected; a lost run is then only reported to a person. */
  readonly table: ProcessTable | null;
  readonly hostId: string;
  readonly onBug: (error: unknown) => void;
  /** Told of each run that is known: at the start, and whenever it presents itself. */
  readonly presented: (run: RunRecord) => void;
};

type Entry = {
  record: RunRecord;
  remote: RemoteExecutor;
  leave: (() => void) | null;
  polls: number;
  seenAt: number;
  /** The check interval last sent to the run; null before the first poll is answered. */
  toldLookMs: number | null;
  adopted: AdoptedRun | null;
  isToldLost: boolean;
};

/** The hub sends signals on behalf of a run, which has an operator token. */
const RUN: Sender = { role: 'operator', agentId: null, incarnation: null, via: 'executor' };

const LOOK_EVERY_MS = 1_000;
/** Polls follow each other within milliseconds. After this long without one, the run's process is checked. */
const AWAY_MS_MAX = 3_000;

/**
 * Every `holter run` that is or was connected to this server, or to one that is gone. While a run polls, its effects are claimed for it. When it
 * stops polling, no other executor acts for it; once its process is proven gone, the server takes over the child.
 */
export class ExecutorHub {
  private readonly context: HubContext;
  private readonly rows: RunRows;
  private readonly entries = new Map<string, Entry>();
  private stopLooking: () => void = () => undefined;
  private stopFollowing: () => void = () => undefined;
  private isClosed = false;

  constructor(context: HubContext) {
    this.context = context;
    this.rows = new RunRows(context.store, context.engine.servers.id);
  }

  /** Runs known from before the start get a moment to reconnect; then their processes are checked. */
  async start(): Promise<void> {
    await this.rows.convertOld();
    await this.followRows();
    this.scheduleLook();
    this.stopFollowing = this.context.engine.onFollowed(({ stored }) => {
      if (stored) this.followCare(stored.agent);
    });
  }

  close(): void {
    this.isClosed = true;
    this.stopLooking();
    this.stopFollowing();
    for (const { remote, adopted } of this.entries.values()) {
      remote.close();
      adopted?.close();
    }
  }

  /** Runs that are connected or adopted; a server without any may go idle. */
  get size(): number {
    return this.entries.size;
  }

  /** Where the other server runs that a run is connected to; null for this one. */
  async elsewhere(executorId: string): Promise<string | null> {
    const { servers } = this.context.engine;
    const server = await this.rows.serverOf(executorId);
    return server === null || server === servers.id ? null : servers.nameOf(server);
  }

  /** A run registers itself and its child; repeated whenever the record changes. */
  async present(record: RunRecord): Promise<void> {
    const entry = this.entries.get(record.executorId) ?? this.add(record);
    entry.record = record;
    entry.seenAt = this.context.clock.now();
    const isBack = entry.adopted !== null;
    if (isBack) this.giveBack(entry);
    await this.rows.save(record);
    if (isBack) await this.context.intake.take(foundAgain(record), RUN);
    this.context.presented(record);
  }

  /** Null when the run is unknown: it should present itself again. */
  async poll(
    executorId: string,
    have: readonly string[],
    waitMs: number,
    hungUp: Promise<void>,
  ): Promise<readonly Effect[] | null> {
    const entry = this.entries.get(executorId);
    if (!entry || this.isClosed) return null;
    entry.polls += 1;
    // Effects are claimed only while the run is connected to take them.
    entry.leave ??= this.join(entry, entry.remote);
    let isHungUp = false;
    void hungUp.then(() => {
      isHungUp = true;
      entry.remote.release();
    });
    try {
      const effects = await entry.remote.take(new Set(have), waitMs);
      // The command may have a client inside, or read its file: the run can't know.
      if (entry.record.words === 'file') for (const effect of effects) this.context.replies.carryToo(effect);
      return effects;
    } finally {
      entry.polls -= 1;
      entry.seenAt = isHungUp ? Number.NEGATIVE_INFINITY : this.context.clock.now();
    }
  }

  /** Whether the run has been told how often to check its process. */
  knowsCare(executorId: string): boolean {
    return this.entries.get(executorId)?.toldLookMs !== null;
  }

  /** How often to check the run's process: more often while its agent is not healthy. */
  async lookEveryMs(executorId: string): Promise<number | null> {
    const entry = this.entries.get(executorId);
    const agent = entry ? await this.context.engine.read(entry.record.agentId) : null;
    if (!entry || !agent) return null;
    entry.toldLookMs = this.careOf(agent);
    return entry.toldLookMs;
  }

  private careOf({ hard }: Agent): number {
    const { role, agentId, group } = hard;
    return probeEveryOf(
      hard,
      policyFor(this.context.engine.currentPolicies, role, agentId, group, hard.patience),
    );
  }

  /** Ends the current poll when the check interval changes, so that the run learns of it at once. */
  private followCare(agent: Agent): void {
    const entry = agent.hard.executor === null ? undefined : this.entries.get(agent.hard.executor);
    if (entry && entry.toldLookMs !== null && entry.toldLookMs !== this.careOf(agent)) entry.remote.release();
  }

  async receipt(
    executorId: string,
    effectId: string,
    outcome: RemoteOutcome,
    detail: string,
  ): Promise<boolean> {
    const entry = this.entries.get(executorId);
    if (entry?.remote.receipt(effectId, outcome, detail)) return true;
    // Nothing has happened yet; the effect is offered again.
    if (outcome === 'offered') return false;
    // Claimed by a server whose lease is still running: the receipt counts anyway.
    const record = entry?.record ?? (await this.rows.find(executorId));
    if (!record) return false;
    const { agentId } = record;
    const effects = await this.context.store.listEffects({ agentId, limit: 50 });
    // A nudge in a reply has two receipts: delivered, which settles it, and seen, which may come much later.
    const stored = effects.find(
      ({ effect, status }) => effect.id === effectId && (outcome === 'seen' || isOpen(status)),
    );
    if (stored?.effect.executor !== executorId) return false;
    await this.context.engine.receive(stored.effect, outcome, detail);
    return true;
  }

  async leave(executorId: string): Promise<void> {
    const entry = this.entries.get(executorId);
    if (entry) this.remove(entry);
    else await this.rows.find(executorId);
    await this.rows.delete(executorId);
  }

  /**
   * Drops the runs that have gone over to another server, or have left through one, and takes note of those whose
   * server is gone: they get a moment to reconnect, and then their processes are checked.
   */
  private async followRows(): Promise<void> {
    const { engine, clock, presented } = this.context;
    const begunAt = clock.now();
    const here = new Set<string>();
    for (const { record, server } of await this.rows.list()) {
      const { executorId } = record;
      if (server !== null && server !== engine.servers.id && engine.servers.isAlive(server)) continue;
      here.add(executorId);
      if (this.entries.has(executorId)) continue;
      this.add(record);
      presented(record);
    }
    for (const entry of [...this.entries.values()]) {
      const isNewer = entry.seenAt >= begunAt;
      if (!isNewer && !here.has(entry.record.executorId)) this.remove(entry);
    }
  }

  private add(record: RunRecord): Entry {
    const { clock } = this.context;
    const entry: Entry = {
      record,
      remote: new RemoteExecutor(record.executorId, clock),
      leave: null,
      polls: 0,
      seenAt: clock.now(),
      toldLookMs: null,
      adopted: null,
      isToldLost: false,
    };
    this.entries.set(record.executorId, entry);
    return entry;
  }

  /** The first executor added wins: messages for a child that reads replies never go to its terminal. */
  private join({ record }: Entry, executor: Executor): () => void {
    const { engine, replies } = this.context;
    const leaves = [
      ...(record.words === 'replies' ? [engine.addExecutor(replies.onBehalfOf(record.executorId))] : []),
      engine.addExecutor(executor),
    ];
    return () => {
      for (const leave of leaves) leave();
    };
  }

  private remove(entry: Entry): void {
    entry.leave?.();
    entry.remote.close();
    entry.adopted?.close();
    this.entries.delete(entry.record.executorId);
  }

  private scheduleLook(): void {
    if (this.isClosed) return;
    this.stopLooking = this.context.clock.after(LOOK_EVERY_MS, () => {
      void this.lookForLost()
        .catch((error: unknown) => {
          // The next look tries again.
          if (!(error instanceof StoreUnavailable)) this.context.onBug(error);
        })
        .finally(() => this.scheduleLook());
    });
  }

  private async lookForLost(): Promise<void> {
    const { clock, table, engine } = this.context;
    if (engine.isShared) await this.followRows();
    for (const entry of [...this.entries.values()]) {
      if (entry.polls > 0 || entry.adopted || clock.now() - entry.seenAt < AWAY_MS_MAX) continue;
      entry.leave?.();
      entry.leave = null;
      entry.remote.close();
      const { run, hostId } = entry.record;
      const isHere = table !== null && hostId === this.context.hostId;
      if (table && isHere && !isAlive(table, run)) {
        if (await this.rows.take(entry.record)) await this.adopt(entry, table);
      } else if (!isHere && !entry.isToldLost) {
        entry.isToldLost = true;
        await this.tell(
          entry.record,
          `its ${executorInWords(entry.record.executorId)} on another machine does not call in any more`,
        );
      }
    }
  }

  private async adopt(entry: Entry, table: ProcessTable): Promise<void> {
    const { engine, intake, clock } = this.context;
    const { record } = entry;
    const { agentId, onLost } = record;
    const adopted = new AdoptedRun(record, {
      table,
      clock,
      signal: (signal) => intake.take(signal, RUN),
      seen: (effectId) => this.receipt(record.executorId, effectId, 'seen', 'taken out of its nudge file'),
      ended: () => void this.leave(record.executorId).catch(this.context.onBug),
    });
    entry.adopted = adopted;
    entry.leave = this.join(entry, adopted);
    const isThere = record.child !== null && isAlive(table, record.child);
    const evidence = isThere
      ? `its ${executorInWords(record.executorId)} was killed; the server watches its process, and can't start it again`
      : `its ${executorInWords(record.executorId)} and its process are gone`;
    await this.tell(record, evidence);
    if (isThere) {
      await intake.take(lostFinding(record, evidence, clock.now()), RUN);
      if (onLost === 'end') {
        const reason = 'its `holter run` is gone, and it was started with --on-lost end';
        const by = '--on-lost end';
        await engine.decide(agentId, { decision: 'terminate', source: 'run', by, reason });
      }
    }
    await adopted.watch();
  }

  private async tell({ agentId, executorId }: RunRecord, message: string): Promise<void> {
    await this.context.engine.notify(agentId, `${executorId}/lost`, {
      audience: 'operator',
      severity: 'warning',
      message: `${agentId}: ${message}`,
      incidentId: null,
    });
  }

  /** The run is back, so it manages its child again: it was only disconnected, or could not be identified. */
  private giveBack(entry: Entry): void {
    entry.adopted?.close();
    entry.adopted = null;
    entry.leave?.();
    entry.leave = null;
  }
}

const isOpen = (status: string): boolean => status === 'pending' || status === 'claimed';

/** For display only: the agent itself may still be working. */
const lostFinding = ({ agentId, incarnation }: RunRecord, evidence: string, since: Instant): Signal => ({
  agentId,
  incarnation,
  kind: 'finding',
  finding: {
    kind: 'delivery-failed',
    severity: 'warn',
    source: 'operating-system',
    since,
    evidence,
    threshold: 'what started it is gone',
  },
});

const foundAgain = ({ agentId, incarnation }: RunRecord): Signal => ({
  agentId,
  incarnation,
  kind: 'finding-cleared',
  findingKind: 'delivery-failed',
});

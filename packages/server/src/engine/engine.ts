import type {
  Agent,
  BreakerAct,
  Decision,
  Effect,
  HolterEvent,
  Instant,
  NoticeBody,
  ReceiptOutcome,
  Registration,
  Signal,
  StallLog,
} from '@holter/core';
import { graceShare, instant } from '@holter/core';
import type { PolicySet } from '../policy/index.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Answer, Request } from './agent-cell.ts';
import { AgentCell } from './agent-cell.ts';
import { Committer } from './committer.ts';
import {
  type CommittedListener,
  type EngagedBrake,
  EngineBusy,
  type EngineHealth,
  type EngineOptions,
} from './engine-options.ts';
import type { Executor } from './executor.ts';
import { FleetCell } from './fleet-cell.ts';
import { GroupSizes } from './group-sizes.ts';
import { LEASE_MS, Outbox } from './outbox.ts';
import { SoftBuffer } from './soft-buffer.ts';
import { StallWatch } from './stall-watch.ts';

const TICK_MS = 1_000;
const INBOX_MAX = 50_000;
const CELLS_MAX = 20_000;
const DUE_LIMIT = 500;
const GRACE_OVER_MS = 3_600_000;

/**
 * The loop of the design: signal, step, commit with version, outbox, act, receipt. One direction, no side
 * doors. It owns no rule: what follows from what is in core; what is durable is in the store.
 */
export class Engine {
  private readonly options: EngineOptions;
  private readonly cells = new Map<string, AgentCell>();
  private readonly committer: Committer;
  private readonly fleet: FleetCell;
  private readonly groups: GroupSizes;
  private readonly soft: SoftBuffer;
  private readonly stallWatch: StallWatch;
  private readonly outbox: Outbox;
  private readonly listeners = new Set<CommittedListener>();
  private readonly streamListeners = new Set<(events: readonly HolterEvent[]) => void>();
  private readonly heardListeners = new Set<(signal: Signal) => void>();
  private policies: PolicySet;
  private executors: Executor[];
  private waiting = 0;
  private tickLagMs = 0;
  private lastTickAt: Instant | null = null;
  private startedAt = 0;
  private outage: { since: Instant; reason: string } | null = null;
  private cancelTick: (() => void) | null = null;
  private ticking: Promise<void> | null = null;
  private isStopped = false;

  constructor(options: EngineOptions) {
    this.options = options;
    const { store } = options;
    this.policies = options.policies;
    this.executors = [...options.executors];
    this.committer = new Committer(store);
    this.fleet = new FleetCell(store, options.newId);
    this.groups = new GroupSizes(store);
    this.soft = new SoftBuffer(store);
    this.stallWatch = new StallWatch(store);
    this.outbox = new Outbox({
      store,
      clock: options.clock,
      seen: () => this.committer.seen,
      sha256: options.sha256,
      executors: () => this.executors,
      headOf: (agentId) => this.peek(agentId)?.hard.checkpoint?.id,
      claim: async (effect, evidence) => {
        const answer = await this.ask(effect.agentId, { kind: 'claim', effectId: effect.id, evidence });
        return answer.kind === 'folded' && answer.claim === 'proceed'
          ? 'proceed'
          : this.claimWithoutAgent(effect, answer);
      },
      receive: (effect, outcome, detail) => this.receiveOutcome(effect, outcome, detail),
      attention: (effect, message) => this.raiseAttention(effect, message),
      failed: (error) => this.noteTrouble(error),
    });
  }

  async start(): Promise<void> {
    this.startedAt = this.options.clock.now();
    await this.stallWatch.load(instant(this.startedAt));
    this.committer.saw(await this.options.store.lastCursor());
    await this.fleet.load();
    if (this.options.isAlone) await this.outbox.pump(LEASE_MS);
    await this.tick();
    this.scheduleTick();
  }

  /** Takes nothing more, writes what is waiting, and stops. Effects that are under way stay claimable. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancelTick?.();
    await this.ticking;
    await this.outbox.drain();
    await this.soft.flush();
    await this.stallWatch.persist(this.options.clock.now(), true);
  }

  register(registration: Registration, correlationId: string = this.options.newId()): Promise<Answer> {
    return this.enqueue(registration.agentId, { kind: 'register', registration, correlationId });
  }

  /** Resolves when the signal is durable; a soft one at once. */
  signal(
    signal: Signal,
    origin: 'agent' | 'holter',
    correlationId: string = this.options.newId(),
  ): Promise<Answer> {
    if (isSoft(signal) && this.waiting >= (this.options.inboxMax ?? INBOX_MAX))
      throw new EngineBusy('too many signals are waiting');
    if (!isSoft(signal)) for (const listener of this.heardListeners) listener(signal);
    return this.enqueue(signal.agentId, {
      kind: 'input',
      body: { kind: 'signal', signal, origin },
      correlationId,
    });
  }

  decide(agentId: string, decision: Decision, correlationId: string = this.options.newId()): Promise<Answer> {
    return this.enqueue(agentId, { kind: 'input', body: { kind: 'decision', decision }, correlationId });
  }

  /** Tells people something about this agent, beside its incidents. What has the same id is stored once. */
  notify(agentId: string, effectId: string, notice: NoticeBody): Promise<Answer> {
    return this.ask(agentId, { kind: 'notice', effectId, notice });
  }

  /** One of the agent's breakers is asked or told. While it is closed and well, this costs no commit. */
  breaker(agentId: string, name: string, act: BreakerAct, roll: number): Promise<Answer> {
    return this.ask(agentId, { kind: 'breaker', name, act, roll });
  }

  /** A receipt that came by itself: from an executor elsewhere, or from the reply queue. */
  async receive(effect: Effect, outcome: ReceiptOutcome, detail: string): Promise<void> {
    await this.receiveOutcome(effect, outcome, detail);
    await this.options.store.settleEffect(effect.id, { at: this.options.clock.now(), outcome, detail });
  }

  /** What this server knows without asking the store; null does not mean that there is no such agent. */
  peek(agentId: string): Agent | null {
    return this.cells.get(agentId)?.agent ?? null;
  }

  /** The newest record, soft facts included. */
  async read(agentId: string): Promise<Agent | null> {
    const known = this.cells.get(agentId)?.agent;
    return known ?? (await this.options.store.load(agentId))?.agent ?? null;
  }

  /** The record of a stored agent, with what this server has heard since. */
  freshen(agent: Agent): Agent {
    const known = this.cells.get(agent.hard.agentId)?.agent;
    return known && known.hard.at >= agent.hard.at ? known : agent;
  }

  setPolicies(policies: PolicySet): void {
    this.policies = policies;
  }

  get currentPolicies(): PolicySet {
    return this.policies;
  }

  addExecutor(executor: Executor): () => void {
    this.executors.push(executor);
    return () => {
      this.executors = this.executors.filter((other) => other !== executor);
    };
  }

  onCommitted(listener: CommittedListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** What agents report one by one and nobody stores, such as their calls. For eyes only: it was not judged yet. */
  onHeard(listener: (signal: Signal) => void): () => void {
    this.heardListeners.add(listener);
    return () => this.heardListeners.delete(listener);
  }

  onStreamed(listener: (events: readonly HolterEvent[]) => void): () => void {
    this.streamListeners.add(listener);
    return () => this.streamListeners.delete(listener);
  }

  get health(): EngineHealth {
    return {
      store: this.outage ? 'unavailable' : 'ok',
      storeReason: this.outage?.reason ?? null,
      tickLagMs: this.tickLagMs,
      queueDepth: this.waiting,
      softWaiting: this.soft.size,
      lastTickAt: this.lastTickAt,
      stallCount: this.stallWatch.stalls.reduce((sum, { count }) => sum + count, 0),
      graceShare: this.graceShare(),
      brakes: this.brakes.map(({ group }) => group),
      cells: this.cells.size,
    };
  }

  /** The time before this start is nobody's fault here, and would be an alert after every night. */
  private graceShare(): number {
    const now = this.options.clock.now();
    const from = instant(Math.max(this.startedAt, now - GRACE_OVER_MS));
    return (graceShare(this.stalls, from, now) * (now - from)) / GRACE_OVER_MS;
  }

  /** Groups that were lost together, and for which single acts rest. */
  get brakes(): readonly EngagedBrake[] {
    if (!this.fleet.isLoaded) return [];
    return Object.entries(this.fleet.get().fleet.brakes).flatMap(([group, { engagedAt, releaseAt }]) =>
      engagedAt === undefined ? [] : [{ group, engagedAt, releaseAt: releaseAt ?? null }],
    );
  }

  /** When nobody looked, an outage that still lasts included. */
  get stalls(): StallLog {
    if (!this.outage) return this.stallWatch.stalls;
    return this.stallWatch.withOutage(this.outage.since, this.options.clock.now());
  }

  /** One beat of Holter's own heart. */
  async tick(): Promise<void> {
    const at = this.options.clock.now();
    this.tickLagMs = this.lastTickAt === null ? 0 : Math.max(0, at - this.lastTickAt - TICK_MS);
    this.lastTickAt = at;
    this.stallWatch.tick(at);
    try {
      await this.soft.flush();
      await this.wakeDue(at);
      await this.outbox.pump();
      await this.stallWatch.persist(at);
      this.noteStoreBack();
    } catch (error) {
      this.noteTrouble(error);
    }
    this.dropIdleCells();
  }

  private scheduleTick(): void {
    if (this.isStopped) return;
    this.cancelTick = this.options.clock.after(TICK_MS, () => {
      this.ticking = this.tick().finally(() => {
        this.ticking = null;
        this.scheduleTick();
      });
    });
  }

  /** One that can't be judged must not keep the others from it: each tick gives every due agent one look. */
  private async wakeDue(at: Instant): Promise<void> {
    const looked = new Set<string>();
    for (;;) {
      const due = await this.options.store.due(at, DUE_LIMIT + looked.size);
      const fresh = due.filter((agentId) => !looked.has(agentId));
      for (const agentId of fresh) looked.add(agentId);
      const looks = await Promise.allSettled(fresh.map((agentId) => this.ask(agentId, { kind: 'tick' })));
      const outage = looks.find(
        (look) => look.status === 'rejected' && look.reason instanceof StoreUnavailable,
      );
      if (outage?.status === 'rejected') throw outage.reason;
      if (fresh.length < DUE_LIMIT) return;
    }
  }

  private ask(agentId: string, body: Extract<Request, { kind: 'input' }>['body']): Promise<Answer> {
    return this.enqueue(agentId, { kind: 'input', body, correlationId: this.options.newId() });
  }

  private enqueue(agentId: string, request: Request): Promise<Answer> {
    const cell = this.cellOf(agentId);
    // The short way for beats: no queue, no promise chain, no store.
    const quick = cell.askQuickly(request);
    return quick ? Promise.resolve(quick) : this.waitFor(cell, request);
  }

  private async waitFor(cell: AgentCell, request: Request): Promise<Answer> {
    this.waiting += 1;
    try {
      return await cell.ask(request);
    } catch (error) {
      this.noteTrouble(error);
      throw error;
    } finally {
      this.waiting -= 1;
    }
  }

  private cellOf(agentId: string): AgentCell {
    const known = this.cells.get(agentId);
    if (known) return known;
    const cell = new AgentCell(agentId, {
      store: this.options.store,
      fleet: this.fleet,
      groups: this.groups,
      commit: (commit) => this.committer.commit(commit),
      now: () => this.options.clock.now(),
      stalls: () => this.stalls,
      policies: () => this.policies,
      softChanged: (agent, beats, wake) => this.soft.put(agent, beats, wake),
      committed: (before, agent, events, effects, firstCursor, correlationId) => {
        this.groups.follow(before, agent);
        for (const listener of this.listeners)
          listener({ agent, events, effects, firstCursor, correlationId });
        if (effects.length > 0) this.pumpSoon();
      },
      streamed: (events) => {
        for (const listener of this.streamListeners) listener(events);
      },
    });
    this.cells.set(agentId, cell);
    return cell;
  }

  private pumpSoon(): void {
    if (this.isStopped) return;
    void this.outbox.pump().catch((error: unknown) => this.noteTrouble(error));
  }

  /** Notices about the whole fleet belong to no agent; they have nobody to ask. */
  private claimWithoutAgent(effect: Effect, answer: Answer): 'proceed' | 'cancelled' {
    return answer.kind === 'unknown-agent' && effect.kind === 'notify' ? 'proceed' : 'cancelled';
  }

  private async receiveOutcome(
    effect: Effect,
    outcome: ReceiptOutcome | 'cancelled',
    detail: string,
  ): Promise<void> {
    if (outcome === 'cancelled') return;
    await this.ask(effect.agentId, { kind: 'receipt', effectId: effect.id, outcome, detail });
  }

  private raiseAttention(effect: Effect, message: string): void {
    const { agentId, incarnation } = effect;
    const at = this.options.clock.now();
    const event: HolterEvent = {
      at,
      incarnation,
      type: 'ATTENTION_RAISED',
      payload: { agentId, about: effect.kind, message },
    };
    for (const listener of this.streamListeners) listener([event]);
  }

  /** A store that is away is a state. Anything else is a bug: it stays with its agent, and is told. */
  private noteTrouble(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) {
      this.options.onBug(error);
      return;
    }
    this.outage ??= { since: this.options.clock.now(), reason: `${error.code}: ${error.message}` };
  }

  /** While the store was away nobody could be heard; that time is nobody's silence. */
  private noteStoreBack(): void {
    if (!this.outage) return;
    this.stallWatch.endOutage(this.outage.since, this.options.clock.now());
    this.outage = null;
  }

  private dropIdleCells(): void {
    const max = this.options.cellsMax ?? CELLS_MAX;
    if (this.cells.size <= max) return;
    for (const [agentId, cell] of this.cells) {
      if (this.cells.size <= max) return;
      if (cell.isIdle) this.cells.delete(agentId);
    }
  }
}

/** Soft signals lose nothing that the next one would not bring again. */
const isSoft = ({ kind }: Signal): boolean =>
  kind === 'heartbeat' || kind === 'pong' || kind === 'activity' || kind === 'tokens';

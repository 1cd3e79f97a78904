import {
  type Agent,
  concernedBy,
  type Decision,
  type Effect,
  type ExecutorState,
  type HolterEvent,
  type InputBody,
  type Instant,
  type NoticeBody,
  RECORD_VERSION,
  type ReceiptOutcome,
  type Registration,
  type Signal,
  type Source,
  type StallLog,
} from '@holter/core';
import type { PolicySet } from '../policy/index.ts';
import { NewerRecord, StoreUnavailable } from '../store/store.ts';
import type { AgentCell } from './agent-cell.ts';
import { AgentCells } from './agent-cells.ts';
import { Committer } from './committer.ts';
import { DueLooks } from './due-looks.ts';
import { type EngagedBrake, EngineBusy, type EngineHealth, type EngineOptions } from './engine-options.ts';
import { type Executor, executorStateOf, isOwnAct, isStarterOf, orderOf } from './executor.ts';
import { FleetCell } from './fleet-cell.ts';
import { type Followed, type FollowedEffect, Follower, type OwnCommit } from './follower.ts';
import { GroupSizes } from './group-sizes.ts';
import { Listeners } from './listeners.ts';
import { LEASE_MS, Outbox } from './outbox.ts';
import type { Answer, Request } from './request.ts';
import { ServerList } from './server-list.ts';
import { isSoft, SoftBuffer } from './soft-buffer.ts';
import { SpendingBook } from './spending-book.ts';
import { StallWatch } from './stall-watch.ts';
import { Ticks } from './ticks.ts';

const INBOX_MAX = 50_000;

/**
 * The main loop: signal, step, commit with version, outbox, act, receipt. Data flows in this direction only.
 * The engine contains no rules: decisions are made in core, and durable state is in the store.
 */
export class Engine {
  private readonly options: EngineOptions;
  private readonly cells: AgentCells;
  private readonly committer: Committer;
  private readonly fleet: FleetCell;
  private readonly groups: GroupSizes;
  readonly spending: SpendingBook;
  /** This server, and the others that share the store. */
  readonly servers: ServerList;
  private readonly soft: SoftBuffer;
  private readonly stallWatch: StallWatch;
  private readonly outbox: Outbox;
  private readonly follower: Follower;
  private readonly dueLooks: DueLooks;
  private readonly ticks: Ticks;
  private readonly committed = new Listeners<OwnCommit>();
  private readonly streamed = new Listeners<readonly HolterEvent[]>();
  private readonly heard = new Listeners<Signal>();
  private policies: PolicySet;
  private executors: Executor[];
  private waiting = 0;
  private isStopped = false;

  constructor(options: EngineOptions) {
    this.options = options;
    const { store } = options;
    this.policies = options.policies;
    this.executors = [...options.executors];
    this.committer = new Committer(store, () => this.recordVersion);
    this.fleet = new FleetCell(store, options.newId);
    this.groups = new GroupSizes(store);
    this.spending = new SpendingBook(store, options.prices ?? []);
    this.soft = new SoftBuffer(store, options.clock, options.sliceMax);
    this.stallWatch = new StallWatch(store, options.clock, this.isShared);
    this.servers = new ServerList({
      ...options,
      id: options.newId(),
      recordVersion: RECORD_VERSION,
      flushedAt: () => this.soft.flushedAt,
      lateTicks: () => this.ticks.lateCount,
      died: (last) => this.stallWatch.noteDeath(last),
    });
    this.cells = new AgentCells(
      {
        store,
        servers: this.isShared ? this.servers : null,
        fleet: this.fleet,
        groups: this.groups,
        commit: (commit) => this.committer.commit(commit),
        channelsFor: options.channelsFor,
        clock: options.clock,
        isHeld: () => !!options.estop?.(),
        stallWatch: this.stallWatch,
        policies: () => this.policies,
        spending: this.spending,
        soft: this.soft,
        committed: (own) => {
          this.follower.committed(own);
          this.committed.tell({ ...own, events: own.events.concat(own.cancelled ?? []) });
          if (own.effects.length > 0) this.pumpSoon();
        },
        streamed: (events) => this.streamed.tell(events),
      },
      options.cellsMax,
    );
    this.dueLooks = new DueLooks(options, this.isShared ? this.servers : null, (due) =>
      this.enqueue(due.agentId, {
        kind: 'input',
        body: { kind: 'tick' },
        due,
        correlationId: options.newId(),
      }),
    );
    this.follower = new Follower({
      store,
      clock: options.clock,
      isShared: this.isShared,
      saw: (cursor) => this.committer.saw(cursor),
      failed: (error) => this.noteTrouble(error),
    });
    this.follower.onCommit((followed) => this.follow(followed));
    this.outbox = new Outbox({
      ...{ store, clock: options.clock, sha256: options.sha256, newSecret: options.newSecret },
      seen: () => this.committer.seen,
      isHeld: async (effect) => !!options.estop?.() && isOwnAct(effect, await this.read(effect.agentId)),
      executors: () => this.executors,
      headOf: (agentId) => this.peek(agentId)?.hard.checkpoint?.id,
      claim: async (effect, evidence) => {
        const answer = await this.ask(effect.agentId, { kind: 'claim', effect, evidence });
        return orderOf(effect, answer);
      },
      receive: (effect, outcome, detail) => this.receiveOutcome(effect, outcome, detail),
      attention: (effect, message) => this.raiseAttention(effect, message),
      failed: (error) => this.noteTrouble(error),
    });
    this.ticks = new Ticks({
      clock: options.clock,
      stallWatch: this.stallWatch,
      soft: this.soft,
      work: (at, betweenSlices) => this.work(at, betweenSlices),
      ticked: () => (this.isShared ? this.servers.look() : Promise.resolve()),
      failed: (error) => this.noteTrouble(error),
    });
  }

  async start(): Promise<void> {
    await this.stallWatch.load();
    await this.ticks.open();
    const cursor = await this.options.store.lastCursor();
    this.committer.saw(cursor);
    await this.follower.start(cursor);
    await this.fleet.load();
    if (this.options.isAlone) await this.outbox.pump(LEASE_MS);
    await this.ticks.start();
  }

  /** Refuses new input, writes what is queued, and stops. Effects under way stay claimable. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.follower.stop();
    await this.ticks.stop();
    await this.outbox.drain();
    await this.soft.flush();
    await this.stallWatch.persist(this.options.clock.now(), true);
    if (this.isShared) await this.servers.leave();
  }

  register(registration: Registration, correlationId: string = this.options.newId()): Promise<Answer> {
    return this.enqueue(registration.agentId, { kind: 'register', registration, correlationId });
  }

  /** Resolves when the signal is durable; a soft signal resolves at once. */
  signal(signal: Signal, origin: Source, correlationId: string = this.options.newId()): Promise<Answer> {
    if (isSoft(signal) && this.waiting >= (this.options.inboxMax ?? INBOX_MAX))
      throw new EngineBusy('too many signals are waiting');
    if (isSoft(signal) && this.isShared) this.stallWatch.refuseDuringOutage();
    if (!isSoft(signal)) this.heard.tell(signal);
    return this.enqueue(signal.agentId, {
      kind: 'input',
      body: { kind: 'signal', signal, origin },
      correlationId,
    });
  }

  decide(agentId: string, decision: Decision, correlationId: string = this.options.newId()): Promise<Answer> {
    return this.enqueue(agentId, { kind: 'input', body: { kind: 'decision', decision }, correlationId });
  }

  /** Sends people a notice about this agent, independent of its incidents. Each effect id is stored once. */
  notify(agentId: string, effectId: string, notice: NoticeBody): Promise<Answer> {
    return this.ask(agentId, { kind: 'notice', effectId, notice });
  }

  /** Asks one of the agent's breakers for a permit, or reports a result. A closed, healthy breaker needs no commit. */
  breaker(agentId: string, call: Omit<Extract<InputBody, { kind: 'breaker' }>, 'kind'>): Promise<Answer> {
    return this.ask(agentId, { kind: 'breaker', ...call });
  }

  /** Takes a receipt that arrives asynchronously: from a remote executor or the reply queue. */
  async receive(effect: Effect, outcome: ReceiptOutcome | 'cancelled', detail: string): Promise<void> {
    await this.receiveOutcome(effect, outcome, detail);
    await this.options.store.settleEffect(effect.id, { at: this.options.clock.now(), outcome, detail });
  }

  /** The agent as held in memory. Null means not loaded; the agent may still be in the store. */
  peek(agentId: string): Agent | null {
    return this.cells.get(agentId)?.agent ?? null;
  }

  /** The newest record, soft facts included. */
  async read(agentId: string): Promise<Agent | null> {
    return (await this.cells.readMany([agentId]))[0] ?? null;
  }

  /** The records of those agents that exist. */
  readMany(agentIds: readonly string[]): Promise<readonly Agent[]> {
    return this.cells.readMany(agentIds);
  }

  /** Adds what this server has heard since the record was stored. */
  freshen(agent: Agent): Agent {
    return this.cells.freshen(agent);
  }

  /** Other servers may write to the same store. */
  get isShared(): boolean {
    return !this.options.isAlone;
  }

  /** The version in which records are written, so that all servers can read them. */
  get recordVersion(): number {
    return this.isShared ? this.servers.recordVersion : RECORD_VERSION;
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

  /** Nobody is there who could start an agent of this executor; another server may know somebody. */
  isStarterGone(executor: string | null): boolean {
    return !this.isShared && !this.executors.some((each) => isStarterOf(each, executor));
  }

  executorState(executor: string | null): ExecutorState {
    return this.isShared ? 'connected' : executorStateOf(this.executors, executor);
  }

  /** Commits of this server. */
  onCommitted(listener: (own: OwnCommit) => void): () => void {
    return this.committed.add(listener);
  }

  /** Commits of every server, each once and in order: for state that must be the same on all servers. */
  onFollowed(listener: (followed: Followed) => void): () => void {
    return this.follower.onCommit(listener);
  }

  onFollowedEffect(listener: (change: FollowedEffect) => void): () => void {
    return this.follower.onEffect(listener);
  }

  /** Signals that are not stored one by one, such as calls. For display only: they have not been judged yet. */
  onHeard(listener: (signal: Signal) => void): () => void {
    return this.heard.add(listener);
  }

  onStreamed(listener: (events: readonly HolterEvent[]) => void): () => void {
    return this.streamed.add(listener);
  }

  get health(): EngineHealth {
    return {
      store: this.stallWatch.trouble ? 'unavailable' : 'ok',
      storeReason: this.stallWatch.trouble?.reason ?? null,
      tickLagMs: this.ticks.lagMs,
      queueDepth: this.waiting,
      softWaiting: this.soft.size,
      lastTickAt: this.ticks.lastAt,
      lateServers: this.servers.late,
      stallCount: this.stallWatch.count,
      graceShare: this.stallWatch.graceShare,
      brakes: this.brakes.map(({ group }) => group),
      cells: this.cells.size,
      estop: this.options.estop?.() ?? null,
    };
  }

  /** Shows for a while that the store has refused something, whoever asked for it. */
  noteRefused = (fault: StoreUnavailable): void => this.stallWatch.noteRefused(fault);

  /** Groups that lost many agents at once, for which individual acts are paused. */
  get brakes(): readonly EngagedBrake[] {
    return this.fleet.brakes;
  }

  /** Times when Holter could not observe agents, including an outage still in progress. */
  get stalls(): StallLog {
    return this.stallWatch.stalls;
  }

  /** Runs the periodic work once. */
  tick(): Promise<void> {
    return this.ticks.run();
  }

  private async work(at: Instant, betweenSlices: () => Promise<boolean>): Promise<void> {
    try {
      await this.follower.poll();
      await this.spending.refresh(at, this.isShared);
      await this.dueLooks.run(at, () => {
        this.cells.dropIdle();
        return betweenSlices();
      });
      await Promise.all(this.cells.floodsOver(at).map((agentId) => this.ask(agentId, { kind: 'tick' })));
      await this.outbox.pump();
    } finally {
      this.cells.dropIdle();
    }
  }

  /** Updates the state in memory from a commit. */
  private follow(followed: Followed): void {
    const { stored, own } = followed;
    this.groups.follow(followed);
    if (own) return;
    if (stored) this.cells.get(stored.agent.hard.agentId)?.learn(stored);
    else void this.fleet.refresh().catch((error: unknown) => this.noteTrouble(error));
  }

  ask(agentId: string, body: InputBody): Promise<Answer> {
    return this.enqueue(agentId, { kind: 'input', body, correlationId: this.options.newId() });
  }

  private enqueue(agentId: string, request: Request): Promise<Answer> {
    const cell = this.cells.of(agentId);
    // Fast path for beats: no queue, no promise chain, no store.
    const quick = cell.askQuickly(request);
    return quick ? Promise.resolve(quick) : this.waitFor(cell, request);
  }

  private async waitFor(cell: AgentCell, request: Request): Promise<Answer> {
    this.waiting += 1;
    this.cells.use(cell);
    try {
      return await cell.ask(request);
    } catch (error) {
      this.noteTrouble(error);
      throw error;
    } finally {
      this.waiting -= 1;
    }
  }

  private pumpSoon(): void {
    if (!this.isStopped) void this.outbox.pump().catch((error: unknown) => this.noteTrouble(error));
  }

  private async receiveOutcome(
    effect: Effect,
    outcome: ReceiptOutcome | 'cancelled',
    detail: string,
  ): Promise<void> {
    if (outcome === 'cancelled') return;
    for (const agentId of concernedBy(effect))
      await this.ask(agentId, { kind: 'receipt', effect, outcome, detail });
  }

  private raiseAttention({ agentId, incarnation, kind }: Effect, message: string): void {
    const payload = { agentId, about: kind, message };
    const event = { at: this.options.clock.now(), incarnation, type: 'ATTENTION_RAISED', payload } as const;
    this.streamed.tell([event]);
  }

  /**
   * An unavailable store is an expected state, and so are a record of a newer server and servers that are faster. Any
   * other error is a bug: it is reported and affects only its agent.
   */
  private noteTrouble(error: unknown): void {
    if (error instanceof NewerRecord || error instanceof EngineBusy) return;
    if (!(error instanceof StoreUnavailable)) {
      this.options.onBug(error);
      return;
    }
    this.stallWatch.beginOutage(`${error.code}: ${error.message}`);
  }
}

import {
  type Agent,
  applyInput,
  enroll,
  type HolterEvent,
  heldGuard,
  type Input,
  type InputBody,
  outlineOf,
  type Registration,
  type Spending,
  type Transition,
  transition,
  withSpending,
} from '@holter/core';
import { type PolicySet, policyFor } from '../policy/index.ts';
import { isKept, maxSoft } from '../store/facts.ts';
import type { Commit, CommitVerdict, DueAgent, Store, StoredAgent } from '../store/store.ts';
import { AuditFold } from './audit-fold.ts';
import type { Clock } from './clock.ts';
import { EngineBusy } from './engine-options.ts';
import { type ChannelsFor, withCopies } from './fan-out.ts';
import type { FleetCell } from './fleet-cell.ts';
import {
  accuses,
  cancellationOf,
  commitOf,
  emptyFolded,
  endLives,
  type Folded,
  isOnlyLookedAt,
  needsCommit,
} from './folded.ts';
import type { OwnCommit } from './follower.ts';
import type { GroupSizes } from './group-sizes.ts';
import { isSameRecord, withNewerSoft, withSoftOf } from './record-copies.ts';
import { type Answer, isBeat, isDue, isRefusal, needsNewest, type Request, whatOf } from './request.ts';
import type { ServerList } from './server-list.ts';
import type { SoftBuffer } from './soft-buffer.ts';
import type { SpendingBook } from './spending-book.ts';
import type { StallWatch } from './stall-watch.ts';

/** What a cell needs of the engine around it. */
export type CellContext = {
  readonly store: Pick<Store, 'load' | 'loadMany'>;
  /**
   * Null for a server that has the store to itself. Others write the same records, so the newest is read before any
   * refusal, decision, accusation or action.
   */
  readonly servers: Pick<ServerList, 'flushedAt'> | null;
  readonly fleet: FleetCell;
  readonly commit: (commit: Commit) => Promise<CommitVerdict>;
  readonly channelsFor: ChannelsFor | undefined;
  readonly clock: Clock;
  /** A person has stopped Holter's own acts: every step is deferred. */
  readonly isHeld: () => boolean;
  readonly stallWatch: Pick<StallWatch, 'stalls'>;
  readonly policies: () => PolicySet;
  readonly groups: GroupSizes;
  readonly spending: SpendingBook;
  readonly soft: Pick<SoftBuffer, 'put'>;
  /** Called only once the commit is durable. */
  readonly committed: (commit: OwnCommit) => void;
  /** Events that are streamed but not stored: heartbeats. */
  readonly streamed: (events: readonly HolterEvent[]) => void;
};

type Pending = {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
};

/** Most inputs per transaction, so that a flood from one agent does not starve the others. */
const BATCH_MAX = 64;
/** How often a judgement that waits for other servers looks whether they have stored what they heard. */
const FLUSH_POLL_MS = 100;
const FLUSH_MS_MAX = 5_000;
/** A conflict means that another server committed first. After this many in a row the caller has to ask again. */
const CONFLICTS_MAX = 20;

/**
 * One agent in this server: its newest committed record, and a queue that folds inputs one at a time.
 * Inputs that arrive during a commit are folded together afterwards and share the next commit. Nothing is
 * answered, published or acted upon before it is durable, except soft facts.
 */
export class AgentCell {
  readonly agentId: string;
  private readonly context: CellContext;
  private stored: StoredAgent | null = null;
  private isLoaded = false;
  private inbox: Pending[] = [];
  private isRunning = false;
  /** Only the outline of the record is in memory: enough for plain beats. */
  private isOutline = false;
  audit = NO_FOLD;
  /** A commit whose answer may get lost; the record tells later whether it was carried out. */
  private unanswered: { readonly stored: StoredAgent; readonly audit: AuditFold } | null = null;

  constructor(agentId: string, context: CellContext) {
    this.agentId = agentId;
    this.context = context;
  }

  get agent(): Agent | null {
    return this.isOutline ? null : (this.stored?.agent ?? null);
  }

  /** Adds what this server has heard since the record was stored. */
  freshen(agent: Agent): Agent {
    const known = this.stored?.agent;
    if (!known || known === agent) return agent;
    const isNewer = !this.isOutline && known.hard.at >= agent.hard.at;
    return isNewer ? withSoftOf(known, agent) : withSoftOf(agent, known);
  }

  /** Keeps only what a plain beat needs. False: this agent needs its record. */
  shrink(): boolean {
    const outline = this.stored && this.isLoaded && this.isIdle ? outlineOf(this.stored.agent) : null;
    if (!this.stored || !outline) return false;
    this.stored = { agent: outline, version: this.stored.version };
    this.isLoaded = false;
    this.isOutline = true;
    this.audit = NO_FOLD;
    return true;
  }

  get isIdle(): boolean {
    return !this.isRunning && this.inbox.length === 0;
  }

  ask(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.inbox.push({ request, resolve, reject });
      if (!this.isRunning) void this.run();
    });
  }

  /** Fast path: a beat that changes only soft facts of a known, idle agent skips the queue and the store. */
  askQuickly(request: Request): Answer | null {
    if (!isBeat(request) || !this.stored || !this.isIdle) return null;
    if (!this.isLoaded && !this.isOutline) return null;
    const before = this.stored.agent;
    const { input, policy, money } = this.given(before, request.body);
    // The fleet matters only to an agent that asks it for something.
    const { agent, events, effects, asks } = applyInput(before, input, policy, money);
    // The beat changes more than soft facts: the queue folds it again and commits.
    if (agent.hard !== before.hard || asks.length > 0 || effects.length > 0 || events.some(isKept))
      return null;
    this.keepSoft(agent, events);
    return { kind: 'folded', agent };
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.inbox.length > 0) {
      const batch = this.inbox.slice(0, BATCH_MAX);
      this.inbox = this.inbox.slice(BATCH_MAX);
      try {
        const answers = await this.process(batch.map(({ request }) => request));
        batch.forEach(({ resolve }, index) => {
          resolve(answers[index] ?? { kind: 'unknown-agent' });
        });
      } catch (error) {
        // The whole batch is discarded: record and fleet are reloaded before the next fold.
        this.expire();
        this.context.fleet.forget();
        for (const { reject } of batch) reject(error);
      }
    }
    this.isRunning = false;
  }

  private async process(requests: readonly Request[]): Promise<readonly Answer[]> {
    let isNewest = !this.isLoaded;
    if (this.context.servers && !isNewest && requests.some(needsNewest)) isNewest = this.expire();
    for (const request of requests) if (isDue(request)) this.catchUp(request.due);
    for (let conflicts = 0; ; conflicts++) {
      // Other cells run during each read and may discard the fleet again.
      do {
        await this.load();
        await this.loadGroups(requests);
      } while (!this.context.fleet.isLoaded);
      const before = this.stored;
      const folded = this.fold(requests);
      const isAccused = !requests.some(isDue) && this.isAccused(before?.agent ?? null, folded);
      const isDoubtful = folded.answers.some(isRefusal) || isAccused;
      if (this.context.servers && !isNewest && isDoubtful) {
        if (folded.fleet) this.context.fleet.forget();
        if (isAccused) await this.othersFlushed();
        isNewest = this.expire();
        continue;
      }
      const { clock, policies } = this.context;
      const { kept, next } = this.audit.take(folded.events, clock.now(), policies().quotas);
      folded.events = kept;
      if (!folded.agent || !needsCommit(folded)) {
        this.audit = next;
        return folded.agent ? this.acceptSoft(folded) : folded.answers;
      }
      const version = before?.version ?? 0;
      this.unanswered = { stored: { agent: folded.agent, version: version + 1 }, audit: next };
      const commit = commitOf(folded, version, requests[0]?.correlationId ?? '');
      const verdict = await this.context.commit(commit);
      if (verdict.kind === 'ok') {
        this.unanswered = null;
        this.audit = next;
        return this.accept(folded, verdict, before?.agent ?? null, requests);
      }
      isNewest = this.expire();
      this.context.fleet.forget();
      if (conflicts >= CONFLICTS_MAX) throw new EngineBusy(`other servers are faster with ${this.agentId}`);
    }
  }

  private async load(): Promise<void> {
    await this.context.fleet.load();
    if (!this.isLoaded) {
      const loaded = await this.context.store.load(this.agentId);
      this.settleAudit(loaded);
      this.stored = loaded && this.stored ? withNewerSoft(loaded, this.stored.agent) : loaded;
      this.isOutline = false;
      // An unknown agent is looked up each time, because another server may register it.
      this.isLoaded = loaded !== null;
    }
    if (this.stored) await this.context.groups.load(this.stored.agent.hard.group);
  }

  /** Rows of a commit that was carried out must not be written again, although its answer was lost. */
  private settleAudit(loaded: StoredAgent | null): void {
    const { unanswered } = this;
    this.unanswered = null;
    if (unanswered && loaded && isSameRecord(unanswered.stored, loaded)) this.audit = unanswered.audit;
  }

  /** Takes over a commit of another server. A commit under way here will fail with a conflict. */
  learn(newer: StoredAgent): void {
    if (!this.stored || newer.version <= this.stored.version) return;
    if (!this.isIdle && !this.isOutline) this.expire();
    else {
      this.stored = withNewerSoft(newer, this.stored.agent);
      this.isOutline = false;
    }
  }

  /** Is the passing of time held against the agent here, where others may have heard from it? */
  private isAccused(before: Agent | null, { events }: Folded): boolean {
    return before !== null && before.hard.wakeAt <= this.context.clock.now() && accuses(events);
  }

  /** Waits until what all servers have heard by now is stored. */
  private async othersFlushed(): Promise<void> {
    const { servers, clock } = this.context;
    const now = clock.now();
    while (servers && servers.flushedAt < now && clock.now() - now < FLUSH_MS_MAX)
      await new Promise<void>((resolve) => clock.after(FLUSH_POLL_MS, resolve));
  }

  /** Forces a reload before the next fold. */
  private expire(): true {
    this.isLoaded = false;
    return true;
  }

  /** Merges soft facts that other servers flushed, so that they count when the agent is judged. */
  private catchUp({ version, incarnation, soft }: DueAgent): void {
    if (!this.stored) return;
    if (version > this.stored.version) this.expire();
    const { agent } = this.stored;
    if (incarnation === agent.hard.incarnation)
      this.stored = { ...this.stored, agent: { ...agent, soft: maxSoft(agent.soft, soft) } };
  }

  /** Counts a group in the store before its first commit here; later commits adjust the count. */
  private async loadGroups(requests: readonly Request[]): Promise<void> {
    for (const request of requests)
      if (request.kind === 'register') await this.context.groups.load(request.registration.group);
  }

  private accept(
    folded: Folded,
    verdict: CommitVerdict & { kind: 'ok' },
    before: Agent | null,
    requests: readonly Request[],
  ): readonly Answer[] {
    const { agent, events, effects, answers } = folded;
    if (!agent) return answers;
    const { kind: _, version, ...logged } = verdict;
    const stored = { agent, version };
    this.stored = stored;
    this.context.spending.add(folded.spending);
    const correlationId = requests[0]?.correlationId ?? '';
    const inputs = requests.map((request) => ({
      correlationId: request.correlationId,
      what: whatOf(request),
    }));
    this.context.committed({ before, stored, events, effects, ...logged, correlationId, inputs });
    return answers;
  }

  private acceptSoft({ agent, events, answers, isPostponed }: Folded): readonly Answer[] {
    if (agent) this.keepSoft(agent, events, isPostponed);
    return answers;
  }

  private keepSoft(agent: Agent, events: readonly HolterEvent[], isPostponed = false): void {
    if (this.stored && agent !== this.stored.agent) {
      const { version } = this.stored;
      this.stored = { agent, version };
      const wake = isPostponed ? { version, at: agent.hard.wakeAt } : undefined;
      this.context.soft.put(agent, events.length, wake);
    }
    if (events.length > 0) this.context.streamed(events);
  }

  private fold(requests: readonly Request[]): Folded {
    const folded = emptyFolded(this.stored?.agent ?? null);
    for (const request of requests) folded.answers.push(this.foldOne(folded, request));
    return folded;
  }

  /** `pending` is what the batch has spent so far, and what is not on the books yet. */
  private transition(agent: Agent, body: InputBody, pending: readonly Spending[] = []): Transition {
    const { fleet, groups, policies } = this.context;
    const { group } = agent.hard;
    const { input, policy, money } = this.given(agent, body);
    const isHeld = this.context.isHeld();
    const known = fleet.get().fleet;
    const after = transition(agent, isHeld ? heldGuard(group, input.at) : known, input, {
      policy,
      fleetPolicy: policies().fleet,
      groupSize: groups.sizeOf(group),
      money: withSpending(money, pending),
    });
    return isHeld ? { ...after, fleet: known } : after;
  }

  /** What the rules need to know besides the record and the fleet. */
  private given(agent: Agent, body: InputBody) {
    const { clock, stallWatch, policies, spending } = this.context;
    const { role, group, patience } = agent.hard;
    const set = policies();
    const input: Input = { at: clock.now(), stalls: stallWatch.stalls, ...body };
    const policy = policyFor(set, role, this.agentId, group, patience);
    return { input, policy, money: spending.moneyOf(agent.hard, policy, set, input.at) };
  }

  private foldOne(folded: Folded, request: Request): Answer {
    if (request.kind === 'register') return this.foldRegistration(folded, request.registration);
    const before = folded.agent;
    if (!before) return { kind: 'unknown-agent' };
    const { fleet } = this.context.fleet.get();
    const after = this.transition(before, request.body, folded.spending);
    folded.agent = after.agent;
    if (after.agent.hard !== before.hard) {
      if (isOnlyLookedAt(before.hard, after.agent.hard)) folded.isPostponed = true;
      else folded.isHardChanged = true;
    }
    folded.events = folded.events.concat(after.events);
    endLives(folded, after.over, after.agent.hard.at);
    folded.effects = [...folded.effects, ...withCopies(after.effects, this.context.channelsFor)];
    folded.spending.push(...(after.spending ?? []));
    if (after.fleet !== fleet) {
      if (folded.fleetVersions) this.context.fleet.amend(after.fleet);
      else folded.fleetVersions = this.context.fleet.replace(after.fleet);
      folded.fleet = after.fleet;
    }
    return {
      kind: 'folded',
      agent: after.agent,
      ...(after.claim && { claim: after.claim }),
      ...cancellationOf(after.events),
      ...(after.permit && { permit: after.permit }),
      ...(after.rejection && { rejected: after.rejection }),
    };
  }

  private foldRegistration(folded: Folded, registration: Registration): Answer {
    const { clock, stallWatch, policies } = this.context;
    const policy = policyFor(
      policies(),
      registration.role,
      this.agentId,
      registration.group,
      registration.patience,
    );
    const at = clock.now();
    const enrollment = enroll(folded.agent, registration, { at, stalls: stallWatch.stalls, policy });
    if (enrollment.kind === 'refused') return { kind: 'enrolled', agent: folded.agent as Agent, enrollment };
    folded.isHardChanged ||= enrollment.agent !== folded.agent;
    folded.agent = enrollment.agent;
    folded.events = folded.events.concat(enrollment.events);
    endLives(folded, enrollment.over, at);
    folded.spending.push(...(enrollment.spending ?? []));
    return { kind: 'enrolled', agent: enrollment.agent, enrollment };
  }
}

const NO_FOLD = new AuditFold();

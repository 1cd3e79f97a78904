import {
  type Agent,
  type EscalationTicket,
  type Evidence,
  type HealthSummary,
  type Instant,
  instant,
  type JudgeVerdict,
  judgeSummary,
  type LastCheck,
  minutes,
  type PriceTable,
  summarize,
  type TicketAct,
  type TicketCondition,
  type TicketNote,
  type TicketTriage,
  triageByRules,
  triageTicket,
} from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Intake } from '../intake/index.ts';
import type { JudgeSettings } from '../policy/index.ts';
import type { Store } from '../store/store.ts';
import { type CheckByHand, checkByHand, type StartOf } from './by-hand.ts';
import { CheckBook, type JudgeCheck } from './check-book.ts';
import { EvidenceBook } from './evidence-book.ts';
import { FolderSessions } from './folder-sessions.ts';
import { ModelJudge, type ModelTrouble } from './model-judge.ts';
import { TicketBook } from './ticket-book.ts';
import { isoOf, ticketOf } from './ticket-of.ts';

type JudgeContext = {
  readonly engine: Pick<Engine, 'ask' | 'read' | 'onHeard' | 'currentPolicies'>;
  readonly intake: Pick<Intake, 'register' | 'take'>;
  readonly store: Pick<Store, 'readEvents' | 'listAgents' | 'getMeta' | 'swapMeta'>;
  /** The prices that Holter ships; the operator's come first. */
  readonly prices: PriceTable;
  readonly clock: Clock;
  readonly wallNow: () => number;
  /** Default: as the operating system says. */
  readonly startOf?: StartOf;
  readonly newId: () => string;
  /** Where relative paths of folders begin. */
  readonly base: () => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a command that judges runs. */
  readonly folder: string;
  readonly warn: (message: string) => void;
  readonly failed: (error: unknown) => void;
};

/** What is remembered of an agent between two checks. */
type Memory = LastCheck & {
  /** When it is looked at again although nothing has changed. */
  readonly dueAt: Instant | null;
  readonly status: string;
};

type Answered = Extract<TicketAct, { kind: 'answer' }>;

const AGENTS_MAX = 5_000;
const PAGE = 500;
/** A ticket that waited so long for its triage was left by a server that is gone; a model may take its time. */
const TRIAGE_LEFT_MS = minutes(25);

/**
 * Reads how agents do, writes tickets about those that do badly, and decides whether a person is disturbed. It looks
 * only at agents that have made a step since the last round, and at those whose stall has become long enough.
 */
export class Judge {
  readonly tickets: TicketBook;
  private readonly context: JudgeContext;
  private readonly evidence: EvidenceBook;
  private readonly folders: FolderSessions;
  private readonly model: ModelJudge;
  private readonly memories = new Map<string, Memory>();
  /** Of agents that are judged from folders. */
  private readonly found = new Map<string, Evidence>();
  private readonly checks: CheckBook;
  /** Tickets about which a model is being asked. */
  private readonly inTriage = new Set<string>();
  private hasLoaded = false;
  private cancel: () => void = () => undefined;
  private isStopped = false;

  constructor(context: JudgeContext) {
    this.context = context;
    const { engine, store, clock } = context;
    this.tickets = new TicketBook(store);
    this.checks = new CheckBook(store);
    this.evidence = new EvidenceBook({ engine, now: () => clock.now() });
    this.folders = new FolderSessions(context);
    const prices = () => [...engine.currentPolicies.prices, ...context.prices];
    this.model = new ModelJudge({ ...context, prices, settings: () => this.settings });
  }

  /** The first round is at once: it is the baseline of everything that is at work already. */
  start(): void {
    this.schedule(0);
  }

  stop(): void {
    this.isStopped = true;
    this.cancel();
    this.evidence.close();
  }

  /** Why no model can be asked, although one is wanted. */
  get trouble(): ModelTrouble | null {
    return this.model.trouble;
  }

  /** Where its commands run. */
  get folder(): string {
    return this.context.folder;
  }

  /** Whether that is in use by one of them. */
  get isRunning(): boolean {
    return this.model.isRunning;
  }

  /** How often a model was asked since the start. */
  get modelCalls(): number {
    return this.model.calls;
  }

  /** The newest first. */
  checksOf(agentId: string): readonly JudgeCheck[] {
    return this.checks.of(agentId);
  }

  summaryOf(agent: Agent, lastSteps?: number): HealthSummary {
    return this.summarize(this.evidenceOf(agent), lastSteps);
  }

  /** One check that changes nothing, and those that were made by the clock. */
  check(agent: Agent): CheckByHand & { readonly checks: readonly JudgeCheck[] } {
    const { clock, newId } = this.context;
    const { agentId, startedAt } = agent.hard;
    const { intervalMs, thresholds } = this.settings;
    const terms = { at: clock.now(), startedAt, intervalMs, thresholds, newId };
    return { ...checkByHand(this.evidenceOf(agent), terms), checks: this.checksOf(agentId) };
  }

  /** The agent at work that was heard last; null if there is none. */
  async newestAtWork(): Promise<Agent | null> {
    const { engine } = this.context;
    const found = [...this.found].map(([agentId, { lastStepAt }]) => ({ agentId, at: lastStepAt ?? 0 }));
    for (const { agentId } of [...this.evidence.heard, ...found].sort((a, b) => b.at - a.at)) {
      const agent = await engine.read(agentId);
      if (agent && this.summaryOf(agent).is_at_work) return agent;
    }
    return null;
  }

  /** An agent by its id, or by the session that it is in now. */
  async findSession(sessionId: string): Promise<Agent | null> {
    const { engine } = this.context;
    for (const [agentId, evidence] of this.found)
      if (evidence.sessionId === sessionId) return engine.read(agentId);
    return engine.read(sessionId);
  }

  /** Why the ticket was not written; null if it was. What rules can't decide about it, a model does later. */
  async emit(agent: Agent, ticket: EscalationTicket, condition: TicketCondition): Promise<string | null> {
    const { agentId } = agent.hard;
    const { cooldownMs } = this.settings;
    const triage = this.triageAtOnce(ticket, condition, this.summaryOf(agent));
    const act = { kind: 'emit', ticket, condition, cooldownMs, ...(triage && { triage }) } as const;
    const refused = await this.tell(agentId, act);
    if (refused === null && !triage) void this.triageByModel(agentId, ticket).catch(this.context.failed);
    return refused;
  }

  /** Null: a model is to be asked. */
  private triageAtOnce(
    ticket: EscalationTicket,
    condition: TicketCondition,
    now: HealthSummary,
  ): TicketTriage | null {
    const byRules = triageTicket(ticket, now);
    if (byRules.outcome !== 'undecided') return byRules;
    // A model has written it, and has seen more than the numbers that triage goes by.
    if (condition === 'fruitless')
      return { outcome: 'intervene', analysis: ticket.judge_reasoning, by: 'model' };
    return this.model.isWanted ? null : triageByRules(ticket, now);
  }

  private async triageByModel(agentId: string, ticket: EscalationTicket): Promise<void> {
    const { ticket_id: ticketId } = ticket;
    if (this.inTriage.has(ticketId)) return;
    this.inTriage.add(ticketId);
    try {
      const agent = await this.context.engine.read(agentId);
      if (!agent) return;
      const evidence = this.evidenceOf(agent);
      const said = await this.model.triage(ticket, this.summarize(evidence), evidence);
      const triage = said ?? triageByRules(ticket, this.summaryOf(agent));
      await this.tell(agentId, { kind: 'triage', ticketId, triage });
    } finally {
      this.inTriage.delete(ticketId);
    }
  }

  /** Tickets that a server left without a triage when it stopped. */
  private async triageLeft(now: Instant): Promise<void> {
    for (const { agentId, status, at, ticket } of await this.tickets.list())
      if (status === 'new' && now - at > TRIAGE_LEFT_MS) await this.triageByModel(agentId, ticket);
  }

  /** What a person says about a ticket. */
  async answer(
    agentId: string,
    given: Pick<Answered, 'ticketId' | 'answer' | 'by' | 'reason'>,
  ): Promise<void> {
    const { cooldownMs } = this.settings;
    await this.tell(agentId, { kind: 'answer', ...given, cooldownMs });
  }

  /** Why it was refused; null if it was not. */
  async tell(agentId: string, act: TicketAct): Promise<string | null> {
    const answer = await this.context.engine.ask(agentId, { kind: 'ticket', act });
    if (answer.kind !== 'folded') return 'there is no such agent';
    return answer.rejected?.because ?? null;
  }

  /** Looks once at everything that is due. */
  async round(): Promise<void> {
    const { engine, clock, base } = this.context;
    const now = clock.now();
    if (!this.hasLoaded) await this.load();
    const sessions = await this.folders.look(this.settings.folders, base());
    this.found.clear();
    for (const { agent, evidence } of sessions) {
      const { agentId } = agent.hard;
      this.found.set(agentId, evidence);
      if (this.isDue(agentId, evidence, now)) await this.look(agent, evidence);
    }
    const due = [...this.memories].flatMap(([id, { dueAt }]) => (dueAt !== null && dueAt <= now ? [id] : []));
    for (const agentId of new Set([...this.evidence.takeChanged(), ...due])) {
      if (this.found.has(agentId) || this.isStopped) continue;
      const agent = await engine.read(agentId);
      const evidence = agent && this.evidence.of(agent);
      // Without verdicts there is nothing that rules could say about it.
      if (evidence && (evidence.hasVerdicts || (this.settings.model && evidence.fruitless)))
        await this.look(agent as Agent, evidence);
      else this.memories.delete(agentId);
    }
    await this.triageLeft(now);
    await this.checks.save();
  }

  /** Agents that went silent before this server started are looked at as well: nothing else would tell of them. */
  private async load(): Promise<void> {
    const { store } = this.context;
    await this.checks.load();
    let cursor: string | undefined;
    do {
      const page = await store.listAgents({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
      for (const { agent } of page.items)
        if (this.isJudged(this.evidence.of(agent))) this.evidence.expect(agent.hard.agentId);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    this.hasLoaded = true;
  }

  /** Without verdicts there is nothing that rules could say about it. */
  private isJudged({ isAtWork, hasVerdicts, fruitless }: Evidence): boolean {
    return isAtWork && (hasVerdicts || (this.settings.model !== null && fruitless !== null));
  }

  private evidenceOf(agent: Agent): Evidence {
    return this.found.get(agent.hard.agentId) ?? this.evidence.of(agent);
  }

  private get settings(): JudgeSettings {
    return this.context.engine.currentPolicies.judge;
  }

  private schedule(delayMs: number): void {
    if (this.isStopped) return;
    this.cancel = this.context.clock.after(delayMs, () => {
      void this.round()
        .catch(this.context.failed)
        .finally(() => this.schedule(this.settings.intervalMs));
    });
  }

  private isDue(agentId: string, { sessionId, totalSteps, status }: Evidence, now: Instant): boolean {
    const memory = this.memories.get(agentId);
    if (memory?.session_id !== sessionId || memory.total_steps !== totalSteps) return true;
    return memory.status !== status || (memory.dueAt !== null && memory.dueAt <= now);
  }

  private async look(agent: Agent, evidence: Evidence): Promise<void> {
    const { agentId } = agent.hard;
    const summary = this.summarize(evidence);
    const { thresholds } = this.settings;
    const byRules = judgeSummary(summary, this.memories.get(agentId) ?? null, thresholds);
    this.remember(agentId, evidence, byRules);
    const verdict =
      byRules.verdict === 'undecided' ? await this.askModel(byRules, summary, evidence) : byRules;
    await this.resolvePassed(agent, summary, byRules);
    const ticketId = verdict.verdict === 'escalate' ? await this.escalate(agent, summary, verdict) : null;
    this.note(agentId, summary, verdict, ticketId);
  }

  /** What rules leave open. Without a model, or without its answer, it stays open, and nothing follows. */
  private async askModel(
    open: JudgeVerdict,
    summary: HealthSummary,
    evidence: Evidence,
  ): Promise<JudgeVerdict> {
    const said = await this.model.decide(summary, evidence);
    if (!said) return open;
    return { ...open, verdict: said.verdict, reasoning: `${open.reasoning} The model: ${said.reasoning}` };
  }

  private remember(agentId: string, evidence: Evidence, verdict: JudgeVerdict): void {
    const { lastStepAt, sessionId: session_id, totalSteps: total_steps, status } = evidence;
    const now = this.context.clock.now();
    const stallAt = lastStepAt === null ? null : instant(lastStepAt + this.settings.thresholds.stallMs);
    const mayStall = evidence.isAtWork && evidence.waitingFor === null && evidence.hasVerdicts;
    const dueAt = verdict.isToBeRepeated
      ? now
      : mayStall && stallAt !== null && stallAt > now
        ? stallAt
        : null;
    this.memories.delete(agentId);
    this.memories.set(agentId, { session_id, total_steps, status, dueAt });
    const [oldest] = this.memories.keys();
    if (this.memories.size > AGENTS_MAX && oldest !== undefined) this.memories.delete(oldest);
  }

  private async escalate(
    agent: Agent,
    summary: HealthSummary,
    { escalation, reasoning }: JudgeVerdict,
  ): Promise<string | null> {
    const { clock, newId } = this.context;
    if (!escalation || openNotes(agent).some(({ condition }) => condition === escalation.condition))
      return null;
    const ticket = ticketOf(summary, { ...escalation, reasoning }, { id: newId(), at: clock.now() });
    const refused = await this.emit(agent, ticket, escalation.condition);
    return refused === null ? ticket.ticket_id : null;
  }

  /** A ticket ends with its condition, as far as this judge can tell. */
  private async resolvePassed(
    agent: Agent,
    summary: HealthSummary,
    { escalation }: JudgeVerdict,
  ): Promise<void> {
    for (const { condition } of openNotes(agent)) {
      const reason = condition === escalation?.condition ? null : this.whyPassed(condition, summary);
      if (reason !== null) await this.tell(agent.hard.agentId, { kind: 'resolve', condition, reason });
    }
  }

  private whyPassed(condition: TicketCondition, summary: HealthSummary): string | null {
    const { steps_since_last_accept: streak, stall_minutes, waiting_for, fruitless } = summary;
    switch (condition) {
      case 'no-accept':
        return streak < this.settings.thresholds.medium ? `${streak} steps since the last ACCEPT` : null;
      case 'stall':
        if (waiting_for !== null) return `it waits: ${waiting_for}`;
        return minutes(stall_minutes ?? 0) < this.settings.thresholds.stallMs ? 'it makes steps again' : null;
      case 'fruitless':
        return fruitless === null ? 'its calls bring something again' : null;
      case 'reported':
        return null;
    }
  }

  private note(agentId: string, summary: HealthSummary, judged: JudgeVerdict, ticketId: string | null): void {
    const { verdict, reasoning } = judged;
    const at = this.context.clock.now();
    this.checks.note({ at, agentId, sessionId: summary.session_id, verdict, reasoning, ticketId });
  }

  private summarize(evidence: Evidence, lastSteps?: number): HealthSummary {
    const at = this.context.clock.now();
    return summarize(evidence, { at, isoOf, ...(lastSteps !== undefined && { lastSteps }) });
  }
}

const openNotes = ({ hard }: Agent): readonly TicketNote[] =>
  (hard.tickets ?? []).filter(({ status }) => status === 'new' || status === 'asking');

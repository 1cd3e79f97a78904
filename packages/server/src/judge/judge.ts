import {
  type Agent,
  type EscalationTicket,
  type Evidence,
  type HealthSummary,
  type Instant,
  minutes,
  summarize,
  type TicketAct,
  type TicketCondition,
  triageByRules,
} from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/store.ts';
import { EvidenceBook } from './evidence-book.ts';
import { TicketBook } from './ticket-book.ts';

type JudgeContext = {
  readonly engine: Pick<Engine, 'ask' | 'read' | 'onHeard'>;
  readonly store: Pick<Store, 'readEvents'>;
  readonly clock: Clock;
};

/** The same condition makes no second ticket for so long, unless it gets worse. */
const COOLDOWN_MS = minutes(30);

const isoOf = (at: Instant): string => new Date(at).toISOString();

/** Reads how agents do, writes tickets about those that do badly, and decides whether a person is disturbed. */
export class Judge {
  readonly tickets: TicketBook;
  private readonly evidence: EvidenceBook;
  private readonly context: JudgeContext;

  constructor(context: JudgeContext) {
    this.context = context;
    const { engine, store, clock } = context;
    this.tickets = new TicketBook(store);
    this.evidence = new EvidenceBook({ engine, now: () => clock.now() });
  }

  stop(): void {
    this.evidence.close();
  }

  summaryOf(agent: Agent, lastSteps?: number): HealthSummary {
    return this.summarize(this.evidence.of(agent), lastSteps);
  }

  /** The session at work that was heard last; null if there is none. */
  async newestAtWork(): Promise<Agent | null> {
    for (const agentId of this.evidence.agentIds) {
      const agent = await this.context.engine.read(agentId);
      if (agent && this.evidence.of(agent).isAtWork) return agent;
    }
    return null;
  }

  /** Why the ticket was not written; null if it was. */
  async emit(agent: Agent, ticket: EscalationTicket, condition: TicketCondition): Promise<string | null> {
    const triage = triageByRules(ticket, this.summaryOf(agent));
    const act = { kind: 'emit', ticket, condition, cooldownMs: COOLDOWN_MS, triage } as const;
    return this.tell(agent.hard.agentId, act);
  }

  /** Why it was refused; null if it was not. */
  async tell(agentId: string, act: TicketAct): Promise<string | null> {
    const answer = await this.context.engine.ask(agentId, { kind: 'ticket', act });
    if (answer.kind !== 'folded') return 'there is no such agent';
    return answer.rejected?.because ?? null;
  }

  private summarize(evidence: Evidence, lastSteps?: number): HealthSummary {
    const at = this.context.clock.now();
    return summarize(evidence, { at, isoOf, ...(lastSteps !== undefined && { lastSteps }) });
  }
}

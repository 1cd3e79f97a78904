import type { Complain, Deed, LogEntry } from './violation.ts';
import type { Orders } from './orders.ts';
import type { TruthBook } from './truth-log.ts';

/** Shorter than this, what held a moment ago may still be acted upon without being wrong. */
const JUST_NOW_MS = 90_000;
/** As long as an outbox keeps what it has claimed; only then somebody else may take it up. */
const LEASE_MS = 60_000;

/**
 * Invariants 1 and 4, where something was really done: nobody who works is stopped without an order, nothing
 * is done before it is on record, and nothing is done twice at once.
 */
export class DeedAudit {
  wrongTerminations = 0;
  private readonly complain: Complain;
  private readonly truth: TruthBook;
  private readonly deeds: Deed[] = [];
  /** How many lines decide such a deed for such an agent, and which deeds were begun. */
  private readonly decided = new Map<string, number>();
  private readonly begunIds = new Map<string, Set<string>>();
  private readonly orders: Orders;
  private readonly deathsOf = new Map<number, number>();

  constructor(complain: Complain, truth: TruthBook, orders: Orders) {
    this.complain = complain;
    this.truth = truth;
    this.orders = orders;
  }

  read({ event, agentId }: LogEntry): void {
    const kind = deedDecidedBy(event);
    if (kind === null) return;
    const key = `${agentId} ${kind}`;
    this.decided.set(key, (this.decided.get(key) ?? 0) + 1);
  }

  begun(deed: Deed): void {
    this.checkRepeat(deed);
    this.deeds.push(deed);
    if (!RECORDED.has(deed.kind)) return;
    const key = `${deed.agentId} ${deed.kind}`;
    const ids = (this.begunIds.get(key) ?? new Set<string>()).add(deed.effectId);
    this.begunIds.set(key, ids);
    if (ids.size > (this.decided.get(key) ?? 0))
      this.complain(4, deed.agentId, deed.from, `${deed.effectId} was done before it was on record`);
  }

  /** A process of the agent was really killed; `isHers` says whether it was the one that was meant. */
  killed(agentId: string, at: number, isHers: boolean): void {
    if (!isHers) {
      this.complain(1, agentId, at, 'the kill hit a stranger that has its pid now');
      return;
    }
    const now = this.truth.at(agentId, at);
    if (now?.truth !== 'fine' || at - now.since <= JUST_NOW_MS) return;
    if (this.orders.has(agentId)) return;
    this.wrongTerminations += 1;
    this.complain(1, agentId, at, 'it worked, and was killed');
  }

  serverDied(server: number, at: number): void {
    this.deathsOf.set(server, at);
  }

  private checkRepeat(deed: Deed): void {
    for (const other of this.deeds) {
      if (other.effectId !== deed.effectId) continue;
      const isAbandoned = (this.deathsOf.get(other.by) ?? Number.POSITIVE_INFINITY) <= deed.from;
      const isUnderWay = Number.isNaN(other.to) && !isAbandoned;
      if (isUnderWay && deed.from - other.from < LEASE_MS)
        this.complain(4, deed.agentId, deed.from, `${deed.effectId} is done twice at once`);
    }
  }
}

/** Deeds that have a line of their own in the log; notices and inquiries have none. */
const RECORDED: ReadonlySet<string> = new Set(['nudge', 'terminate', 'spawn']);

function deedDecidedBy(event: LogEntry['event']): string | null {
  switch (event.type) {
    case 'NUDGE_SENT':
      return 'nudge';
    case 'RECOVERY_INITIATED':
      return 'spawn';
    case 'INCIDENT_OPENED':
    case 'INCIDENT_REOPENED':
    case 'INCIDENT_STEP':
      return event.payload.step === 'terminate' ? 'terminate' : null;
    default:
      return null;
  }
}

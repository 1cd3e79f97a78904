import type { EventOf, HolterEvent, MessagePriority } from '@holter/core';
import { contract, pulseOfRole, TOLERANCE_MS } from '../audit/contract.ts';
import type { Report } from '../audit/violation.ts';
import type { MailAgent } from './mail-agent.ts';
import type { MailBounds } from './mail-bounds.ts';

/** A tick of the server, and one of the world. */
const LATE_MS = 2 * contract.tickMs + TOLERANCE_MS;

/** What has happened to a letter, also before its sender knew that it was stored. */
type Fate = {
  maybeAcknowledgedAt: number;
  acknowledgedAt: number;
  overdueAt: number | null;
};

/** A letter of Holter to an agent. What is not known for sure lies between two times. */
type Letter = Fate & {
  readonly priority: MessagePriority;
  /** Since when its acknowledgement may be awaited: since one of the calls that sent it. */
  awaitedFrom: readonly number[];
  awaitedBy: number;
};

type Box = {
  readonly letters: Map<string, Letter>;
  readonly early: Map<string, Fate>;
  /** When urgent letters became late of which a person has to be told. */
  readonly owed: Set<number>;
  /** Since when the overdue letters count as a failure. */
  failureSince: number | null;
};

/**
 * Invariants 1 and 2 for acknowledgements (seed 001 §1.4.3): a letter is called overdue once, in its time, and never
 * after it was acknowledged; it counts as a failure only together with missed pings, and then it does; of an urgent
 * letter a person is told.
 */
export class LetterBounds {
  private readonly report: Report;
  private readonly boxes = new Map<string, Box>();
  private readonly signs: MailBounds;

  constructor(report: Report, signs: MailBounds) {
    this.report = report;
    this.signs = signs;
  }

  private of({ name }: MailAgent): Box {
    const known = this.boxes.get(name);
    if (known) return known;
    const empty: Box = { letters: new Map(), early: new Map(), owed: new Set(), failureSince: null };
    this.boxes.set(name, empty);
    return empty;
  }

  /** It is stored; if servers died meanwhile, since one of several calls. */
  sent(
    agent: MailAgent,
    letterId: string,
    priority: MessagePriority,
    calls: readonly number[],
    at: number,
  ): void {
    const { letters, early } = this.of(agent);
    if (letters.has(letterId)) return;
    const { overdueAt, ...fate } = early.get(letterId) ?? untold();
    const letter: Letter = { priority, awaitedFrom: calls, awaitedBy: at, ...fate, overdueAt: null };
    letters.set(letterId, letter);
    if (overdueAt !== null) this.calledOverdue(agent, letter, overdueAt);
  }

  acknowledging(agent: MailAgent, letterId: string, at: number): void {
    const fate = fateOf(this.of(agent), letterId);
    fate.maybeAcknowledgedAt = Math.min(fate.maybeAcknowledgedAt, at);
  }

  acknowledged(agent: MailAgent, letterId: string, at: number): void {
    const fate = fateOf(this.of(agent), letterId);
    fate.acknowledgedAt = Math.min(fate.acknowledgedAt, at);
  }

  read(agent: MailAgent, event: HolterEvent): void {
    const box = this.of(agent);
    const { at } = event;
    if (event.type === 'AGENT_REGISTERED') rearm(box, at);
    if (event.type === 'ACK_OVERDUE') this.overdue(agent, box, event);
    if (event.type === 'ATTENTION_RAISED' && event.payload.about.includes('/ack/')) box.owed.delete(at);
    if (event.type === 'FINDING_CLEARED' && event.payload.kind === 'ack-overdue') box.failureSince = null;
    if (event.type !== 'FINDING_RAISED' || event.payload.kind !== 'ack-overdue') return;
    box.failureSince = event.payload.severity === 'act' ? at : null;
    if (box.failureSince !== null && !this.signs.mayBeLost(agent, at))
      this.report(1, agent.name, at, 'a late letter is called a failure, though the agent is heard');
  }

  inspect(agent: MailAgent, at: number): void {
    const box = this.of(agent);
    const lostSince = this.signs.lostSince(agent);
    for (const owedAt of box.owed) {
      if (owedAt > at - LATE_MS) continue;
      box.owed.delete(owedAt);
      this.report(2, agent.name, at, 'its urgent letter is late, and no person is told');
    }
    for (const letter of box.letters.values()) {
      const { priority, maybeAcknowledgedAt, overdueAt } = letter;
      if (maybeAcknowledgedAt < at) continue;
      const overdueBy = this.latest(agent, letter, contract.ackMs[priority]);
      if (overdueAt === null && at > overdueBy + LATE_MS) {
        this.report(2, agent.name, at, `its letter of priority ${priority} is late, and not called so`);
        letter.overdueAt = at;
      }
      const failsBy = this.failsBy(agent, letter, lostSince);
      if (box.failureSince === null && at > failsBy + LATE_MS) {
        this.report(2, agent.name, at, `lost, with a letter of priority ${priority} that is no failure yet`);
        box.failureSince = at;
      }
    }
  }

  /** An urgent letter when it is late, one of priority high after a second such time; the agent is lost as well. */
  private failsBy(agent: MailAgent, letter: Letter, lostSince: number | null): number {
    const { priority } = letter;
    if (lostSince === null || (priority !== 'urgent' && priority !== 'high')) return Number.POSITIVE_INFINITY;
    const waitMs = contract.ackMs[priority] * (priority === 'high' ? 2 : 1);
    const { intervalMs } = pulseOfRole(agent.role);
    // A server that dies at that moment gives the agent grace, as if it were not lost yet.
    const lostBy = this.signs.most.latest(lostSince - LATE_MS, LATE_MS, intervalMs);
    return Math.max(lostBy, this.latest(agent, letter, waitMs));
  }

  private latest({ role }: MailAgent, { awaitedFrom, awaitedBy }: Letter, waitMs: number): number {
    const { intervalMs } = pulseOfRole(role);
    const starts = [...awaitedFrom, awaitedBy];
    return Math.max(...starts.map((start) => this.signs.most.latest(start, waitMs, intervalMs)));
  }

  private overdue(agent: MailAgent, box: Box, { at, payload }: EventOf<'ACK_OVERDUE'>): void {
    const { messageId, priority } = payload;
    // Of a failure people are told by its incident.
    if (priority === 'urgent' && box.failureSince === null) box.owed.add(at);
    const letter = box.letters.get(messageId);
    if (letter) this.calledOverdue(agent, letter, at);
    else fateOf(box, messageId).overdueAt = at;
  }

  private calledOverdue(agent: MailAgent, letter: Letter, at: number): void {
    const { priority, awaitedFrom, acknowledgedAt } = letter;
    const { intervalMs } = pulseOfRole(agent.role);
    const what = `its letter of priority ${priority} is called late`;
    if (acknowledgedAt < at) this.report(1, agent.name, at, `${what}, though it was acknowledged`);
    if (letter.overdueAt !== null) this.report(1, agent.name, at, `${what} twice`);
    const earliest = Math.min(
      ...awaitedFrom.map((from) => this.signs.least.earliest(from, contract.ackMs[priority], intervalMs)),
    );
    if (at < earliest - TOLERANCE_MS) this.report(1, agent.name, at, `${what} too early`);
    letter.overdueAt = at;
  }
}

const untold = (): Fate => ({
  maybeAcknowledgedAt: Number.POSITIVE_INFINITY,
  acknowledgedAt: Number.POSITIVE_INFINITY,
  overdueAt: null,
});

function fateOf({ letters, early }: Box, letterId: string): Fate {
  const known = letters.get(letterId) ?? early.get(letterId);
  if (known) return known;
  const fate = untold();
  early.set(letterId, fate);
  return fate;
}

/** The successor has the whole time for each letter again. */
function rearm({ letters, early }: Box, at: number): void {
  for (const fate of early.values()) fate.overdueAt = null;
  for (const letter of letters.values()) {
    letter.awaitedFrom = [at];
    letter.awaitedBy = Math.max(letter.awaitedBy, at);
    letter.overdueAt = null;
  }
}

import type {
  EscalationTicket,
  EventType,
  HolterEvent,
  Instant,
  TicketAnswer,
  TicketCondition,
  TicketStatus,
} from '@holter/core';
import type { Store } from '../store/store.ts';

/** A ticket with everything that became of it. */
export type BookedTicket = {
  readonly agentId: string;
  readonly at: Instant;
  readonly condition: TicketCondition;
  readonly status: TicketStatus;
  readonly changedAt: Instant;
  readonly reason: string | null;
  readonly incidentId: string | null;
  /** A person was notified. */
  readonly wasAsked: boolean;
  readonly answer: {
    readonly answer: TicketAnswer;
    readonly by: string;
    readonly reason: string;
    readonly at: Instant;
  } | null;
  readonly ticket: EscalationTicket;
};

const TYPES: EventType[] = [
  'WORKER_ESCALATION_TICKET',
  'QUEEN_INTERVENTION_REQUESTED',
  'TICKET_CHANGED',
  'INCIDENT_OPENED',
];
const PAGE = 1_000;
const TICKETS_MAX = 10_000;

/** All tickets, added up from the events as they come: each event is read once. */
export class TicketBook {
  private readonly store: Pick<Store, 'readEvents'>;
  private readonly tickets = new Map<string, BookedTicket>();
  private cursor = 0;
  private reading: Promise<void> | null = null;

  constructor(store: Pick<Store, 'readEvents'>) {
    this.store = store;
  }

  /** The newest first. */
  async list(): Promise<readonly BookedTicket[]> {
    await this.catchUp();
    return [...this.tickets.values()].reverse();
  }

  async find(ticketId: string): Promise<BookedTicket | null> {
    await this.catchUp();
    return this.tickets.get(ticketId) ?? null;
  }

  private catchUp(): Promise<void> {
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async read(): Promise<void> {
    for (;;) {
      const page = await this.store.readEvents({ after: this.cursor, limit: PAGE, types: TYPES });
      for (const { cursor, event } of page) {
        this.cursor = cursor;
        this.fold(event);
      }
      if (page.length < PAGE) return;
    }
  }

  private fold(event: HolterEvent): void {
    const { at } = event;
    switch (event.type) {
      case 'WORKER_ESCALATION_TICKET': {
        const { agentId, condition, incidentId, ticket } = event.payload;
        const fresh = { status: 'new', changedAt: at, reason: null, wasAsked: false, answer: null } as const;
        this.tickets.set(ticket.ticket_id, { agentId, at, condition, incidentId, ticket, ...fresh });
        const [oldest] = this.tickets.keys();
        if (this.tickets.size > TICKETS_MAX && oldest !== undefined) this.tickets.delete(oldest);
        return;
      }
      case 'QUEEN_INTERVENTION_REQUESTED':
        return this.change(event.payload.ticket_id, {
          status: 'asking',
          wasAsked: true,
          changedAt: at,
          reason: event.payload.analysis,
        });
      case 'TICKET_CHANGED': {
        const { ticketId, status, by, reason } = event.payload;
        if (status === 'dismissed' || status === 'resolved')
          return this.change(ticketId, { status, changedAt: at, reason });
        const isTakenDown = status === 'false_alarm' && isOpen(this.tickets.get(ticketId));
        return this.change(ticketId, {
          answer: { answer: status, by, reason, at },
          ...(isTakenDown && { status: 'dismissed', changedAt: at, reason: `false alarm, says ${by}` }),
        });
      }
      case 'INCIDENT_OPENED': {
        const { agentId, incidentId, cause } = event.payload;
        if (cause !== 'ticket') return;
        for (const [id, booked] of this.tickets)
          if (booked.agentId === agentId && isOpen(booked) && booked.incidentId === null)
            this.change(id, { incidentId });
        return;
      }
      default:
        return;
    }
  }

  private change(ticketId: string, fields: Partial<BookedTicket>): void {
    const booked = this.tickets.get(ticketId);
    if (booked) this.tickets.set(ticketId, { ...booked, ...fields });
  }
}

/** Nobody has closed it yet. */
export const isOpen = (booked: Pick<BookedTicket, 'status'> | undefined): boolean =>
  booked?.status === 'new' || booked?.status === 'asking';

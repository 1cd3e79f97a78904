import type { Client, EventView, FleetDeltaView, FleetPageView } from '@holter/server/local';

/** What asks for a person; the two events of seed 003, and what becomes of a ticket. */
const TICKET_EVENTS = 'WORKER_ESCALATION_TICKET,QUEEN_INTERVENTION_REQUESTED,TICKET_CHANGED';
const RETRY_MS = 1_000;

type FleetWindow = { readonly q: string; readonly offset: number; readonly limit: number };

type FeedParts = {
  readonly client: Client;
  readonly onFleet: (news: FleetPageView | FleetDeltaView) => void;
  readonly onEvent: (event: EventView) => void;
  readonly onBreak: () => void;
  readonly onFailure: (error: unknown) => void;
};

/** The two streams that are always open: a window on the fleet, and the events of tickets. */
export class Feed {
  private readonly parts: FeedParts;
  private readonly events = new AbortController();
  private window: AbortController | null = null;

  constructor(parts: FeedParts) {
    this.parts = parts;
  }

  followEvents(after: number): void {
    const { client, onEvent, onFailure } = this.parts;
    const query = { type: TICKET_EVENTS, after: String(after) };
    void this.read(client.follow(query, this.options(this.events)), onEvent).catch(onFailure);
  }

  /** Replaces the window that was open. */
  openFleet({ q, offset, limit }: FleetWindow): void {
    const { client, onFleet, onFailure } = this.parts;
    this.window?.abort();
    const window = new AbortController();
    this.window = window;
    const query = { sort: 'attention', offset: String(offset), limit: String(limit), ...(q !== '' && { q }) };
    const take = (news: FleetPageView | FleetDeltaView): void => {
      if (!window.signal.aborted) onFleet(news);
    };
    void this.read(client.followFleet(query, this.options(window)), take).catch(onFailure);
  }

  close(): void {
    this.events.abort();
    this.window?.abort();
  }

  private options({ signal }: AbortController) {
    return { signal, retryMs: RETRY_MS, onBreak: this.parts.onBreak };
  }

  private async read<T>(stream: AsyncGenerator<T>, take: (item: T) => void): Promise<void> {
    for await (const item of stream) take(item);
  }
}

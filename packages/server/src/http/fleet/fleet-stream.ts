import type { ServerResponse } from 'node:http';
import { type Agent, retell } from '@holter/core';
import { policyFor } from '../../policy/index.ts';
import type { HttpDeps } from '../deps.ts';
import { streamHeaders } from '../stream-places.ts';
import type { FleetDeltaView, FleetPageView, FleetRowView } from '../types.ts';
import type { FleetBook } from './fleet-book.ts';
import type { FleetQuery } from './fleet-order.ts';
import { fleetRow } from './fleet-row.ts';

export type FleetWindow = FleetQuery & { readonly offset: number; readonly limit: number };

/** Eyes need no more, and a thousand changes a second become two or three messages. */
const EVERY_MS = 400;
/** How often rows are looked up of which other servers may have heard. */
const REFRESH_MS = 1_000;
/** A silent connection looks like a dead one to whatever lies between. */
const KEEP_ALIVE_MS = 10_000;
/** A reader that is this far behind gets the next message when it has caught up. */
const BEHIND_BYTES = 256 * 1024;
/** A band on top of a page; the rest is in the list of incidents. */
const NEED_YOU_SHOWN = 10;

export async function fleetPage(
  deps: HttpDeps,
  book: FleetBook,
  window: FleetWindow,
): Promise<FleetPageView> {
  await book.ready();
  const { ids, folded } = book.order(queryOf(window));
  const order = ids.slice(window.offset, window.offset + window.limit);
  const rows = await rowsOf(deps, book, order);
  return {
    at: deps.clock.now(),
    total: ids.length,
    folded,
    offset: window.offset,
    counts: book.counts(),
    groups: book.groups().map(({ group }) => group),
    groupCounts: [...book.groups()],
    needYou: await rowsOf(deps, book, book.needYou().slice(0, NEED_YOU_SHOWN)),
    order,
    rows,
  };
}

/**
 * One window on the fleet, kept up to date: the whole of it first, so that a reader who comes back has no gap,
 * then only rows that changed and the order when it did.
 */
export class FleetStream {
  private readonly deps: HttpDeps;
  private readonly book: FleetBook;
  private readonly window: FleetWindow;
  private readonly out: ServerResponse;
  private readonly onClose: () => void;
  private seq = 0;
  private order: readonly string[] = [];
  private total = 0;
  private folded = 0;
  private countsText = '';
  private groups: ReturnType<FleetBook['groups']> = [];
  private needYou: readonly string[] = [];
  private saidAt = 0;
  private refreshedAt = 0;
  private cancel: () => void = () => undefined;
  private isClosed = false;

  constructor(
    parts: { deps: HttpDeps; book: FleetBook; out: ServerResponse },
    window: FleetWindow,
    onClose: () => void,
  ) {
    this.deps = parts.deps;
    this.book = parts.book;
    this.out = parts.out;
    this.window = window;
    this.onClose = onClose;
  }

  async start(): Promise<void> {
    this.out.writeHead(200, streamHeaders);
    this.out.write('retry: 1000\n\n');
    this.out.on('close', () => this.close());
    this.out.on('error', () => this.close());
    this.seq = this.book.seq;
    const page = await fleetPage(this.deps, this.book, this.window);
    this.order = page.order;
    this.total = page.total;
    this.folded = page.folded;
    this.countsText = JSON.stringify(page.counts);
    this.groups = this.book.groups();
    this.needYou = this.book.needYou();
    this.send('page', page);
    this.schedule();
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.cancel();
    this.out.end();
    this.onClose();
  }

  private get clock() {
    return this.deps.wall ?? this.deps.clock;
  }

  private schedule(): void {
    if (this.isClosed) return;
    this.cancel = this.clock.after(EVERY_MS, () => {
      // A store that is away for a moment costs this message, not the stream.
      void this.look()
        .catch(() => undefined)
        .then(() => this.schedule());
    });
  }

  private async look(): Promise<void> {
    if (this.out.writableLength > BEHIND_BYTES) return;
    if (this.clock.now() - this.saidAt > KEEP_ALIVE_MS)
      this.send('delta', { at: this.deps.clock.now(), rows: [] } satisfies FleetDeltaView);
    if (this.clock.now() - this.refreshedAt >= REFRESH_MS) {
      this.refreshedAt = this.clock.now();
      await this.book.refresh(this.order);
    }
    if (this.book.seq === this.seq) return;
    const before = this.seq;
    this.seq = this.book.seq;
    const { ids, folded } = this.book.order(queryOf(this.window));
    const order = ids.slice(this.window.offset, this.window.offset + this.window.limit);
    const known = new Set(this.order);
    const isChanged = (id: string): boolean => (this.book.entry(id)?.changed ?? 0) > before;
    const fresh = order.filter((id) => !known.has(id) || isChanged(id));
    const rows = await rowsOf(this.deps, this.book, fresh);
    const counts = this.book.counts();
    const countsText = JSON.stringify(counts);
    const isMoved = order.length !== this.order.length || order.some((id, i) => id !== this.order[i]);
    const isCounted = countsText !== this.countsText || ids.length !== this.total || folded !== this.folded;
    const asked = await this.newlyAsked(isChanged);
    const isRegrouped = this.groups !== this.book.groups();
    if (rows.length === 0 && !isMoved && !isCounted && !asked && !isRegrouped) return;
    this.order = order;
    this.total = ids.length;
    this.folded = folded;
    this.countsText = countsText;
    this.groups = this.book.groups();
    this.send('delta', {
      at: this.deps.clock.now(),
      ...(isCounted && { counts, total: ids.length, folded }),
      ...(isMoved && { order: [...order] }),
      ...(asked && { needYou: asked }),
      ...(isRegrouped && { groupCounts: [...this.groups] }),
      rows,
    } satisfies FleetDeltaView);
  }

  /** The rows of the agents that need a person, if one of them has changed. */
  private async newlyAsked(isChanged: (id: string) => boolean): Promise<FleetRowView[] | null> {
    const ids = this.book.needYou();
    const shown = ids.slice(0, NEED_YOU_SHOWN);
    if (ids === this.needYou && !shown.some(isChanged)) return null;
    this.needYou = ids;
    return rowsOf(this.deps, this.book, shown);
  }

  private send(event: string, data: unknown): void {
    if (this.isClosed) return;
    this.saidAt = this.clock.now();
    this.out.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

const queryOf = ({ offset: _offset, limit: _limit, ...query }: FleetWindow): FleetQuery => query;

async function rowsOf(deps: HttpDeps, book: FleetBook, ids: readonly string[]): Promise<FleetRowView[]> {
  const agents = new Map(
    (await deps.engine.readMany(ids)).map((agent) => [agent.hard.agentId, agent] as const),
  );
  return ids.flatMap((id) => {
    const agent = agents.get(id);
    return agent ? rowOf(deps, book, agent) : [];
  });
}

function rowOf({ engine, clock }: HttpDeps, book: FleetBook, agent: Agent): FleetRowView[] {
  const { agentId, role, group, patience, executor } = agent.hard;
  const entry = book.entry(agentId);
  if (!entry) return [];
  const policy = policyFor(engine.currentPolicies, role, agentId, group, patience);
  const at = clock.now();
  const shown = retell(agent, at, engine.stalls, policy);
  const context = { policy, at, executor: engine.executorState(executor) };
  return [fleetRow(shown, entry, { ...context, isStarterGone: engine.isStarterGone(executor) })];
}

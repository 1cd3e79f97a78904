import type { Agent, HealthState, HolterEvent, Instant, Signal } from '@holter/core';
import type { HttpDeps } from '../deps.ts';
import { FleetEntry } from './fleet-entry.ts';
import { type FleetOrder, type FleetQuery, LIVELY_SORTS, orderOf } from './fleet-order.ts';
import { StripKeeper } from './strip-keeper.ts';

type FleetCounts = {
  readonly byState: Readonly<Record<string, number>>;
  readonly incidents: number;
  /** Incidents that wait for a person. */
  readonly waiting: number;
  readonly openBreakers: number;
  /** Agents that wait for a decision or a permission that nobody has taken up. */
  readonly needYou: number;
};

type GroupCounts = {
  readonly group: string;
  readonly byState: Readonly<Record<string, number>>;
  readonly needYou: number;
};

const PAGE = 500;
const ORDERS_KEPT = 20;
/** Ended agents are removed from the store long after their end, by any server. */
const REMOVED_LOOK_MS = 10 * 60_000;

/**
 * All agents in memory, as far as the fleet's page needs them: to count, find and order ten thousand of them
 * while a thousand change every second. It follows the commits of every server; the store is read once.
 */
export class FleetBook {
  private readonly deps: HttpDeps;
  private readonly entries = new Map<string, FleetEntry>();
  private readonly orders = new Map<string, { readonly seq: number; readonly order: FleetOrder }>();
  private readonly strips: StripKeeper;
  private readonly stops: readonly (() => void)[];
  private loading: Promise<void> | null = null;
  private cancelLook: () => void = () => undefined;
  private newest = 0;
  /** `newest` as it was when an agent last changed its place, and so the counts: most changes are beats. */
  private arranged = 0;
  private counted: { readonly seq: number; readonly counts: FleetCounts } | null = null;
  private grouped: { readonly seq: number; readonly groups: readonly GroupCounts[] } | null = null;
  private needed: { readonly seq: number; readonly ids: readonly string[] } | null = null;

  constructor(deps: HttpDeps) {
    this.deps = deps;
    const { engine, clock } = deps;
    this.strips = new StripKeeper(deps, this.entries);
    this.stops = [
      engine.onFollowed(({ stored, events }) => {
        if (stored) this.committed(engine.freshen(stored.agent), events);
      }),
      engine.onStreamed((events) => {
        for (const event of events) this.streamed(event);
      }),
      engine.onHeard((signal) => this.heard(signal, clock.now())),
    ];
    this.lookLater();
  }

  /** Resolves when every stored agent is in it; before that the page would show a part as the whole. */
  ready(): Promise<void> {
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = null;
      throw error;
    });
    return this.loading;
  }

  async close(): Promise<void> {
    for (const stop of this.stops) stop();
    this.cancelLook();
    await this.strips.close();
  }

  get seq(): number {
    return this.newest;
  }

  all(): Iterable<FleetEntry> {
    return this.entries.values();
  }

  entry(agentId: string): FleetEntry | null {
    return this.entries.get(agentId) ?? null;
  }

  /** Ids in the wanted order. Readers with the same question share one answer. */
  order(query: FleetQuery): FleetOrder {
    const key = JSON.stringify(query);
    const known = this.orders.get(key);
    const seq = LIVELY_SORTS.has(query.sort) ? this.newest : this.arranged;
    if (known?.seq === seq) return known.order;
    const order = orderOf(this.entries.values(), query);
    this.orders.delete(key);
    this.orders.set(key, { seq, order });
    const oldest = this.orders.keys().next();
    if (this.orders.size > ORDERS_KEPT && !oldest.done) this.orders.delete(oldest.value);
    return order;
  }

  counts(): FleetCounts {
    if (this.counted?.seq !== this.arranged) this.counted = { seq: this.arranged, counts: this.count() };
    return this.counted.counts;
  }

  countsOf(group: string): ReadonlyMap<HealthState, number> {
    const counts = new Map<HealthState, number>();
    for (const entry of this.entries.values())
      if (entry.group === group) counts.set(entry.state, (counts.get(entry.state) ?? 0) + 1);
    return counts;
  }

  withBreakers(): readonly string[] {
    return [...this.entries.values()].filter((entry) => entry.hasBreakers).map(({ agentId }) => agentId);
  }

  /** By name. */
  groups(): readonly GroupCounts[] {
    if (this.grouped?.seq !== this.arranged)
      this.grouped = { seq: this.arranged, groups: groupCounts(this.entries.values()) };
    return this.grouped.groups;
  }

  /** Agents that need a person, the longest waiting first. */
  needYou(): readonly string[] {
    if (this.needed?.seq !== this.arranged) {
      const waiting = [...this.entries.values()].filter(({ needsYouSince }) => needsYouSince > 0);
      waiting.sort((a, b) => a.needsYouSince - b.needsYouSince || (a.sortKey < b.sortKey ? -1 : 1));
      this.needed = { seq: this.arranged, ids: waiting.map(({ agentId }) => agentId) };
    }
    return this.needed.ids;
  }

  /** What other servers have heard of these is in the store and in no event. */
  async refresh(agentIds: readonly string[]): Promise<void> {
    const { engine, clock } = this.deps;
    if (!engine.isShared) return;
    for (const agent of await engine.readMany(agentIds))
      if (this.entries.get(agent.hard.agentId)?.isOf(agent) !== true) this.take(agent, clock.now());
  }

  /** Forgets agents that are no longer stored. */
  async forgetRemoved(): Promise<void> {
    const ended = [...this.entries.values()].filter(({ state }) => state === 'TERMINATED');
    for (let from = 0; from < ended.length; from += PAGE) {
      const page = ended.slice(from, from + PAGE);
      const stored = await this.deps.store.loadMany(page.map(({ agentId }) => agentId));
      const ids = new Set(stored.map(({ agent }) => agent.hard.agentId));
      for (const { agentId, state } of page) {
        if (ids.has(agentId) || state !== 'TERMINATED') continue;
        this.entries.delete(agentId);
        this.newest += 1;
        this.arranged = this.newest;
      }
    }
  }

  private lookLater(): void {
    this.cancelLook = this.deps.clock.after(REMOVED_LOOK_MS, () => {
      void this.forgetRemoved()
        // A store that is away is asked again.
        .catch(() => undefined)
        .then(() => this.lookLater());
    });
  }

  private count(): FleetCounts {
    const byState: Record<string, number> = {};
    let incidents = 0;
    let waiting = 0;
    let openBreakers = 0;
    for (const entry of this.entries.values()) {
      byState[entry.state] = (byState[entry.state] ?? 0) + 1;
      if (entry.hasIncident) incidents += 1;
      if (entry.needsPerson) waiting += 1;
      openBreakers += entry.openBreakers;
    }
    return { byState, incidents, waiting, openBreakers, needYou: this.needYou().length };
  }

  private async load(): Promise<void> {
    const { store, engine, clock } = this.deps;
    let cursor: string | undefined;
    do {
      const page = await store.listAgents({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
      const at = clock.now();
      for (const { agent } of page.items) this.take(engine.freshen(agent), at);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    await this.strips.recall();
  }

  private committed(agent: Agent, events: readonly HolterEvent[]): void {
    const at = agent.hard.at;
    const entry = this.take(agent, at);
    for (const event of events) if (event.type === 'AGENT_HEARTBEAT') entry.pulse.beat(event.at);
  }

  private take(agent: Agent, at: Instant): FleetEntry {
    const entry = this.entryOf(agent.hard.agentId, at);
    const isMoved = entry.take(agent, at);
    this.touch(entry);
    if (isMoved) this.arranged = this.newest;
    return entry;
  }

  private streamed(event: HolterEvent): void {
    if (event.type !== 'AGENT_HEARTBEAT') return;
    const entry = this.entries.get(event.payload.agentId);
    const agent = this.deps.engine.peek(event.payload.agentId);
    if (!entry || !agent) return;
    entry.pulse.beat(event.at);
    entry.takeSoft(agent, event.at);
    this.touch(entry);
  }

  private heard(signal: Signal, at: Instant): void {
    const entry = this.entries.get(signal.agentId);
    if (!entry) return;
    entry.hear(signal, at);
    this.touch(entry);
  }

  private touch(entry: FleetEntry): void {
    this.newest += 1;
    entry.changed = this.newest;
  }

  private entryOf(agentId: string, at: Instant): FleetEntry {
    const known = this.entries.get(agentId);
    if (known) return known;
    const entry = new FleetEntry(agentId, at);
    this.entries.set(agentId, entry);
    return entry;
  }
}

function groupCounts(entries: Iterable<FleetEntry>): readonly GroupCounts[] {
  const groups = new Map<string, { group: string; byState: Record<string, number>; needYou: number }>();
  for (const { group, state, needsYouSince } of entries) {
    const counts = groups.get(group) ?? { group, byState: {}, needYou: 0 };
    groups.set(group, counts);
    counts.byState[state] = (counts.byState[state] ?? 0) + 1;
    if (needsYouSince > 0) counts.needYou += 1;
  }
  return [...groups.values()].sort((a, b) => (a.group < b.group ? -1 : 1));
}

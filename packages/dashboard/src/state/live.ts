import type { FleetDeltaView, FleetPageView, FleetRowView } from '@holter/server/wire';
import { batch, computed, effect, type Signal, signal } from '@preact/signals';
import { afterPaint } from './after-paint.ts';
import { addressOf, isLoggedOut } from './api.ts';
import { localNow, serverIsSilent, serverSaid } from './clock.ts';
import { frameQueue } from './frames.ts';
import { query, view } from './route.ts';
import { readSession, session } from './session.ts';

/** The state of the event stream. One stream reports changes of the visible part of the fleet. */
type Link = 'opening' | 'live' | 'lost';

export const link = signal<Link>('opening');
export const counts = signal<FleetPageView['counts'] | null>(null);
export const groups = signal<FleetPageView['groupCounts']>([]);
/** Agents that need a person, whatever the fleet view shows. */
export const needYou = signal<readonly FleetRowView[]>([]);
/** How many agents match the filters of the fleet view, and how many healthy ones are left out of them. */
export const total = signal<number | null>(null);
export const folded = signal(0);
/** The known ids, and the offset of the first one in the whole order. */
export const known = signal<{ readonly offset: number; readonly ids: readonly string[] }>({
  offset: 0,
  ids: [],
});
/** Grows with every message; views that show more than rows then reload. */
export const changes = signal(0);

const rows = new Map<string, Signal<FleetRowView>>();
/** Drawing a visible row again takes about a millisecond. */
const ROWS_PER_FRAME = 6;
const redrawn = frameQueue<FleetRowView>(ROWS_PER_FRAME, afterPaint, (fresh) =>
  batch(() => {
    for (const row of fresh) {
      const shown = rows.get(row.agentId);
      if (shown) shown.value = row;
    }
  }),
);
export const rowOf = (agentId: string): Signal<FleetRowView> | undefined => rows.get(agentId);

/** The visible part of the fleet, in steps, so that a small scroll needs no new stream. */
export const windowAt = signal({ offset: 0, limit: 60 });

/** Of more agents than this, healthy ones are folded away and rows are compact. */
export const FOLD_ABOVE = 15;
/** Who filters or asks for all wants to see what matches. */
const isFolding = (asked: URLSearchParams): boolean =>
  !['state', 'q', 'show'].some((name) => asked.get(name));

const QUIET_MS_MAX = 25_000;
const AGAIN_MS = 1_500;

const address = computed(() => {
  if (session.value === null) return null;
  const { name } = view.value;
  const live = '/v1/fleet/live';
  if (view.value.name === 'agent') return addressOf(live, { agentId: view.value.agentId, limit: 1 });
  if (name !== 'fleet') return addressOf(live, { limit: name === 'incidents' ? 100 : 0 });
  const asked = query.value;
  return addressOf(live, {
    state: asked.get('state') ?? undefined,
    group: asked.get('group') ?? undefined,
    q: asked.get('q') ?? undefined,
    sort: asked.get('sort') ?? undefined,
    foldAbove: isFolding(asked) ? FOLD_ABOVE : undefined,
    ...windowAt.value,
  });
});

let source: EventSource | null = null;
let heardAt = 0;

export function startLive(): void {
  effect(() => {
    open(address.value);
  });
  setInterval(() => {
    if (source && localNow() - heardAt > QUIET_MS_MAX) open(address.peek());
  }, AGAIN_MS);
}

function open(url: string | null): void {
  source?.close();
  source = null;
  if (url === null) return;
  const opened = new EventSource(url);
  source = opened;
  heardAt = localNow();
  opened.addEventListener('page', (event) => heard(opened, () => takePage(JSON.parse(event.data))));
  opened.addEventListener('delta', (event) => heard(opened, () => takeDelta(JSON.parse(event.data))));
  opened.addEventListener('error', () => {
    if (source !== opened) return;
    link.value = 'lost';
    serverIsSilent();
    // The browser does not reconnect after an answer that is not a stream, so the page does.
    if (opened.readyState === EventSource.CLOSED) setTimeout(() => again(opened), AGAIN_MS);
  });
}

async function again(closed: EventSource): Promise<void> {
  if (source !== closed) return;
  await readSession();
  if (source === closed && !isLoggedOut.value) open(address.peek());
}

function heard(from: EventSource, take: () => void): void {
  if (source !== from) return;
  heardAt = localNow();
  batch(() => {
    take();
    link.value = 'live';
    changes.value += 1;
  });
}

/** Replaces the whole window, so that nothing is missing after a reconnect. */
function takePage(page: FleetPageView): void {
  serverSaid(page.at);
  counts.value = page.counts;
  groups.value = page.groupCounts;
  needYou.value = page.needYou;
  for (const row of page.rows) put(row);
  // Streams of other views have other windows; the fleet view keeps its own.
  if (view.peek().name !== 'fleet') return;
  total.value = page.total;
  folded.value = page.folded;
  known.value = { offset: page.offset, ids: page.order };
  forget(page.order);
}

function takeDelta(delta: FleetDeltaView): void {
  serverSaid(delta.at);
  for (const row of delta.rows) put(row);
  if (delta.counts) counts.value = delta.counts;
  if (delta.groupCounts) groups.value = delta.groupCounts;
  if (delta.needYou) needYou.value = delta.needYou;
  if (view.peek().name !== 'fleet') return;
  if (delta.total !== undefined) total.value = delta.total;
  if (delta.folded !== undefined) folded.value = delta.folded;
  if (!delta.order) return;
  known.value = { offset: known.value.offset, ids: delta.order };
  forget(delta.order);
}

/** A new row is available immediately; a change of a row that may be visible waits for its frame. */
function put(row: FleetRowView): void {
  if (rows.has(row.agentId)) redrawn.put(row.agentId, row);
  else rows.set(row.agentId, signal(row));
}

/** Rows outside the window are dropped when there are many of them. */
function forget(order: readonly string[]): void {
  if (rows.size < 400) return;
  const wanted = new Set(order);
  for (const id of rows.keys()) if (!wanted.has(id)) rows.delete(id);
}

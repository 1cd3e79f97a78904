import type { EventQuery, Store, StoredEvent } from '../store/store.ts';

/** What one page may hold, as the store has it. An agent's text is up to 64 KiB in one event. */
const PAGE_BYTES_MAX = 1024 * 1024;
/** Read from the store at once, so that a page of large events is never in memory as a whole. */
const ROWS_AT_ONCE = 25;

type EventSlice = {
  readonly events: readonly StoredEvent[];
  /** There may be more after the last one. */
  readonly hasMore: boolean;
};

/** Events up to the query's number and up to `PAGE_BYTES_MAX`, and at least one if there is any. */
export async function readEventPage(
  store: Pick<Store, 'readEvents'>,
  { limit, ...query }: EventQuery,
): Promise<EventSlice> {
  const events: StoredEvent[] = [];
  let bytes = 0;
  while (events.length < limit) {
    const rows = Math.min(ROWS_AT_ONCE, limit - events.length);
    const slice = await store.readEvents({ ...query, ...from(query, events.at(-1)), limit: rows });
    for (const event of slice) {
      bytes += Buffer.byteLength(JSON.stringify(event));
      if (bytes > PAGE_BYTES_MAX && events.length > 0) return { events, hasMore: true };
      events.push(event);
    }
    if (slice.length < rows) return { events, hasMore: false };
  }
  return { events, hasMore: true };
}

function from(query: Omit<EventQuery, 'limit'>, last: StoredEvent | undefined): Partial<EventQuery> {
  if (last === undefined) return {};
  return query.before === undefined ? { after: last.cursor } : { before: last.cursor };
}

import type { EventView } from '@holter/server/local';
import { ask } from './ask.ts';
import type { Connection } from './connection.ts';

const PAGE = 1_000;
/** The largest cursor that the server accepts. */
const BEYOND_ALL = 999_999_999_999_999;

type Filter = Readonly<Record<string, string | undefined>>;

/** The newest `wanted` events that match, oldest first. They are read from the end of the history. */
export async function newestEvents(
  connection: Connection,
  filter: Filter,
  wanted: number,
): Promise<readonly EventView[]> {
  const newest: EventView[] = [];
  for (let before = BEYOND_ALL; newest.length < wanted; ) {
    const limit = Math.min(PAGE, wanted - newest.length);
    const query = { ...filter, before: String(before), limit: String(limit) };
    const { events, nextCursor, hasMore } = await ask(connection, (client) => client.events(query));
    newest.push(...events);
    if (!hasMore) break;
    before = nextCursor;
  }
  return newest.reverse();
}

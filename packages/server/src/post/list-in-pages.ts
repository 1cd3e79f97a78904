import type { LetterQuery, StoredLetter } from '../store/letters.ts';
import type { PostOffice } from './post-office.ts';

/** Letters that are read from the store at once. */
const PAGE_MAX = 25;

/** Lists letters as `PostOffice.list` does. `shown` is what stays of each: a long list of whole letters is never in memory. */
export async function listInPages<Shown>(
  office: Pick<PostOffice, 'list'>,
  query: LetterQuery,
  [visitor, wait]: [Parameters<PostOffice['list']>[1], Parameters<PostOffice['list']>[2]],
  shown: (letter: StoredLetter) => Shown,
): Promise<Shown[]> {
  const found: Shown[] = [];
  let page: LetterQuery = { ...query, limit: Math.min(query.limit, PAGE_MAX) };
  for (let nextWait = wait; ; nextWait = { ...wait, waitMs: 0 }) {
    const letters = await office.list(page, visitor, nextWait);
    found.push(...letters.map(shown));
    const last = letters.at(-1);
    const left = query.limit - found.length;
    if (!last || letters.length < page.limit || left <= 0) return found;
    page = { ...page, before: last.letterId, limit: Math.min(left, PAGE_MAX) };
  }
}

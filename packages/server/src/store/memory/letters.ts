import {
  type LetterBox,
  type LetterCounts,
  type LetterMarking,
  type LetterPut,
  type LetterQuery,
  type LetterStatus,
  type LetterVerdict,
  PING_ID_PREFIX,
  type StoredLetter,
  TIMES_OF_MARK,
  unmarked,
} from '../letters.ts';
import type { Tables } from './tables.ts';

export function putLetter({ letters }: Tables, put: LetterPut): LetterVerdict {
  const { letter, acknowledges } = put;
  const box: StoredLetter[] = [];
  for (const known of letters.values()) {
    const isTwin = known.clientId !== null && known.clientId === letter.clientId;
    if (isTwin && known.from === letter.from) return { kind: 'exists', letter: known };
    if (known.to === letter.to) box.push(known);
  }
  const crowd = crowdIn(box, put);
  const removed = crowd ? roomIn(crowd, put) : undefined;
  if (removed === null) return { kind: 'full' };
  if (removed) letters.delete(removed.letterId);
  const stored = unmarked(letter);
  letters.set(letter.letterId, stored);
  if (acknowledges !== null)
    markLetters(
      { letters },
      { to: letter.from, letterIds: [acknowledges], as: 'acknowledged', at: letter.sentAt },
    );
  return { kind: 'stored', letter: stored, ...(removed && { removed }) };
}

/** Those of which one has to make room; null if there is room. */
function crowdIn(
  box: readonly StoredLetter[],
  { letter, boxMax, shareMax = Number.POSITIVE_INFINITY }: LetterPut,
): readonly StoredLetter[] | null {
  const share = box.filter(
    ({ from, isVerified }) => isVerified === letter.isVerified && (!isVerified || from === letter.from),
  );
  if (share.length >= shareMax) return share;
  if (box.length < boxMax) return null;
  return letter.isVerified ? box : share;
}

const WEIGHTS = { low: 1, normal: 2, high: 3, urgent: 4 } as const;

function roomIn(crowd: readonly StoredLetter[], { awaitedFrom }: LetterPut): StoredLetter | null {
  const weightOf = ({ from, isVerified, acknowledgedAt, priority }: StoredLetter): number =>
    from === awaitedFrom && isVerified && acknowledgedAt === null ? WEIGHTS[priority] : 0;
  const [oldest = null] = crowd
    .filter(({ readAt }) => readAt !== null)
    .filter((each) => weightOf(each) < WEIGHTS.urgent)
    .sort((a, b) => weightOf(a) - weightOf(b));
  return oldest;
}

export function listLetters({ letters }: Tables, query: LetterQuery): readonly StoredLetter[] {
  const { status, priority, other, after, before, limit } = query;
  const isWanted = (letter: StoredLetter): boolean =>
    isIn(query, letter) &&
    (status === undefined || hasStatus[status](letter)) &&
    (priority === undefined || letter.priority === priority) &&
    (other === undefined || (query.box === 'inbox' ? letter.from : letter.to) === other);
  const found: StoredLetter[] = [];
  for (const letter of letters.values()) if (isWanted(letter)) found.push(letter);
  if (after === undefined && before === undefined) return found.reverse().slice(0, limit);
  const order = [...letters.keys()];
  if (after === undefined) {
    const end = order.indexOf(before ?? '');
    return found
      .filter(({ letterId }) => order.indexOf(letterId) < end)
      .reverse()
      .slice(0, limit);
  }
  const start = after === null ? -1 : order.indexOf(after);
  return found.filter(({ letterId }) => order.indexOf(letterId) > start).slice(0, limit);
}

const isIn = ({ of, box, isVerified }: LetterBox, letter: StoredLetter): boolean =>
  (box === 'inbox' ? letter.to : letter.from) === of &&
  (isVerified === undefined || letter.isVerified === isVerified);

const hasStatus: Readonly<Record<LetterStatus, (letter: StoredLetter) => boolean>> = {
  unread: ({ readAt }) => readAt === null,
  read: ({ readAt, archivedAt }) => readAt !== null && archivedAt === null,
  archived: ({ archivedAt }) => archivedAt !== null,
  unacknowledged: ({ acknowledgedAt, letterId }) =>
    acknowledgedAt === null && !letterId.startsWith(PING_ID_PREFIX),
};

export function countLetters({ letters }: Tables, box: LetterBox): LetterCounts {
  const byPriority = { urgent: 0, high: 0, normal: 0, low: 0 };
  const found = [...letters.values()].filter((letter) => isIn(box, letter));
  for (const { priority } of found) byPriority[priority] += 1;
  return { total: found.length, unread: found.filter(hasStatus.unread).length, byPriority };
}

export function countUnread({ letters }: Tables, names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const letter of letters.values())
    if (names.includes(letter.to) && hasStatus.unread(letter))
      counts[letter.to] = (counts[letter.to] ?? 0) + 1;
  return counts;
}

export function markLetters(
  { letters }: Pick<Tables, 'letters'>,
  { to, letterIds, as, at }: LetterMarking,
): readonly string[] {
  const times = TIMES_OF_MARK[as];
  const last = times[times.length - 1] ?? 'deliveredAt';
  return letterIds.filter((letterId) => {
    const letter = letters.get(letterId);
    if (!letter || (to !== null && letter.to !== to) || letter[last] !== null) return false;
    const marked = Object.fromEntries(times.map((time) => [time, letter[time] ?? at]));
    letters.set(letterId, { ...letter, ...marked });
    return true;
  });
}

export function deleteLetter({ letters }: Tables, to: string, letterId: string): boolean {
  return letters.get(letterId)?.to === to && letters.delete(letterId);
}

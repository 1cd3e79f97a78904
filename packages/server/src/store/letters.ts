import type { Instant, MessagePriority } from '@holter/core';

/**
 * The post office's part of the store: letters between names. A letter is sent, delivered, read and acknowledged,
 * each with its time; a later state includes the earlier ones.
 */
export type Letters = {
  /**
   * Stores a letter after all earlier ones to the same recipient, and marks the letter in its recipient's own box
   * that it `acknowledges`. A sender's letter with a `clientId` that it has used is not stored again: `exists` returns
   * the first one as it is now. In a full box a letter that has been read makes room (`removed`), the oldest, but those
   * that are awaited last: the least urgent first, and urgent ones never. If there is none, nothing is stored (`full`).
   * A letter beyond its share takes the place of one of that share only, and one whose sender has not proven its name
   * takes none from one whose sender has.
   */
  putLetter(put: LetterPut): Promise<LetterVerdict>;
  readLetter(letterId: string): Promise<StoredLetter | null>;
  /** Newest first, unless the query says otherwise. */
  listLetters(query: LetterQuery): Promise<readonly StoredLetter[]>;
  countLetters(box: LetterBox): Promise<LetterCounts>;
  /** How many letters in the boxes of these names are unread; a name without any is left out. */
  countUnread(names: readonly string[]): Promise<Readonly<Record<string, number>>>;
  /** Returns the ids of those letters that were not in this state before. */
  markLetters(mark: LetterMarking): Promise<readonly string[]>;
  /** Deletes a letter to this recipient; false when there is none. */
  deleteLetter(to: string, letterId: string): Promise<boolean>;
};

export type StoredLetter = {
  readonly letterId: string;
  readonly from: string;
  readonly to: string;
  /** Chosen by the sender, so that a letter that it sends again is stored once. */
  readonly clientId: string | null;
  readonly subject: string;
  readonly priority: MessagePriority;
  readonly inReplyTo: string | null;
  /** The names that a forwarded letter has passed, oldest first; empty for one that was not forwarded. */
  readonly passed: readonly string[];
  /** Whether the sender has proven its name. */
  readonly isVerified: boolean;
  readonly sentAt: Instant;
  readonly deliveredAt: Instant | null;
  readonly readAt: Instant | null;
  readonly acknowledgedAt: Instant | null;
  readonly archivedAt: Instant | null;
  /** JSON. */
  readonly content: string;
};

type LetterMark = 'delivered' | 'read' | 'acknowledged' | 'archived';

export type NewLetter = Omit<StoredLetter, `${LetterMark}At`>;

export type LetterPut = {
  readonly letter: NewLetter;
  readonly acknowledges: string | null;
  /** Most letters in the recipient's box. */
  readonly boxMax: number;
  /**
   * Most of them from this sender; if it has not proven its name, from all who have not. As many as there is room for,
   * if it is left out.
   */
  readonly shareMax?: number;
  /** Unacknowledged letters of this sender are awaited. */
  readonly awaitedFrom?: string;
};

export type LetterVerdict =
  | { readonly kind: 'stored'; readonly letter: StoredLetter; readonly removed?: StoredLetter }
  | { readonly kind: 'exists'; readonly letter: StoredLetter }
  | { readonly kind: 'full' };

/** Letters to a name, or from it; only those whose senders have proven their names, or have not, if it says so. */
export type LetterBox = {
  readonly of: string;
  readonly box: 'inbox' | 'sent';
  readonly isVerified?: boolean;
};

/** Begins the id of each ping, and of no other letter. */
export const PING_ID_PREFIX = 'ping-';

/** `unacknowledged`: a ping is not among them, because it awaits a pong and no acknowledgement. */
export type LetterStatus = 'unread' | 'read' | 'archived' | 'unacknowledged';

export type LetterQuery = LetterBox & {
  readonly status?: LetterStatus;
  readonly priority?: MessagePriority;
  /** The sender of letters in an inbox, the recipient of those that were sent. */
  readonly other?: string;
  /** Oldest first, from the letter after this one; from the beginning if it is null or the letter is gone. */
  readonly after?: string | null;
  /** Newest first, from the letter before this one; none if the letter is gone. */
  readonly before?: string;
  readonly limit: number;
};

export type LetterCounts = {
  readonly total: number;
  readonly unread: number;
  readonly byPriority: Readonly<Record<MessagePriority, number>>;
};

export type LetterMarking = {
  /** Only letters to this recipient; null for those of all. */
  readonly to: string | null;
  readonly letterIds: readonly string[];
  readonly as: LetterMark;
  readonly at: Instant;
};

/** The times that a mark sets, where they are not set yet; the last one tells whether it changed anything. */
export const TIMES_OF_MARK = {
  delivered: ['deliveredAt'],
  read: ['deliveredAt', 'readAt'],
  acknowledged: ['deliveredAt', 'readAt', 'acknowledgedAt'],
  archived: ['deliveredAt', 'readAt', 'archivedAt'],
} as const satisfies Readonly<Record<LetterMark, readonly `${LetterMark}At`[]>>;

export const unmarked = (letter: NewLetter): StoredLetter => ({
  ...letter,
  deliveredAt: null,
  readAt: null,
  acknowledgedAt: null,
  archivedAt: null,
});

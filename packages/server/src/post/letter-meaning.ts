import { openTask } from '@holter/core';
import type { Sender } from '../intake/index.ts';
import type { Letters, NewLetter, StoredLetter } from '../store/letters.ts';
import { signalAcknowledged } from './acknowledgements.ts';
import { isAcknowledging } from './handoff-letter.ts';
import { isPingId, pingId } from './ping-letter.ts';
import { type SignalContext, takeSignal } from './take-signal.ts';
import { taskSignalOf } from './task-letter.ts';

/** How far back letters of one sender are looked at. */
const LOOKED_AT_MAX = 50;

export type MeaningContext = SignalContext & {
  readonly store: Pick<Letters, 'readLetter' | 'listLetters' | 'markLetters'>;
  /** Holter's own name in the post. */
  readonly name: () => string;
};

type Content = Readonly<Record<string, unknown>>;
const contentOf = ({ content }: NewLetter): Content => JSON.parse(content) as Content;

/**
 * What a letter says beyond its words: the acknowledgement of another, or the answer to a ping. Returns what the
 * sender should know about it.
 */
export async function hearLetter(
  context: MeaningContext,
  letter: StoredLetter,
  sender: Sender,
): Promise<readonly string[]> {
  if (isPong(letter, context.name())) return sender.role === 'agent' ? hearPong(context, letter, sender) : [];
  const answered = letter.inReplyTo === null ? null : await context.store.readLetter(letter.inReplyTo);
  if (answered?.to === letter.from && isAcknowledging(contentOf(letter)))
    await signalAcknowledged(context, answered, sender);
  if (isDoneMail(letter) && sender.role === 'agent') return hearDone(context, letter, sender);
  const own = context.name();
  if (letter.to !== own || letter.passed.length > 0 || sender.role !== 'agent') return [];
  const isAsked = answered?.to === letter.from && answered.from === own && answered.isVerified;
  return hearOfTask(context, letter, isAsked ? answered : null, sender);
}

/** A word of the agent about one of its tasks: the letter names it, or answers an inquiry about it. */
async function hearOfTask(
  context: MeaningContext,
  letter: StoredLetter,
  inquiry: StoredLetter | null,
  sender: Sender,
): Promise<readonly string[]> {
  const said = taskSignalOf(contentOf(letter), inquiry && contentOf(inquiry));
  if (said === null) return [];
  const agent = await context.engine.read(letter.from);
  if (!agent || agent.hard.end || !openTask(agent.hard, said.taskId))
    return [`you have no open task ${said.taskId}`];
  await takeSignal(context, said, sender, letter.from);
  return [];
}

/** A worker says to anybody, such as the witness of its group, that its task is done. */
const isDoneMail = ({ subject, passed, isVerified }: NewLetter): boolean =>
  isVerified && passed.length === 0 && /^POLECAT_DONE\b/.test(subject);

async function hearDone(
  context: MeaningContext,
  letter: StoredLetter,
  sender: Sender,
): Promise<readonly string[]> {
  const agent = await context.engine.read(letter.from);
  const { task_id: named = agent?.hard.task?.id } = contentOf(letter);
  const task = agent && !agent.hard.end ? openTask(agent.hard, String(named)) : undefined;
  if (!task) return ['you have no such open task'];
  await takeSignal(context, { kind: 'task-ended', taskId: task.id, outcome: 'done' }, sender, letter.from);
  return [];
}

/** A pong acknowledges the ping of its sequence, and no other letter. */
export const isPong = ({ to, passed, content }: NewLetter, own: string): boolean =>
  to === own && passed.length === 0 && (JSON.parse(content) as Content).type === 'heartbeat-response';

/** Whether a letter to Holter says more than its words: a pong, an acknowledgement, or something about a task. */
export const saysMore = (letter: NewLetter, own: string): boolean =>
  letter.to === own &&
  letter.passed.length === 0 &&
  (isPong(letter, own) ||
    letter.inReplyTo !== null ||
    isDoneMail(letter) ||
    taskSignalOf(contentOf(letter), null) !== null);

/**
 * Only a ping that Holter sent itself can be answered, and only once. A pong to another one is left unread, for the
 * script that has sent that ping.
 */
async function hearPong(
  context: MeaningContext,
  pong: StoredLetter,
  sender: Sender,
): Promise<readonly string[]> {
  const { store } = context;
  const own = context.name();
  const { from, letterId, sentAt: at } = pong;
  const { status, current_task: task } = contentOf(pong);
  const ping = await pingFor(context, pong);
  const isOwn = ping !== null && isPingId(ping.letterId);
  const read = isOwn ? [letterId] : await olderPongs(context, pong);
  await store.markLetters({ to: own, letterIds: read, as: 'read', at });
  if (!ping) return ['no ping of Holter has this sequence'];
  const answered = await store.markLetters({ to: from, letterIds: [ping.letterId], as: 'acknowledged', at });
  if (answered.length === 0) return ['this ping was answered before'];
  await signalAcknowledged(context, ping, sender);
  const said = SELF_STATUSES.find((known) => known === status);
  const phase = typeof task === 'string' ? task.trim().slice(0, TASK_LENGTH_MAX) : '';
  const heard = { kind: 'pong', ...(said && { status: said }), ...(phase !== '' && { phase }) };
  await takeSignal(context, heard, sender, from);
  return [];
}

/** The ping of this sequence: one of Holter's own, or one that an operator has sent in its name. */
async function pingFor(
  { engine, store, name }: MeaningContext,
  pong: StoredLetter,
): Promise<StoredLetter | null> {
  const { from } = pong;
  const { sequence } = contentOf(pong);
  if (typeof sequence !== 'number') return null;
  const incarnation = (await engine.read(from))?.hard.incarnation ?? 0;
  const own = await store.readLetter(pingId(from, incarnation, sequence));
  if (own?.to === from) return own;
  const query = { of: from, box: 'inbox', other: name(), isVerified: true, limit: LOOKED_AT_MAX } as const;
  const isAsked = ({ type, sequence: asked }: Content) => type === 'heartbeat' && asked === sequence;
  return (await store.listLetters(query)).find((letter) => isAsked(contentOf(letter))) ?? null;
}

/** Of the pongs of one agent that Holter did not ask for, only the newest stays unread: they can't fill the box. */
async function olderPongs(
  { store, name }: MeaningContext,
  { from, isVerified, letterId: newest }: StoredLetter,
): Promise<readonly string[]> {
  const wanted = { other: from, isVerified, status: 'unread', limit: LOOKED_AT_MAX } as const;
  const unread = await store.listLetters({ of: name(), box: 'inbox', ...wanted });
  return unread
    .filter((letter) => letter.letterId !== newest && isPong(letter, name()))
    .map(({ letterId }) => letterId);
}

/** Of what a pong says about the agent's work; it is shown as its phase. */
const TASK_LENGTH_MAX = 60;

const SELF_STATUSES = ['healthy', 'busy', 'degraded'] as const;

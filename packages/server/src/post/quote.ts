import { isHandoff } from './handoff-types.ts';

export type Quoted = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly priority: string;
  readonly type: string;
  readonly subject: string;
  /** As it was sent; of a letter that was passed on, that of the original and who has passed it on. */
  readonly content: Readonly<Record<string, unknown>> & { readonly type: string; readonly message: string };
  /** Whether it was passed on: what its content says about that counts only then. */
  readonly isForwarded: boolean;
};

/** Whether its reader acknowledges such a letter by being shown it; of the others a word is expected. */
export const isAcknowledgedByReading = (letter: Pick<Quoted, 'priority' | 'type'>): boolean =>
  (letter.priority === 'normal' || letter.priority === 'low') && !isHandoff(letter);

/** Of one letter; the rest can be read by its id. */
const QUOTED_LENGTH_MAX = 4_000;

/**
 * Letters for the context of an agent: quoted as the words of their senders, because they are no instructions of its
 * user. Of letters whose senders are not verified only the number is told, and of one that was passed on only that.
 */
export function quotedLetters(letters: readonly Quoted[], unverified: number): string {
  const shown = letters.map((letter) => {
    const { id, to, priority } = letter;
    // Without its name, the command would open the box of whoever's token it finds.
    const answer = `Priority ${priority}. To acknowledge it: holter mail ack ${id} --box ${to}\n`;
    const words = letter.isForwarded ? passedOn(letter) : written(letter);
    return isAcknowledgedByReading(letter) ? words : `${words}${answer}`;
  });
  const count = `${unverified} letter${unverified === 1 ? '' : 's'}`;
  const others = unverified > 0 ? `${count} from senders that are not verified: holter mail list\n` : '';
  const head = letters.length > 0 ? 'Letters to you, in the words of their senders:\n' : '';
  return `${head}${shown.join('')}${others}`;
}

const written = ({ id, from, subject, content }: Quoted): string =>
  `${from} writes (${inLine(subject)}, ${id}):\n${quote(textOf(content))}\n`;

/** A ping can be answered only by somebody who knows its sequence. */
function textOf({ type, message, sequence, hint }: Quoted['content']): string {
  if (type !== 'heartbeat' || typeof sequence !== 'number') return message;
  return `${message}\nsequence: ${sequence}${typeof hint === 'string' ? `\n${hint}` : ''}`;
}

/** Who passes a letter on vouches for its own words, and not for the sender of the letter. */
function passedOn(letter: Quoted): string {
  const { id, from, to, subject, content } = letter;
  const { from: author, verified, note } = content.forwarded as Readonly<Record<string, unknown>>;
  const original =
    verified === true
      ? `${from} passes on a letter of ${inLine(String(author))} (${inLine(subject)}, ${id}):\n${quote(textOf(content))}\n`
      : `${from} passes on a letter of a sender that is not verified: holter mail read ${id} --box ${to}\n`;
  return typeof note === 'string' ? `${original}${from} writes about it:\n${quote(note)}\n` : original;
}

/** Every line has its mark, so that no letter can end its own quotation. */
function quote(message: string): string {
  const cut = message.length > QUOTED_LENGTH_MAX ? `${message.slice(0, QUOTED_LENGTH_MAX)}…` : message;
  return cut
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `> ${inLine(line)}`)
    .join('\n');
}

/** Control characters could change a terminal, or pretend to be something else. */
const inLine = (text: string): string => text.replace(/\s+/gu, ' ').replace(/\p{C}/gu, '·');

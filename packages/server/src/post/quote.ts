import { isHandoff } from './handoff-types.ts';

export type Quoted = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly priority: string;
  readonly type: string;
  readonly subject: string;
  readonly message: string;
};

/** Whether its reader acknowledges such a letter by being shown it; of the others a word is expected. */
export const isAcknowledgedByReading = (letter: Pick<Quoted, 'priority' | 'type'>): boolean =>
  (letter.priority === 'normal' || letter.priority === 'low') && !isHandoff(letter);

/** Of one letter; the rest can be read by its id. */
const QUOTED_LENGTH_MAX = 4_000;

/**
 * Letters for the context of an agent: quoted as the words of their senders, because they are no instructions of its
 * user. Of letters whose senders are not verified only the number is told.
 */
export function quotedLetters(letters: readonly Quoted[], unverified: number): string {
  const shown = letters.map((letter) => {
    const { id, from, to, priority, subject, message } = letter;
    // Without its name, the command would open the box of whoever's token it finds.
    const answer = `Priority ${priority}. To acknowledge it: holter mail ack ${id} --box ${to}\n`;
    const words = `${from} writes (${inLine(subject)}, ${id}):\n${quote(message)}\n`;
    return isAcknowledgedByReading(letter) ? words : `${words}${answer}`;
  });
  const count = `${unverified} letter${unverified === 1 ? '' : 's'}`;
  const others = unverified > 0 ? `${count} from senders that are not verified: holter mail list\n` : '';
  const head = letters.length > 0 ? 'Letters to you, in the words of their senders:\n' : '';
  return `${head}${shown.join('')}${others}`;
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

import type { IncidentView } from '@holter/server/local';
import { counted } from '../terminal/words.ts';

type Nudges = NonNullable<IncidentView['nudges']>;

/** What became of the nudges of an incident. */
export const nudgesInWords = ({ decided, newest }: Nudges): string =>
  `${counted(decided, 'nudge')}, ${decided > 1 ? 'the last one ' : ''}${WORDS[newest]}`;

const WORDS: Readonly<Record<Nudges['newest'], string>> = {
  decided: 'not sent yet',
  offered: 'not read yet',
  delivered: 'delivered',
  seen: 'read',
  ignored: 'read and ignored',
  lost: 'not delivered',
};

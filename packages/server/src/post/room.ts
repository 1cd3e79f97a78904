import { ACKS_MAX } from '@holter/core';
import type { LetterPut } from '../store/letters.ts';
import type { Visitor } from './box-access.ts';

/** Places of a box that only operators can use: what they say arrives, whatever agents write. */
const KEPT = 50;
/** For the letters of one sender, or of all without a token together: nobody can fill a box alone. */
const SHARE_MAX = 200;

/** How much of a box this visitor's letters may take. */
export const roomFor = (visitor: Visitor): Pick<LetterPut, 'boxMax' | 'shareMax'> =>
  visitor?.role === 'operator' ? { boxMax: ACKS_MAX } : { boxMax: ACKS_MAX - KEPT, shareMax: SHARE_MAX };

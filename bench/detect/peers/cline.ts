import { type Peer, sortedKey } from './peer.ts';

const SOFT = 3;
const HARD = 5;
const ABSOLUTE = 20;

/**
 * Equal calls in a row: a warning at three, a stop at five. A changed successful output resets the count, a changed
 * error does not. With any output, twenty are too many unless a percentage rises.
 */
export const cline: Peer = {
  name: 'Cline (3/5)',
  begin: () => {
    let key = '';
    let output = '';
    let count = 0;
    let total = 0;
    let share = -1;
    return (step) => {
      if (step.kind !== 'tool') return 'none';
      const next = `${step.tool} ${sortedKey(step.input)}`;
      const isChanged = step.error !== true && step.output !== output;
      if (next !== key) {
        total = 0;
        share = -1;
      }
      count = next !== key || isChanged ? 1 : count + 1;
      total += 1;
      const percent = /(\d+(?:\.\d+)?)\s*%/.exec(step.output ?? '');
      const rising = percent !== null && Number(percent[1]) > share;
      if (percent !== null) share = Number(percent[1]);
      key = next;
      output = step.output ?? '';
      if (count >= HARD || (total >= ABSOLUTE && !rising)) return 'act';
      return count >= SOFT ? 'warn' : 'none';
    };
  },
};

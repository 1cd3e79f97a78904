import type { AgentStep } from '../../../packages/core/src/detect/index.ts';
import { type Peer, plainKey } from './peer.ts';

/**
 * Four equal actions with equal observations; three equal actions that all failed; three equal messages
 * with nothing between; six steps of A B A B A B; ten compactions in a row; three empty replies.
 */
export const openHands: Peer = {
  name: 'OpenHands',
  begin: () => {
    const actions: { key: string; output: string; isError: boolean }[] = [];
    let messages: string[] = [];
    let compactions = 0;
    return (step) => {
      if (step.kind === 'compaction') {
        compactions += 1;
        return compactions >= 10 ? 'act' : 'none';
      }
      if (step.kind === 'message') {
        compactions = 0;
        messages.push((step.text ?? '').trim());
        return lastEqual(messages, 3) ? 'act' : 'none';
      }
      if (step.kind !== 'tool') return 'none';
      compactions = 0;
      messages = [];
      actions.push({ key: plainKey(step), output: step.output ?? '', isError: step.error === true });
      return isStuck(actions, step) ? 'act' : 'none';
    };
  },
};

const lastEqual = (items: readonly string[], count: number): boolean =>
  items.length >= count && items.slice(-count).every((item) => item === items.at(-1));

function isStuck(
  actions: readonly { key: string; output: string; isError: boolean }[],
  step: AgentStep,
): boolean {
  const recent = actions.slice(-6);
  const keys = recent.map((action) => action.key);
  const pairs = recent.map((action) => `${action.key} => ${action.output}`);
  if (lastEqual(pairs.slice(-4), 4)) return true;
  if (
    step.error === true &&
    lastEqual(keys.slice(-3), 3) &&
    actions.slice(-3).every((action) => action.isError)
  )
    return true;
  const six = pairs.slice(-6);
  return six.length === 6 && six[0] !== six[1] && six.every((pair, index) => pair === six[index % 2]);
}

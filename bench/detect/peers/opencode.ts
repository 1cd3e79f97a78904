import { type Peer, plainKey } from './peer.ts';

/** The last three parts of a message are the same call. Any text between breaks it. Then it asks. */
export const opencode: Peer = {
  name: 'opencode (3)',
  begin: () => {
    let parts: string[] = [];
    return (step) => {
      if (step.kind === 'user') parts = [];
      if (step.text !== null && step.text !== '' && step.kind !== 'user') parts.push(`text ${step.text}`);
      if (step.kind !== 'tool') return 'none';
      parts.push(plainKey(step));
      const last = parts.slice(-3);
      return last.length === 3 && last.every((part) => part === last[0]) ? 'act' : 'none';
    };
  },
};

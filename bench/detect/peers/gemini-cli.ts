import { type Peer, plainKey } from './peer.ts';

const PERIOD_MAX = 5;
const REPEATS = 5;

/** A cycle of one to five calls, five times over, by name and arguments alone. Results are not looked at. */
export const geminiCli: Peer = {
  name: 'Gemini CLI (5, cycles)',
  begin: () => {
    let calls: string[] = [];
    return (step) => {
      if (step.kind === 'user') calls = [];
      if (step.kind !== 'tool') return 'none';
      calls.push(plainKey(step));
      calls = calls.slice(-PERIOD_MAX * REPEATS);
      for (let period = 1; period <= PERIOD_MAX; period += 1) if (isCycle(calls, period)) return 'act';
      return 'none';
    };
  },
};

function isCycle(calls: readonly string[], period: number): boolean {
  if (calls.length < period * REPEATS) return false;
  const window = calls.slice(-period * REPEATS);
  return window.every((call, index) => call === window[index % period]);
}

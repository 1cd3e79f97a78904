import { expect, it } from 'vitest';
import { exampleReady, minutesAgo, now } from '../../test/example-agent.ts';
import { readyInWords } from './ready-in-words.ts';

const end = {
  how: 'crash',
  at: now,
  detail: 'exit code 1',
  exitCode: 1,
  signal: null,
  byHolter: false,
} as const;

it.each([
  ['a healthy agent', { ready: null, end: null }, null],
  [
    'one that can be helped',
    { ready: exampleReady, end: null },
    'nudge through its hooks; stop by its `holter run`; 1 restart left; valid checkpoints c3 (2 min ago), c2 (12 min ago)',
  ],
  [
    'one that can only be watched',
    {
      ready: {
        nudge: { by: null, because: 'nothing can nudge it' },
        stop: { by: null, because: 'Holter has no way to stop it' },
        restarts: { left: 0, because: 'its mode is nudge' },
        checkpoints: [],
      },
      end: null,
    },
    'nothing can nudge it; Holter has no way to stop it; no automatic restart (its mode is nudge); no valid checkpoint',
  ],
  [
    'one that has ended',
    { ready: { ...exampleReady, checkpoints: [{ checkpointId: 'c3', at: minutesAgo(2) }] }, end },
    '1 restart left; valid checkpoint c3 (2 min ago)',
  ],
])('%s', (_who, agent, words) => {
  expect(readyInWords(agent, now)).toBe(words);
});

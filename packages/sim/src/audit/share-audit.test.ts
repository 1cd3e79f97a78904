import type { Transition } from '@holter/core';
import { expect, test } from 'vitest';
import { ShareAudit } from './share-audit.ts';

const turn = (fields: Partial<Transition>): Transition => ({ effects: [], ...fields }) as Transition;
const granted = turn({ effects: [{ kind: 'nudge' }] as never });
const deferred = turn({ deferrals: [{ kind: 'nudge', because: 'budget' }] });
const ada = { agentId: 'ada', group: 'blue', hasKept: true };

test('an agent that waits though its group has had less than its share is reported', () => {
  const said: string[] = [];
  const audit = new ShareAudit((invariant, _agentId, _at, what) => said.push(`${invariant}: ${what}`));
  audit.folded({ ...ada, hasKept: false }, 1_000, deferred);
  for (let count = 0; count < 12; count++) audit.folded(ada, 1_000, granted);
  audit.folded(ada, 2_000, deferred);
  audit.folded(ada, 2_000, turn({ deferrals: [{ kind: 'notice', because: 'brake' }] }));
  expect(said).toEqual([]);
  audit.folded({ ...ada, group: 'red' }, 2_000, deferred);
  audit.folded(ada, 62_000, deferred);
  expect(said).toEqual([
    '12: its nudge waits, and red had only 0 in a minute',
    '12: its nudge waits, and blue had only 0 in a minute',
  ]);
});

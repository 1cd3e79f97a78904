import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';

/** An agent whose incident waits for a decision. */
function escalated(): { bench: Bench; effectId: string } {
  const bench = new Bench({ can: ['nudge'] });
  const { effects } = bench.signal({ kind: 'error', message: 'the disk is full', isUnrecoverable: true });
  const notice = effects.find(({ kind }) => kind === 'notify');
  expect(bench.agent.hard.incident).toMatchObject({ step: 'escalate', phase: 'waiting' });
  return { bench, effectId: notice?.id ?? '' };
}

describe('the receipt of a notice', () => {
  test('starts the wait for a decision when somebody was shown it, on whichever channel', () => {
    const { bench, effectId } = escalated();
    const receipt = { kind: 'receipt', effectId, detail: '' } as const;
    bench.feed({ ...receipt, outcome: 'posted', channel: 'chat' });
    bench.feed({ ...receipt, outcome: 'refused', channel: 'mail' });
    expect(bench.agent.hard.incident?.wait).toBeUndefined();
    const { events } = bench.feed({ ...receipt, outcome: 'delivered', channel: 'page' });
    expect(bench.agent.hard.incident?.wait).toMatchObject({ at: bench.at });
    expect(events).toMatchObject([
      { type: 'EFFECT_RECEIPT', payload: { effectId, outcome: 'delivered', channel: 'page' } },
    ]);
  });
});

test('what Holter itself has to tell becomes an effect like any other', () => {
  const bench = new Bench({});
  const notice = { audience: 'operator', severity: 'warning', message: 'look', incidentId: null } as const;
  const { effects, events } = bench.feed({ kind: 'notice', effectId: 'run:1/lost', notice });
  expect(effects).toMatchObject([{ id: 'run:1/lost', kind: 'notify', agentId: 'ada', ...notice }]);
  expect(events).toMatchObject([{ type: 'ATTENTION_RAISED', payload: { message: 'look' } }]);
});

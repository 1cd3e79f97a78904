import { describe, expect, test } from 'vitest';
import { Bench, policiesOf } from '../../test/kit.ts';
import { minutes } from '../base/time.ts';
import type { InputBody } from '../record/input.ts';
import type { Effect, ReceiptOutcome } from '../vocabulary/effect.ts';

type Notify = Extract<Effect, { kind: 'notify' }>;

/** An agent whose incident waits for a decision. */
function escalated(unattended: boolean): { bench: Bench; notice: Notify } {
  const bench = new Bench({ can: ['nudge'] }, policiesOf({ rules: { unattended } }));
  const { effects } = bench.signal({ kind: 'error', message: 'the disk is full', isUnrecoverable: true });
  const notice = effects.find((effect) => effect.kind === 'notify') as Notify;
  expect(bench.agent.hard.incident).toMatchObject({ step: 'escalate', phase: 'waiting' });
  return { bench, notice };
}

describe('the receipt of a notice', () => {
  const on = (notice: Notify, channel: string, outcome: ReceiptOutcome): InputBody => ({
    kind: 'receipt',
    effect: { ...notice, id: `${notice.id}/to/${channel}`, via: { channel, noticeId: notice.id } },
    outcome,
    detail: '',
  });

  test('starts the wait for a decision once any channel has delivered it, where the operator wants that', () => {
    const { bench, notice } = escalated(false);
    bench.feed(on(notice, 'chat', 'posted'));
    bench.feed(on(notice, 'mail', 'refused'));
    expect(bench.agent.hard.incident?.wait).toBeUndefined();
    const { events } = bench.feed(on(notice, 'page', 'delivered'));
    expect(bench.agent.hard.incident).toMatchObject({ wait: { at: bench.at }, noticedAt: bench.at });
    expect(events).toMatchObject([
      { type: 'EFFECT_RECEIPT', payload: { effectId: notice.id, outcome: 'delivered', channel: 'page' } },
    ]);
  });

  test('otherwise only says when somebody noticed: the wait runs from the notice', () => {
    const { bench, notice } = escalated(true);
    const postedAt = bench.at;
    expect(bench.agent.hard.incident).toMatchObject({ wait: { at: postedAt } });
    expect(bench.agent.hard.incident?.noticedAt).toBeUndefined();
    bench.advance(minutes(5));
    bench.feed(on(notice, 'chat', 'posted'));
    expect(bench.agent.hard.incident?.noticedAt).toBeUndefined();
    bench.feed(on(notice, 'page', 'delivered'));
    expect(bench.agent.hard.incident).toMatchObject({ wait: { at: postedAt }, noticedAt: bench.at });
  });
});

test('a notice from Holter itself becomes an effect', () => {
  const bench = new Bench({});
  const notice = { audience: 'operator', severity: 'warning', message: 'look', incidentId: null } as const;
  const { effects, events } = bench.feed({ kind: 'notice', effectId: 'run:1/lost', notice });
  expect(effects).toMatchObject([{ id: 'run:1/lost', kind: 'notify', agentId: 'ada', ...notice }]);
  expect(events).toMatchObject([{ type: 'ATTENTION_RAISED', payload: { message: 'look' } }]);
});

import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { later, milliseconds, seconds } from '../base/time.ts';
import type { HolterEvent } from '../vocabulary/event.ts';

const raised = (events: readonly HolterEvent[]) =>
  events.flatMap((event) => (event.type === 'FINDING_RAISED' ? [event.payload] : []));

describe('how late a finding is reported', () => {
  test('a finding due to time is late by the delay between its deadline and the judgement', () => {
    const bench = new Bench({ promises: { beatEveryMs: seconds(60) } });
    bench.signal({ kind: 'heartbeat' });
    const found = [];
    for (let looks = 0; found.length === 0 && looks < 10; looks += 1) {
      bench.at = later(bench.agent.hard.wakeAt, milliseconds(700));
      found.push(...raised(bench.feed({ kind: 'tick' }).events));
    }
    expect(found).toMatchObject([{ kind: 'missed-heartbeats', lateMs: 700 }]);
  });

  test('a finding due to a signal is reported at once', () => {
    const bench = new Bench({ promises: { beatEveryMs: seconds(60) } });
    const { events } = bench.signal({ kind: 'error', message: 'no disk', isUnrecoverable: true });
    expect(raised(events)).toMatchObject([{ kind: 'unrecoverable-error', lateMs: 0 }]);
  });
});

import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { instant, minutes, seconds } from '../base/time.ts';
import { type Effect, lifeOfIncident, lifeOfStart } from '../vocabulary/effect.ts';
import { enroll } from './enroll.ts';

const beats = { promises: { beatEveryMs: seconds(60) } };

/** Silent until people are asked; returns every effect wanted on the way. */
function silentBench(): { bench: Bench; wanted: readonly Effect[] } {
  const bench = new Bench(beats);
  bench.signal({ kind: 'heartbeat' });
  const wanted: Effect[] = [];
  for (let minute = 0; minute < 10; minute++) {
    bench.at = instant(bench.at + minutes(1));
    wanted.push(...bench.feed({ kind: 'tick' }).effects);
  }
  return { bench, wanted };
}

const of = (effects: readonly Effect[], kind: Effect['kind']): Effect =>
  effects.find((effect) => effect.kind === kind) as Effect;

describe('what an effect lives by', () => {
  test('an inquiry lives by the incarnation until its answer is due, a notice of a step by its incident', () => {
    const { bench, wanted } = silentBench();
    const inquiry = of(wanted, 'inquire');
    expect(inquiry.livesBy).toBe(lifeOfStart('ada', 1));
    expect(inquiry.until).toBe(inquiry.kind === 'inquire' ? inquiry.answerBy : 0);
    const notice = of(wanted, 'notify');
    expect(notice.livesBy).toBe(lifeOfIncident('ada/1'));
    expect(notice.step).toEqual({ incidentId: 'ada/1', step: 'escalate', attempt: 1 });
    expect(bench.agent.hard.incident?.id).toBe('ada/1');
  });

  test('an agent that ends on purpose ends its incident and its incarnation', () => {
    const { bench } = silentBench();
    const { over } = bench.signal({ kind: 'exited', code: 0 }, 'holter');
    expect([...over].sort()).toEqual([lifeOfIncident('ada/1'), lifeOfStart('ada', 1)].sort());
  });

  test('a new incarnation ends the one before', () => {
    const { bench } = silentBench();
    const { agentId, role, group, mode, promises, can, executor } = bench.agent.hard;
    const registration = { agentId, role, group, mode, promises, can, executor, instanceId: 'ada-2' };
    const again = enroll(bench.agent, registration, { at: bench.at, stalls: [], policy: bench.policy });
    expect(again).toMatchObject({ over: [lifeOfStart('ada', 1), lifeOfIncident('ada/1')] });
  });

  test('a claim of an effect whose life has ended is cancelled, even for a message', () => {
    const { bench, wanted } = silentBench();
    const claim = (effect: Effect): unknown => bench.feed({ kind: 'claim', effect, evidence: {} }).claim;
    expect(claim(of(wanted, 'notify'))).toBe('proceed');
    bench.signal({ kind: 'exited', code: 0 }, 'holter');
    expect(claim(of(wanted, 'notify'))).toBe('cancelled');
    expect(claim(of(wanted, 'inquire'))).toBe('cancelled');
  });

  test('a claim that itself closes the incident is cancelled', () => {
    const { bench, wanted } = silentBench();
    const closes = (): boolean =>
      bench.transition(bench.agent, bench.inputOf({ kind: 'tick' })).over.length > 0;
    for (let second = 0; second < 3_600 && !closes(); second++) {
      if (second % 30 === 0) bench.signal({ kind: 'heartbeat' });
      bench.at = instant(bench.at + 1_000);
    }
    const { claim, over } = bench.feed({ kind: 'claim', effect: of(wanted, 'notify'), evidence: {} });
    expect(over).toContain(lifeOfIncident('ada/1'));
    expect(claim).toBe('cancelled');
  });
});

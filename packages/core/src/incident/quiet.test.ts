import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { hours, instant, minutes } from '../base/time.ts';
import type { Effect } from '../vocabulary/effect.ts';
import type { FindingKind } from '../vocabulary/finding.ts';
import { FINDING_KINDS } from '../vocabulary/finding.ts';

const words = { by: 'olga', reason: 'because' };
const kinds = Object.keys(FINDING_KINDS) as FindingKind[];

type Raised = { readonly kind: FindingKind; readonly count: number; readonly afterMinutes: number };

const raised: fc.Arbitrary<Raised> = fc.record({
  kind: fc.constantFrom(...kinds),
  count: fc.integer({ min: 5, max: 40 }),
  afterMinutes: fc.integer({ min: 0, max: 20 }),
});

/** The effects wanted while these findings appear, one after the other, on an agent with this quiet. */
function effectsOf(
  quiet: readonly FindingKind[],
  findings: readonly Raised[],
  isHeard: (r: Raised) => boolean,
) {
  const bench = new Bench({ promises: {} });
  for (const finding of quiet)
    bench.feed({
      kind: 'decision',
      decision: { decision: 'allow_more_time', forMs: hours(9), finding, ...words },
    });
  const effects: Effect[] = [];
  for (const each of findings) {
    effects.push(...bench.advance(minutes(each.afterMinutes)).flatMap((turn) => turn.effects));
    if (!isHeard(each)) continue;
    const { kind, count } = each;
    const finding = {
      kind,
      count,
      severity: 'act',
      since: instant(0),
      evidence: kind,
      threshold: '5',
    } as const;
    const said = { kind: 'finding', finding: { ...finding, source: 'agent-reports' } } as const;
    effects.push(...bench.signal(said, 'holter').effects);
  }
  effects.push(...bench.advance(hours(1)).flatMap((turn) => turn.effects));
  return effects;
}

describe('a snoozed kind', () => {
  test('has no effect: the effects are those without the finding', () => {
    const others: FindingKind[] = kinds.filter((kind) => kind !== 'delivery-failed');
    const some = fc.subarray(others, { maxLength: 6 });
    fc.assert(
      fc.property(some, fc.array(raised, { maxLength: 6 }), (quiet, findings) => {
        const isHeard = ({ kind }: Raised): boolean => !quiet.includes(kind);
        expect(effectsOf(quiet, findings, () => true)).toEqual(effectsOf(quiet, findings, isHeard));
      }),
      { numRuns: 200 },
    );
  });

  test('of failed deliveries changes only what a notice says about the ways to stop the agent', () => {
    const unworded = (effects: readonly Effect[]) =>
      effects.map((effect) => (effect.kind === 'notify' ? { ...effect, message: '' } : effect));
    fc.assert(
      fc.property(fc.array(raised, { maxLength: 6 }), (findings) => {
        const isHeard = ({ kind }: Raised): boolean => kind !== 'delivery-failed';
        const snoozed = effectsOf(['delivery-failed'], findings, () => true);
        expect(unworded(snoozed)).toEqual(unworded(effectsOf(['delivery-failed'], findings, isHeard)));
      }),
      { numRuns: 200 },
    );
  });

  test('counts against a bound, beyond which a snooze is refused', () => {
    const bench = new Bench();
    const told = kinds.slice(0, 9).map((finding) => {
      const decision = { decision: 'allow_more_time', forMs: minutes(5), finding, ...words } as const;
      return bench.feed({ kind: 'decision', decision }).events.map(({ type }) => type);
    });
    expect(told.map(([first]) => first)).toEqual([...Array(8).fill('DECISION_MADE'), 'DECISION_REJECTED']);
    expect(bench.agent.hard.quietFindings).toHaveLength(8);
    bench.advance(minutes(6));
    expect(bench.agent.hard.quietFindings).toBeUndefined();
  });
});

describe('an agent that has ended', () => {
  const ended = (): Bench => {
    const bench = new Bench({ promises: { process: true }, can: ['spawn'], executor: 'run-1' });
    bench.advance(minutes(10));
    bench.signal({ kind: 'exited', code: 5 }, 'holter');
    return bench;
  };
  const leave = (bench: Bench) =>
    bench.feed({ kind: 'decision', decision: { decision: 'dismiss', ...words } });

  test('is left down, and how it ended stays known', () => {
    const bench = ended();
    expect(bench.agent.hard.incident).toBeDefined();
    expect(leave(bench).rejection).toBeUndefined();
    expect(bench.agent.hard.incident).toBeUndefined();
    expect(bench.agent.hard.end).toMatchObject({ detail: 'exit code 5; left down by olga' });
  });

  test('can not be left down twice', () => {
    const bench = ended();
    leave(bench);
    expect(leave(bench).rejection).toMatchObject({ code: 'agent-ended' });
  });
});

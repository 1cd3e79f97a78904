import { describe, expect, test } from 'vitest';
import { agentOf, Bench, policiesOf, policyFor } from '../../test/kit.ts';
import { instant, minutes, seconds } from '../base/time.ts';
import { draftOf } from '../record/draft.ts';
import { FINDING_KINDS, type Finding, type FindingKind, type Severity } from '../vocabulary/finding.ts';
import type { HealthState } from '../vocabulary/health-state.ts';
import { NO_STALLS } from '../vocabulary/stall.ts';
import { becomeHealth, stateOf } from './health.ts';

const states: readonly HealthState[] = ['HEALTHY', 'DEGRADED', 'STUCK', 'FAILING', 'TERMINATED'];

const findingOf = (kind: FindingKind, severity: Severity): Finding => ({
  kind,
  severity,
  source: 'agent-reports',
  since: instant(0),
  evidence: 'seen',
  threshold: 'any',
});

describe('transitions', () => {
  // Rows are the current state, columns the next one; x is forbidden. A state does not change into itself.
  const table = `
                HEALTHY DEGRADED STUCK FAILING TERMINATED
    HEALTHY     x       ok       ok    ok      ok
    DEGRADED    ok      x        ok    ok      ok
    STUCK       ok      ok       x     ok      ok
    FAILING     ok      ok       ok    x       ok
    TERMINATED  ok      x        x     x       x`;
  const [, ...rows] = table.trim().split('\n');
  const cells = rows.flatMap((row) => {
    const [from, ...words] = row.trim().split(/\s+/);
    return words.map((word, index) => ({ from, to: states[index], isAllowed: word === 'ok' }));
  });

  test.each(cells)('$from -> $to: allowed $isAllowed', ({ from, to, isAllowed }) => {
    const { soft, hard } = agentOf();
    const policy = policyFor(policiesOf(), hard.role, hard.agentId);
    const agent = { soft, hard: { ...hard, health: from as HealthState } };
    const draft = draftOf(agent, instant(5_000), NO_STALLS, policy);
    const change = (): void => becomeHealth(draft, to as HealthState, 'a test', 'seen');
    if (!isAllowed) {
      expect(change).toThrow(/may not go/);
      return;
    }
    change();
    expect(draft.hard.health).toBe(to);
    expect(draft.events).toMatchObject([
      { type: 'HEALTH_STATE_CHANGED', payload: { agentId: 'ada', from, to, reason: 'a test' } },
    ]);
  });
});

describe('the health state of a finding', () => {
  const actMakes: Readonly<Record<'DEGRADED' | 'STUCK' | 'FAILING', string>> = {
    DEGRADED: `token-spike spending error-rate hold-overdue self-reported hooks-silent foreign-task
      not-exiting file-unusable blocker ticket budget`,
    STUCK: `silent work-unstarted checkpoint-stale repeated-call call-cycle same-error near-duplicate
      zero-diversity unchanged-poll repeated-text monologue empty-replies compaction-loop unknown-tool
      failing-calls revisit dry-spell same-answer restated-plan
      verdict-streak context-exhausted token-flat task-overdue ack-overdue limit-exceeded`,
    FAILING: `missed-heartbeats no-pong process-gone frozen delivery-failed breaker-open
      consecutive-failures unrecoverable-error job-late job-failed`,
  };
  const rows = Object.entries(actMakes).flatMap(([state, kinds]) =>
    kinds.split(/\s+/).map((kind) => ({ kind: kind as FindingKind, state })),
  );

  test('the table lists every kind once', () => {
    expect(rows.map(({ kind }) => kind).sort()).toEqual(Object.keys(FINDING_KINDS).sort());
  });

  test.each(rows)('$kind: warn is DEGRADED, act is $state', ({ kind, state }) => {
    expect(stateOf(findingOf(kind, 'warn'))).toBe('DEGRADED');
    expect(stateOf(findingOf(kind, 'act'))).toBe(state);
  });
});

describe('settling', () => {
  const bad = (bench: Bench, severity: Severity): unknown =>
    bench.signal({ kind: 'finding', finding: findingOf('verdict-streak', severity) }, 'holter');
  const clear = (bench: Bench): unknown =>
    bench.signal({ kind: 'finding-cleared', findingKind: 'verdict-streak' }, 'holter');

  test('a worse state takes effect at once, a better one after a minute', () => {
    const bench = new Bench();
    bad(bench, 'act');
    expect(bench.agent.hard.health).toBe('STUCK');
    clear(bench);
    bench.advance(minutes(1) - 1);
    expect(bench.agent.hard.health).toBe('STUCK');
    bench.advance(1);
    expect(bench.agent.hard.health).toBe('HEALTHY');
  });

  test('an agent that beats more often settles after one interval', () => {
    const bench = new Bench({ promises: { beatEveryMs: seconds(10) } });
    bad(bench, 'act');
    clear(bench);
    bench.advance(seconds(10));
    expect(bench.agent.hard.health).toBe('HEALTHY');
  });

  test('a relapse restarts the minute, and a partial improvement gives the state between', () => {
    const bench = new Bench();
    bad(bench, 'act');
    clear(bench);
    bench.advance(seconds(50));
    bad(bench, 'act');
    bad(bench, 'warn');
    bench.advance(seconds(59));
    expect(bench.agent.hard.health).toBe('STUCK');
    bench.advance(seconds(1));
    expect(bench.agent.hard.health).toBe('DEGRADED');
  });

  test('every change is one event with its reason and evidence', () => {
    const bench = new Bench();
    const { events } = bench.feed({
      kind: 'signal',
      origin: 'holter',
      signal: {
        agentId: 'ada',
        incarnation: 1,
        kind: 'finding',
        finding: findingOf('verdict-streak', 'act'),
      },
    });
    expect(events.filter(({ type }) => type === 'HEALTH_STATE_CHANGED')).toEqual([
      {
        at: bench.at,
        incarnation: 1,
        type: 'HEALTH_STATE_CHANGED',
        payload: {
          agentId: 'ada',
          from: 'HEALTHY',
          to: 'STUCK',
          reason: 'verdict-streak (act)',
          evidence: 'seen',
        },
      },
    ]);
  });
});

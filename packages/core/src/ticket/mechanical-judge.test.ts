import { describe, expect, test } from 'vitest';
import { instant, minutes } from '../base/time.ts';
import type { Verdict } from '../vocabulary/signal.ts';
import { type Evidence, emptyEvidence, observeEvidence, observeVerdictOf } from './evidence.ts';
import { summarize } from './health-summary.ts';
import { judgeSummary, type LastCheck } from './mechanical-judge.ts';

const T0 = instant(1_000_000);
const ids = { agentId: 'scribe', graphId: 'graph', sessionId: 's1' };
const step = (verdict: Verdict) => ({
  verdict,
  tool: 'read',
  text: 'hm',
  result: 'x',
  isError: false,
  at: T0,
});
const after = (...verdicts: Verdict[]): Evidence =>
  verdicts.reduce((evidence, verdict) => observeEvidence(evidence, step(verdict)), emptyEvidence(ids));
const retries = (count: number): Evidence => after('ACCEPT', ...Array<Verdict>(count).fill('RETRY'));
const summaryOf = (evidence: Evidence, stillMinutes = 0) =>
  summarize(evidence, { at: instant(T0 + minutes(stillMinutes)), isoOf: (at) => `at ${at}` });
const second = (evidence: Evidence, { total_steps = 0 }: Partial<LastCheck> = {}): LastCheck => ({
  session_id: evidence.sessionId,
  total_steps,
});

describe('the streak since the last ACCEPT', () => {
  test.each([
    [0, null, 'healthy', undefined],
    [4, null, 'healthy', undefined],
    [5, null, 'warning', undefined],
    [9, null, 'warning', undefined],
    [9, 'it loops', 'warning', undefined],
    [10, null, 'undecided', 'medium'],
    [10, 'it loops', 'escalate', 'medium'],
    [14, null, 'undecided', 'medium'],
    [14, 'it loops', 'escalate', 'medium'],
    [15, null, 'escalate', 'high'],
    [19, null, 'escalate', 'high'],
    [20, null, 'escalate', 'critical'],
    [90, null, 'escalate', 'critical'],
  ] as const)('%i steps, loop %s: %s, %s', (count, loop, verdict, severity) => {
    const evidence = { ...retries(count), loop };
    const judged = judgeSummary(summaryOf(evidence), second(evidence));
    expect(judged).toMatchObject({ verdict, isToBeRepeated: false });
    expect(judged.escalation?.severity).toBe(severity);
    expect(judged.reasoning).toContain(String(count));
  });

  test('CONTINUE and COMPACTION neither lengthen nor end it', () => {
    const evidence = after('ACCEPT', 'RETRY', 'CONTINUE', 'COMPACTION', 'ESCALATE', 'CONTINUE');
    expect(summaryOf(evidence)).toMatchObject({ total_steps: 6, steps_since_last_accept: 2 });
    expect(summaryOf(observeVerdictOf(evidence, 'ACCEPT')).steps_since_last_accept).toBe(0);
  });

  test('it is counted beyond the steps that are kept', () => {
    const { steps, verdicts, streak } = retries(500);
    expect([steps.length, verdicts.length, streak]).toEqual([8, 100, 500]);
  });

  test('without verdicts there is none, and fruitless work is left to a model', () => {
    const evidence = after(...Array<Verdict>(60).fill('CONTINUE'));
    expect(judgeSummary(summaryOf(evidence, 30), second(evidence, { total_steps: 60 }))).toMatchObject({
      verdict: 'healthy',
    });
    const fruitless = { ...evidence, fruitless: '40 calls found nothing' };
    expect(judgeSummary(summaryOf(fruitless), second(evidence))).toMatchObject({
      verdict: 'undecided',
      escalation: { condition: 'fruitless' },
    });
  });
});

describe('a stall', () => {
  const evidence = after('ACCEPT', 'RETRY');
  const same = second(evidence, { total_steps: 2 });

  test('is confirmed by two checks that see the same number of steps', () => {
    const judged = judgeSummary(summaryOf(evidence, 4), same);
    expect(judged).toMatchObject({
      verdict: 'escalate',
      escalation: { condition: 'stall', severity: 'critical' },
    });
    expect(judged.reasoning).toContain(
      'Last check: total_steps=2. This check: total_steps=2. Unchanged twice',
    );
  });

  test('is not confirmed by one, which is repeated', () => {
    const judged = judgeSummary(summaryOf(evidence, 9), second(evidence, { total_steps: 1 }));
    expect(judged).toMatchObject({ verdict: 'warning', isToBeRepeated: true });
  });

  test('takes four minutes', () => {
    expect(judgeSummary(summaryOf(evidence, 3.99), same)).toMatchObject({ verdict: 'healthy' });
  });

  test.each([
    ['waits for a person', { waitingFor: 'an answer' }],
    ['is paused', { isAtWork: false, status: 'paused' }],
    ['has no verdicts', { hasVerdicts: false }],
  ])('is none while the session %s', (_what, words) => {
    expect(judgeSummary(summaryOf({ ...evidence, ...words }, 60), same)).toMatchObject({
      verdict: 'healthy',
    });
  });
});

describe('the first check', () => {
  test.each([
    ['a streak', retries(30), 0],
    ['a stall', retries(1), 60],
  ])('makes no ticket, even of %s, but is repeated', (_what, evidence, still) => {
    const judged = judgeSummary(summaryOf(evidence, still), null);
    expect(judged).toMatchObject({ verdict: 'healthy', isToBeRepeated: true });
    expect(judged.escalation).toBeUndefined();
    expect(judged.reasoning).toContain('First check');
  });

  test('of another session is a first one again', () => {
    const other = { session_id: 's0', total_steps: 31 };
    expect(judgeSummary(summaryOf(retries(30)), other)).toMatchObject({ verdict: 'healthy' });
  });

  test('of a healthy session need not be repeated', () => {
    expect(judgeSummary(summaryOf(retries(2)), null)).toMatchObject({ isToBeRepeated: false });
  });
});

describe('the summary', () => {
  test('has the fields of Hive', () => {
    expect(summaryOf(after('ACCEPT', 'RETRY', 'ACCEPT'), 0.5)).toEqual({
      worker_agent_id: 'scribe',
      worker_graph_id: 'graph',
      session_id: 's1',
      session_status: 'active',
      total_steps: 3,
      recent_verdicts: ['ACCEPT', 'RETRY', 'ACCEPT'],
      steps_since_last_accept: 0,
      last_step_time_iso: 'at 1000000',
      stall_minutes: null,
      evidence_snippet: 'hm',
      worker_node_id: 'graph',
      is_at_work: true,
      has_verdicts: true,
      waiting_for: null,
      loop: null,
      fruitless: null,
    });
  });

  test('names a stall from one minute on, with one decimal', () => {
    const minutesOf = (still: number) => summaryOf(after('ACCEPT'), still).stall_minutes;
    expect([0.99, 1, 3.19, 12].map(minutesOf)).toEqual([null, 1, 3.1, 12]);
  });

  test('shows at most the end of what was said, and the last steps', () => {
    const said = observeEvidence(retries(50), { ...step('RETRY'), text: `${'a'.repeat(900)}end` });
    const summary = summarize(said, { at: T0, lastSteps: 3, isoOf: String });
    expect(summary.evidence_snippet).toHaveLength(500);
    expect(summary.evidence_snippet.endsWith('end')).toBe(true);
    expect(summary.recent_verdicts).toEqual(['RETRY', 'RETRY', 'RETRY']);
  });
});

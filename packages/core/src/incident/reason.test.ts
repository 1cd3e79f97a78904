import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { instant } from '../base/time.ts';
import type { Finding, FindingKind, Severity } from '../vocabulary/finding.ts';
import { actFindings, findingsOf, hasTwoSources, leadOf } from './reason.ts';

const found = (kind: FindingKind, severity: Severity, since: number): Finding => ({
  kind,
  severity,
  source: 'agent-reports',
  since: instant(since),
  evidence: kind,
  threshold: '',
});

test('findings are sorted: acting by entry step, then snoozed, then warnings; oldest first', () => {
  const hard = {
    derived: [
      found('token-spike', 'warn', 1),
      found('checkpoint-stale', 'act', 5),
      found('silent', 'act', 3),
      found('missed-heartbeats', 'act', 9),
    ],
    points: [found('unrecoverable-error', 'act', 8), found('repeated-call', 'act', 2)],
    quietFindings: [{ kind: 'unrecoverable-error', until: instant(99), by: 'olga', reason: 'known' }],
  } as const;
  const kinds = findingsOf(hard).map(({ kind }) => kind);
  expect(kinds).toEqual([
    'missed-heartbeats',
    'repeated-call',
    'silent',
    'checkpoint-stale',
    'unrecoverable-error',
    'token-spike',
  ]);
  expect(leadOf(actFindings(hard))?.kind).toBe(kinds[0]);
});

test.each<[string, FindingKind, FindingKind]>([
  ['a loop is shown before the checkpoint that it prevents', 'repeated-call', 'checkpoint-stale'],
  ['a loop is shown before the task that it delays', 'repeated-call', 'task-overdue'],
  ['a stopped process is shown before the beats that it can not send', 'frozen', 'missed-heartbeats'],
])('%s, although it began later', (_name, cause, consequence) => {
  const hard = { derived: [found(consequence, 'act', 1), found(cause, 'act', 9)], points: [] };
  expect(findingsOf(hard).map(({ kind }) => kind)).toEqual([cause, consequence]);
});

test('the nudge is about the loop, and an overdue task still enters the ladder higher', () => {
  const loop = found('repeated-call', 'act', 9);
  expect(leadOf([found('checkpoint-stale', 'act', 1), loop])?.kind).toBe('repeated-call');
  expect(leadOf([found('task-overdue', 'act', 1), loop])?.kind).toBe('task-overdue');
});

test.each<[FindingKind, boolean]>([
  ['silent', true],
  ['checkpoint-stale', true],
  ['breaker-open', false],
  ['token-flat', false],
])('a still process and %s are two sources: %s', (kind, isTwo) => {
  const { agent, policy } = new Bench();
  const frozen: Finding = { ...found('frozen', 'act', 1), source: 'operating-system' };
  const hard = { ...agent.hard, derived: [frozen, found(kind, 'act', 1)] };
  expect(hasTwoSources({ hard, policy })).toBe(isTwo);
});

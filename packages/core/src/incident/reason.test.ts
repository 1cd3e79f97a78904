import { expect, test } from 'vitest';
import { instant } from '../base/time.ts';
import type { Finding, FindingKind, Severity } from '../vocabulary/finding.ts';
import { actFindings, findingsOf, leadOf } from './reason.ts';

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

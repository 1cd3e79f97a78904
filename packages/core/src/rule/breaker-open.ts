import type { Draft } from '../draft.ts';
import { wake } from '../draft.ts';
import type { Finding } from '../finding.ts';
import { later } from '../time.ts';
import { finding } from './rule.ts';

/** Holter's own starts have a breaker too; that it is open is told by the incident which wants to start. */
export const RECOVERY_BREAKER = 'recovery_attempt';

/** Seed 000 §1: a tripped breaker makes FAILING. It counts what was reported to it, never tool results. */
export function breakerOpen(draft: Draft): Finding | null {
  const { hard } = draft;
  if (hard.end) return null;
  for (const [name, breaker] of Object.entries(hard.breakers ?? {})) {
    if (name === RECOVERY_BREAKER || breaker.state !== 'OPEN') continue;
    wake(draft, later(breaker.openedAt, breaker.openMs));
    return finding({
      kind: 'breaker-open',
      severity: 'act',
      source: 'agent-reports',
      since: breaker.openedAt,
      evidence: `its breaker ${name} is open after repeated failures (${breaker.trips} in a row)`,
      threshold: 'any breaker that trips',
    });
  }
  return null;
}

import { inWords, later } from '../base/time.ts';
import type { Breaker } from '../breaker/breaker.ts';
import type { BreakerPolicy } from '../breaker/breaker-policy.ts';
import { breakerFor } from '../breaker/breaker-policy.ts';
import type { Draft } from '../record/draft.ts';
import { lookAgainAt } from '../record/draft.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { finding } from './rule.ts';

/** The breaker for Holter's own starts: only the incident that wants to start asks it and reports to it. */
export const RECOVERY_BREAKER = 'recovery_attempt';

/** Seed 000 §1: a tripped breaker makes the agent FAILING. Breakers count reported outcomes, never tool results. */
export function breakerOpen(draft: Draft): Finding | null {
  const { hard, policy } = draft;
  if (hard.end) return null;
  for (const [name, breaker] of Object.entries(hard.breakers ?? {})) {
    if (name === RECOVERY_BREAKER || breaker.state !== 'OPEN') continue;
    lookAgainAt(draft, later(breaker.openedAt, breaker.openMs));
    return finding({
      kind: 'breaker-open',
      severity: 'act',
      source: 'agent-reports',
      since: breaker.openedAt,
      evidence: `its breaker ${name} is open: ${whyOpen(breaker, breakerFor(policy, name))}`,
      threshold: 'any breaker that trips',
    });
  }
  return null;
}

function whyOpen({ trips }: Breaker, policy: BreakerPolicy): string {
  const how = whatOpens(policy);
  return trips > 1 ? `${how}, and ${trips - 1} trial ${trips === 2 ? 'call' : 'calls'} also failed` : how;
}

function whatOpens({ mode, failuresMax, ratioMax, slowMs }: BreakerPolicy): string {
  if (mode === 'consecutive') return `${failuresMax} of its calls failed in a row`;
  const bad = mode === 'slow' ? `failed or took over ${inWords(slowMs)}` : 'failed';
  return `more than ${Math.round(ratioMax * 100)} % of its newest calls ${bad}`;
}

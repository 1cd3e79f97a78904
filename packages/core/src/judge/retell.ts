import type { Instant } from '../base/time.ts';
import type { Policy } from '../policy/policy.ts';
import type { Agent } from '../record/agent.ts';
import { draftOf } from '../record/draft.ts';
import { runRules } from '../rule/rules.ts';
import type { StallLog } from '../vocabulary/stall.ts';

/**
 * The agent for people to look at: the evidence of its findings tells ages as of now, not of the last judgement.
 * What was found stays as it was judged.
 */
export function retell(agent: Agent, at: Instant, stalls: StallLog, policy: Policy): Agent {
  const { derived } = agent.hard;
  if (derived.length === 0 || at <= agent.hard.at) return agent;
  const draft = draftOf(agent, at, stalls, policy);
  runRules(draft);
  const retold = derived.map((known) => {
    const now = draft.found.find(({ kind, since }) => kind === known.kind && since === known.since);
    return now ? { ...known, evidence: now.evidence } : known;
  });
  return { ...agent, hard: { ...agent.hard, derived: retold } };
}

import type { Draft } from '../record/draft.ts';
import { limitSeverity } from '../record/findings.ts';
import { ackOverdue } from './ack-overdue.ts';
import { breakerOpen } from './breaker-open.ts';
import { budgetSpent } from './budget.ts';
import { checkpointAge } from './checkpoint-age.ts';
import { holdOverdue } from './hold-age.ts';
import { jobLate } from './job-late.ts';
import { limitExceeded } from './limits.ts';
import { missedBeats } from './missed-beats.ts';
import { frozen, processGone } from './process.ts';
import type { Rule } from './rule.ts';
import { silence } from './silence.ts';
import { taskOverdue } from './task-overdue.ts';
import { tokenFlat } from './token-flat.ts';

/** What an agent owes while it works: beats, calls, tokens, checkpoints, answers. Not judged where only its tasks count. */
const OWED: ReadonlySet<Rule> = new Set([missedBeats, silence, tokenFlat, frozen, checkpointAge, ackOverdue]);

/** Order matters: `frozen` looks at the findings of the rules before it. */
const RULES: readonly Rule[] = [
  processGone,
  missedBeats,
  silence,
  tokenFlat,
  frozen,
  checkpointAge,
  taskOverdue,
  jobLate,
  ackOverdue,
  limitExceeded,
  budgetSpent,
  breakerOpen,
  holdOverdue,
];

export function runRules(draft: Draft): void {
  draft.found = [];
  for (const rule of RULES) {
    if (draft.policy.watch === 'tasks' && OWED.has(rule)) continue;
    const found = rule(draft);
    const limited = found && limitSeverity(found, draft.policy);
    if (limited) draft.found.push(limited);
  }
}

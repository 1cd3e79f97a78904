import { between, type Instant, inWords } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';

/**
 * Nudges start with "Holter:" and state only facts that Holter measured: counts and durations, never output,
 * arguments or file names. Text that an agent read must not come back to it with more authority, and imperative
 * "system" text triggers the injection defences of good models.
 */
export function nudgeMessage(finding: Finding, attempt: number, at: Instant): string {
  const duration = inWords(between(finding.since, at));
  return `Holter: ${fact(finding, duration)}${attempt > 1 ? ` (reminder ${attempt})` : ''}`;
}

const CHOICES = 'Please either:\n- Update your progress\n- Request handoff if stuck\n- Report blockers';

function fact({ kind, count }: Finding, duration: string): string {
  const times = count === undefined ? 'several times' : `${count} times`;
  switch (kind) {
    case 'checkpoint-stale':
      // Seed 000 §3, Level 1, with the real duration.
      return `REMINDER: You have been working for ${duration} without checkpoint update. ${CHOICES}`;
    case 'silent':
      return `no tool call and no message from you for ${duration}, and your task is open. ${CHOICES}`;
    case 'work-unstarted':
      return `a task was assigned to you ${duration} ago and has not been begun. If there is work on your hook, it is yours to run.`;
    case 'unchanged-poll':
      return `what you wait for was looked at ${times} and has not changed for ${duration}. It may need something else first; ${CHOICES}`;
    case 'repeated-call':
      return `the same call was made ${times} with the same result. Nothing changed in between; a different approach is needed, or a handoff.`;
    case 'call-cycle':
      return `the same few calls have been repeated in turn ${times} with the same results. The round does not lead further.`;
    case 'same-error':
      return `the same error came back ${times}. Trying it again in this form has not helped; the cause lies elsewhere.`;
    case 'near-duplicate':
    case 'zero-diversity':
      return `the last calls were variations of one call and found nothing new (${times}).`;
    case 'repeated-text':
    case 'monologue':
    case 'empty-replies':
      return `your last replies contained no tool call and nothing new (${times}). ${CHOICES}`;
    case 'compaction-loop':
      return `the context was compacted ${times} without work in between. A handoff with a short note would keep what matters.`;
    case 'unknown-tool':
      return `a tool that does not exist was called ${times}. The list of available tools is in your instructions.`;
    case 'context-exhausted':
      return 'your context is nearly full. A checkpoint and a handoff now would keep your work.';
    case 'verdict-streak':
      return `the last ${count ?? 'several'} steps were not accepted. ${CHOICES}`;
    case 'budget':
      return 'the budget for your work is used up. Please bring the current step to an end, save what you have, and stop, or request a handoff.';
    case 'token-flat':
      return `no tokens were used for ${duration}, and your task is open. ${CHOICES}`;
    default:
      return `something needs your attention (${kind}) for ${duration}. ${CHOICES}`;
  }
}

/** Some evidence already ends with a full stop. */
export const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

import type { Agent, Instant } from '@holter/core';

/** A decision is asked for. An incident that is calm again closes by itself. */
export const isAsked = ({ incident, end }: Agent['hard']): boolean =>
  (incident?.step === 'escalate' || incident?.step === 'human') && (!incident.calm || end !== undefined);

/**
 * Since when it waits for a person who has not taken it up: for a decision, or because the agent itself asks. An idle
 * prompt without work asks nobody. Null if it does not wait.
 */
export function needsYouSince(hard: Agent['hard'], at: Instant): Instant | null {
  const { incident, quiet, holds, work } = hard;
  const isTakenUp = incident?.acknowledged !== undefined || (quiet !== undefined && quiet.until > at);
  if (incident && isAsked(hard) && !isTakenUp) return incident.openedAt;
  const isQuestion = (kind: string): boolean =>
    kind === 'waiting-for-permission' || (kind === 'waiting-for-input' && work !== undefined);
  return holds.find(({ kind }) => isQuestion(kind))?.since ?? null;
}

import { type Agent, FINDING_KINDS, findingsOf } from '@holter/core';
import type { AgentView, RecommendationView } from './types.ts';

type Decisions = AgentView['decisions'];
type Word = keyof Decisions;

/**
 * The one decision that Holter would take next, with its reason, of those that would be accepted now. Null while
 * nobody has to decide.
 */
export function recommendationOf({ hard }: Agent, decisions: Decisions): RecommendationView | null {
  const { incident, end } = hard;
  const isAsked = incident?.step === 'escalate' || incident?.step === 'human';
  const isResolved = incident?.calm !== undefined && !end;
  if (!incident || !(isAsked || end) || incident.order || isResolved) return null;
  const first = (why: string, ...words: readonly Word[]): RecommendationView | null => {
    const decision = words.find((word) => decisions[word] === null);
    return decision === undefined ? null : { decision, why };
  };
  if (end) {
    return (
      first('it ended and can be restarted', 'recover') ??
      first('Holter has no way to restart it', 'leave_down')
    );
  }
  const lead = findingsOf(hard)[0];
  const kind = lead && FINDING_KINDS[lead.kind];
  if (!lead || !kind) return null;
  if (kind.about === 'liveness' || lead.kind === 'unrecoverable-error')
    return first('it will not continue by itself', 'terminate_and_recover', 'terminate', 'acknowledge');
  if (lead.kind === 'limit-exceeded' || lead.kind === 'budget')
    return first('it has reached its limit', 'allow_more_time', 'acknowledge');
  if (kind.about === 'failure') return first('something that it calls is failing', 'acknowledge');
  if (incident.isNudgeSeen)
    return first('it was nudged, and nothing changed', 'terminate_and_recover', 'terminate', 'acknowledge');
  const why = incident.nudges ? 'its nudges have not been read in time' : 'it has not been nudged yet';
  return first(why, 'nudge', 'allow_more_time', 'acknowledge');
}

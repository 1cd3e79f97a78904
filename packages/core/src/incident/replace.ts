import { later } from '../base/time.ts';
import { becomeGone } from '../fold/life.ts';
import type { Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { lookAgainAt } from '../record/draft.ts';
import { type Incident, inOrdersWords } from '../record/incident.ts';
import { isToReturn, isWatched } from '../record/liveness.ts';
import { amend, climbTo, closeIncident, openIncident, rankOf } from './change.ts';

/** Lost, where its process can't be seen: its end will never be proven. */
export const isLostElsewhere = (hard: Hard): boolean => hard.unknownSince !== undefined && !isWatched(hard);

/**
 * Whether a lost agent is replaced now. It may still work where Holter can't see it, and its successor would do the
 * same work twice. So no time and no evidence suffices without the approval of a person.
 */
export function isReplaced(hard: Hard, { order }: Incident): boolean {
  return isLostElsewhere(hard) && order?.isReplacement === true;
}

/** Starts that are remembered. */
const GIVEN_UP_MAX = 8;

/** The agent counts as gone from here on. If it comes back, its start is an older one, and it is told to stop. */
export function replace(draft: Draft, { step, order }: Incident): void {
  const { hard } = draft;
  hard.givenUp = [...(hard.givenUp ?? []), hard.incarnation].slice(-GIVEN_UP_MAX);
  const detail = order ? `given up, as ${inOrdersWords(order)}` : 'given up';
  becomeGone(draft, { how: 'crash', at: draft.at, detail });
  if (!isToReturn(hard)) {
    // The findings about a living agent end with the next look.
    lookAgainAt(draft, later(draft.at, 1));
    return closeIncident(draft, `${detail}; a person starts its successor`);
  }
  if (rankOf(step) < rankOf('recover')) return climbTo(draft, 'recover', 1, detail);
  closeIncident(draft, 'given up and replaced');
  openIncident(draft, 'operator', 'recover');
  if (order) amend(draft, { order });
}

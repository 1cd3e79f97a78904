import { FINDING_KINDS } from '../vocabulary/finding.ts';
import type { Hard } from './agent.ts';

/**
 * A newer server may have written findings of a kind that this one does not know, such as those of a new detector. They
 * are left out, and their incident is read as one that a person opened, which leads to nothing by itself.
 */
export function withKnownKinds(hard: Hard): Hard {
  const { points = [], derived = [], incident, past } = hard;
  if ([...points, ...derived].every(isKnown) && isKnownCause(incident) && isKnownCause(past)) return hard;
  return {
    ...hard,
    points: points.filter(isKnown),
    derived: derived.filter(isKnown),
    ...(incident && { incident: withKnownCause(incident) }),
    ...(past && { past: withKnownCause(past) }),
  };
}

type Caused = Pick<NonNullable<Hard['incident']>, 'cause'>;

const isKnown = ({ kind }: { readonly kind: string }): boolean => Object.hasOwn(FINDING_KINDS, kind);

const isKnownCause = (caused: Caused | undefined): boolean =>
  !caused || caused.cause === 'operator' || isKnown({ kind: caused.cause });

const withKnownCause = <T extends Caused>(caused: T): T =>
  isKnownCause(caused) ? caused : { ...caused, cause: 'operator' };

import type { DurationMs, Instant } from '../base/time.ts';
import { between, hours, inWords, minutes } from '../base/time.ts';
import type { Policy } from '../policy/policy.ts';
import type { Agent, Hard } from '../record/agent.ts';
import { isWatched, lastProofOf, likelyCause } from '../record/liveness.ts';
import { FINDING_KINDS } from '../vocabulary/finding.ts';
import { actFindings, isLoss, leadOf } from './reason.ts';
import { recoveriesLeft } from './recover.ts';
import { whyNotTerminate } from './terminate.ts';

/**
 * What kind of failure it is, and the least invasive strategy against it: what follows the flowchart of seed 001 §1.7.
 * Advice for people. It decides nothing: a strategy is a name for steps of the one incident, which have their own
 * conditions, and what Holter may not carry out is proposed to a person.
 */
export type Failure = {
  readonly kind: 'transient' | 'recoverable' | 'terminal';
  readonly because: string;
  readonly strategy: 'wait' | 'wake' | 'soft-restart' | 'hard-restart' | 'replace';
  /** Who carries it out: Holter, by the steps of the incident, or a person. */
  readonly by: 'holter' | 'person';
};

/** A failure is terminal after this long. ECOS documents two hours and uses half an hour; an agent may be asleep. */
const TERMINAL_AFTER = hours(2);
/** Up to here a silent agent may only need to be woken. */
const WAKE_UNTIL = minutes(15);

/** Null while nothing has failed: an agent that gets nowhere is nudged, and one that hibernates is not expected. */
export function failureOf(agent: Agent, policy: Policy, at: Instant): Failure | null {
  const { hard } = agent;
  if (hard.end) return hard.incident ? endedFailure(hard, policy, at) : null;
  if (isHibernated(hard)) return null;
  if (hard.unknownSince !== undefined) return lostFailure(agent, policy, at);
  const { incident } = hard;
  if (!incident) return null;
  const lead = leadOf(actFindings(hard));
  if (!lead)
    return isLoss(incident.cause)
      ? { kind: 'transient', because: 'it is heard again', strategy: 'wait', by: 'holter' }
      : null;
  switch (FINDING_KINDS[lead.kind].about) {
    case 'liveness':
      return recoverable(lead.evidence, 'hard-restart', { hard, policy });
    case 'failure':
      // A service that fails, or a job that is late, is not cured by a restart. The others are words of the agent.
      return lead.kind === 'unrecoverable-error' || lead.kind === 'consecutive-failures'
        ? recoverable(`it ${lead.evidence}`, 'soft-restart', { hard, policy })
        : { kind: 'recoverable', because: lead.evidence, strategy: 'wait', by: 'person' };
    default:
      return null;
  }
}

const isHibernated = ({ holds }: Hard): boolean => holds.some(({ kind }) => kind === 'hibernated');

function recoverable(
  because: string,
  strategy: 'soft-restart' | 'hard-restart',
  judged: { readonly hard: Hard; readonly policy: Policy },
): Failure {
  const by = whyNotTerminate(judged) === null ? 'holter' : 'person';
  return { kind: 'recoverable', because, strategy, by };
}

function endedFailure(hard: Hard, policy: Policy, at: Instant): Failure | null {
  const { end, limitedUntil } = hard;
  if (end?.how !== 'crash' && !end?.byHolter) return null;
  if (limitedUntil !== undefined && limitedUntil > at)
    return { kind: 'transient', because: 'its usage limit resets', strategy: 'wait', by: 'holter' };
  const { because } = recoveriesLeft({ hard, policy, at });
  if (because === null)
    return {
      kind: 'recoverable',
      because: `it ended (${end.detail})`,
      strategy: 'hard-restart',
      by: 'holter',
    };
  return {
    kind: 'terminal',
    because: `it ended (${end.detail}), and ${because}`,
    strategy: 'replace',
    by: 'person',
  };
}

function lostFailure(agent: Agent, policy: Policy, at: Instant): Failure {
  const { hard } = agent;
  const silentMs = between(lastProofOf(agent), at);
  const because = `no sign of life for ${inWords(silentMs)}`;
  const isDeclared = actFindings(hard).some(({ kind }) => isLoss(kind));
  if (!isDeclared)
    return {
      kind: 'transient',
      because: `${because}; ${askedOf(hard)} and may still answer`,
      strategy: 'wait',
      by: 'holter',
    };
  if (isWatched(hard)) {
    const isSuspended = likelyCause(agent) === 'suspended';
    return isSuspended
      ? { kind: 'recoverable', because: 'its process is suspended', strategy: 'wake', by: 'person' }
      : recoverable(because, 'hard-restart', { hard, policy });
  }
  return lostElsewhere(because, silentMs);
}

/** By its executor or by a letter at once, otherwise in the reply to its next call. */
const askedOf = ({ executor, promises }: Hard): string =>
  executor !== null || promises.pongs ? 'it has been asked' : 'it is asked when it calls';

/** Nothing is known of its process, so it can be woken where it runs, or given up. */
const lostElsewhere = (because: string, silentMs: DurationMs): Failure => ({
  kind: silentMs >= TERMINAL_AFTER ? 'terminal' : 'recoverable',
  because,
  strategy: silentMs < WAKE_UNTIL ? 'wake' : 'replace',
  by: 'person',
});

import type { AgentProfile } from '../agents/agent-profile.ts';

/**
 * What Holter promises, written down a second time on purpose: neither the audit nor the checker takes a number or a
 * formula from the code that it judges. Sources: seed 000 §2–§5, seed 001 §1.3.2, seed 002.
 */
const second = 1_000;
const minute = 60 * second;

type Pulse = { readonly intervalMs: number; readonly missed: number; readonly slackMs: number };

const pulses: Readonly<Record<string, Pulse>> = {
  'critical-infrastructure': { intervalMs: 30 * second, missed: 2, slackMs: 7.5 * second },
  'active-development': { intervalMs: 60 * second, missed: 3, slackMs: 15 * second },
  metered: { intervalMs: 60 * second, missed: 3, slackMs: 15 * second },
  lean: { intervalMs: 60 * second, missed: 3, slackMs: 15 * second },
  background: { intervalMs: 300 * second, missed: 3, slackMs: 60 * second },
  standby: { intervalMs: 900 * second, missed: 5, slackMs: 60 * second },
  'in-process': { intervalMs: 2 * second, missed: 2, slackMs: 0 },
};

export const pulseOfRole = (role: string): Pulse => pulses[role] as Pulse;

export const pulseOf = ({ role }: AgentProfile): Pulse => pulseOfRole(role);

export const contract = {
  tickMs: second,
  /** The most grace that one deadline gets, for agents without beats. */
  graceWithoutBeatsMs: minute,
  graceMinMs: 10 * second,
  /** Seed 001 §1.5.3: so long a status inquiry may stay unanswered. */
  inquiryMs: 5 * minute,
  /** Seed 001 §1.5.2: so long nothing may be heard about a task that is past its expected end. */
  taskStallMs: 30 * minute,
  /** Seed 001 §1.4.3: so long a letter may stay unacknowledged. */
  ackMs: { urgent: 2 * minute, high: 5 * minute, normal: 15 * minute, low: 60 * minute },
  silenceWarnMs: 240 * second,
  silenceActMs: 900 * second,
  silenceActInProbationMs: 300 * second,
  checkpointActMs: 30 * minute,
  flatMs: 5 * minute,
  stoppedMs: 60 * second,
  repeatsAfterNudge: 5,
  /** docs/detection.md: repeated-call, unchanged-poll and same-error. */
  loop: {
    repeatsAct: 5,
    spacedMs: 20 * second,
    pollsAct: 60,
    pollsActAfterMs: 60 * minute,
    failuresAct: 10,
  },
  failuresInRowMax: 3,
  reopenWithinMs: 30 * minute,
  probationMs: 15 * minute,
  recovery: { perTask: 3, perHour: 5, backoffMs: [minute, 2 * minute, 4 * minute] as const },
  brake: {
    lossesMin: 3,
    share: 0.2,
    calmMs: 120 * second,
    withinMs: 60 * second,
    /** Losses of agents that beat every five minutes trickle in; one alert speaks for all of them. */
    alertedMs: 10 * minute,
    /** Who has been heard for this long, and for a whole deadline of its own, counts as lost when it falls silent. */
    keptMs: 5 * minute,
    /** Engaged for so long at most, and then for this share of the time. */
    engagedMsMax: 30 * minute,
    engagedShare: 5 / 60,
  },
  /** What each group may have of everything in a minute, whatever others use: a fifth of what is common. */
  shares: { nudge: 12, notice: 6, start: 4 },
  breaker: {
    permitMs: 60 * second,
    openGrowth: 2,
    openMsMax: 60 * minute,
    jitterMax: 0.1,
  },
  /** What was true this short a time ago may still be acted upon: the news may be on its way. */
  justNowMs: minute,
  /**
   * By its own holds an agent may delay its incident by 45 minutes, and make a nudge's wait of ten minutes four times
   * as long; and the fleet may defer the nudge.
   */
  ownDelayMs: 105 * minute,
  /** With an open incident, its own word counts for so long; then the ladder continues. */
  ownHoldMs: 45 * minute,
  /**
   * Rows of one sort by one agent: fifty for each server that has it in memory, and again after each start of one, of
   * which there may be a few in a minute.
   */
  rowsPerMinute: 250,
  /** Seed 000 §7: so long a person has to decide. */
  decideMs: 15 * minute,
  /** A checkpoint so young is not thrown away by retention. */
  savedMs: 10 * minute,
  /** Longer than every wait that may lawfully lie between the truth and the verdict. */
  healMs: 60 * minute,
} as const;

type BreakerContract = {
  readonly openMs: number;
  readonly permits: number;
  /** So many failures in a row, or a share of the newest calls that were bad. */
  readonly opens:
    | { readonly inRow: number }
    | { readonly share: number; readonly of: number; readonly min: number; readonly slowMs?: number };
};

/** What opens a breaker, and for how long at first: seed 000 §7, and the fleet's own two (`policies.ts`). */
export const breakerContract = (name: string): BreakerContract => {
  switch (name) {
    case 'tool_execution':
      return { openMs: 30 * second, permits: 1, opens: { inRow: 5 } };
    case 'checkpoint_write':
      return { openMs: 120 * second, permits: 1, opens: { inRow: 3 } };
    case 'model_call':
      return { openMs: 60 * second, permits: 2, opens: { share: 0.5, of: 12, min: 6 } };
    case 'search':
      return { openMs: 60 * second, permits: 1, opens: { share: 0.5, of: 20, min: 10, slowMs: 30 * second } };
    default:
      return { openMs: 60 * second, permits: 1, opens: { inRow: 3 } };
  }
};

/** What may differ because of rounding to the tick and to the millisecond. */
export const TOLERANCE_MS = 50;

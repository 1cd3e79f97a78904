import type { DurationMs, Instant } from '../base/time.ts';
import { NEVER, seconds } from '../base/time.ts';
import { fleetGuarantees, GRACE_WITHOUT_BEATS, ruleDefaults } from '../policy/defaults.ts';
import type { BeatPolicy, Policy } from '../policy/policy.ts';
import type { StallLog } from '../vocabulary/stall.ts';
import { absenceDeadline } from '../vocabulary/stall.ts';
import type { Agent, End, Hard } from './agent.ts';

/**
 * Is the agent alive? Three answers: alive; gone, which is proven; and unknown, which is everything else. A silent
 * agent may only be thinking, so unknown alone never leads to a kill or a second instance.
 */
/**
 * It crashed, and something could start it again, so it is to be brought back. What can't be started again has ended:
 * how is a fact about it, and nothing that anybody could mend here.
 */
export const isToReturn = ({ end, can }: Pick<Hard, 'end' | 'can'>): boolean =>
  end?.how === 'crash' && can.includes('spawn');

/** An end that the agent meant. The exit of one that said it would stop may still be a failure, and is told. */
export function endedHow({ how, exitCode, signal }: End, otherwise = 'ended on purpose'): string {
  if (how !== 'stopped' || (!exitCode && signal === undefined)) return otherwise;
  return `stopped as announced (${signal === undefined ? `exit code ${exitCode}` : `killed by ${signal}`})`;
}

export type Liveness = 'alive' | 'gone' | 'unknown';

export type LossCause =
  | 'process-crash'
  | 'stopped'
  /** Its process is stopped by a signal (SIGSTOP), and can be continued. */
  | 'suspended'
  | 'event-loop-freeze'
  | 'network-partition'
  | 'silence';

export const livenessOf = (hard: Hard): Liveness =>
  hard.end !== undefined ? 'gone' : hard.unknownSince !== undefined ? 'unknown' : 'alive';

/** Somebody looks at its process: only an end that was seen is proven. */
export const isWatched = ({ promises, process }: Hard): boolean =>
  promises.process === true || process !== undefined;

/**
 * Whether there is a way to stop it now: an executor, or the agent itself, which is asked in the reply to its next call
 * and has to be heard for that.
 */
export const isStoppable = (hard: Hard): boolean =>
  hard.can.includes('terminate') &&
  (hard.executor !== null || isWatched(hard) || (hard.unknownSince === undefined && !isOffline(hard)));

/** Which signal's absence is judged: the agent's own beats, or the probes of the executor that watches its process. */
type Pulse = 'beats' | 'looks' | 'none';

export function pulseOf(hard: Hard): Pulse {
  if (hard.promises.beatEveryMs !== undefined || hard.promises.pongs) return 'beats';
  return hard.promises.process ? 'looks' : 'none';
}

/** Whether its silence would be noticed. An agent that is judged by its tasks alone may be silent for hours. */
export const isSilenceJudged = (hard: Hard, { watch }: Policy): boolean =>
  watch === 'all' && pulseOf(hard) !== 'none';

export function intervalOf(hard: Hard, policy: Policy): DurationMs {
  if (hard.promises.beatEveryMs !== undefined) return hard.promises.beatEveryMs;
  return pulseOf(hard) === 'looks' ? lookEveryOf(policy) : policy.beat.intervalMs;
}

/** A run may be asked to look more often than this, but reports that take a little longer are no sign of trouble. */
const LOOKS_MS_MIN = seconds(5);

/** How often a look at the process is expected at the least. */
export const lookEveryOf = ({ probeEveryMs }: Policy): DurationMs =>
  Math.max(probeEveryMs, LOOKS_MS_MIN) as DurationMs;

/** How often its adapter should probe it now: four times as often while something is wrong. */
export function probeEveryOf(hard: Hard, policy: Policy): DurationMs {
  const isFine = hard.health === 'HEALTHY' || hard.health === 'TERMINATED';
  return (
    isFine ? policy.probeEveryMs : policy.probeEveryMs / ruleDefaults.degradedProbeFactor
  ) as DurationMs;
}

/** The most grace that one deadline of this agent may get for Holter's own stalls. */
export const graceMaxOf = (hard: Hard, policy: Policy): DurationMs =>
  pulseOf(hard) === 'beats' ? intervalOf(hard, policy) : GRACE_WITHOUT_BEATS;

/** When the agent itself was last heard. A probe by its executor only proves that a process exists. */
export function lastProofOf({ soft, hard }: Agent): Instant {
  const own = Math.max(soft.beatAt, soft.pongAt, soft.activityAt, hard.startedAt);
  return (pulseOf(hard) === 'looks' ? Math.max(own, soft.probedAt) : own) as Instant;
}

/** Whether the agent was heard for a while without a gap: registering is not enough to count for its group. */
export function hasKeptPromises({ soft, hard }: Agent, policy: Policy): boolean {
  if (hard.hasKept) return true;
  const looked = pulseOf(hard) === 'looks' ? soft.probedAt : 0;
  const heardAt = Math.max(soft.beatAt, soft.pongAt, soft.activityAt, looked);
  const keptMs = Math.max(fleetGuarantees.kept, intervalOf(hard, policy));
  return heardAt > 0 && heardAt - (hard.aliveSince ?? 0) >= keptMs;
}

/** When miss `n` of the current silence falls. */
export function missDeadline(agent: Agent, n: number, policy: Policy, stalls: StallLog): Instant {
  const { hard } = agent;
  if (pulseOf(hard) === 'none') return NEVER;
  const interval = intervalOf(hard, policy);
  // `busy` doubles the deadline once: the misses of this silence start one full deadline later.
  const intervals = n + (hard.isBusy ? policy.beat.missedMax : 0);
  const wait = intervals * interval + slackOf(interval, policy.beat);
  return absenceDeadline(lastProofOf(agent), wait, stalls, graceMaxOf(hard, policy));
}

/**
 * When another instance may take the name: at the first missed beat. An agent that promised neither beats nor a
 * process is judged by the default interval; otherwise it would keep its name forever after dying unseen.
 */
export function nameFreeAt(agent: Agent, policy: Policy, stalls: StallLog): Instant {
  if (pulseOf(agent.hard) !== 'none') return missDeadline(agent, 1, policy, stalls);
  const { job } = agent.hard.promises;
  if (job) return absenceDeadline(lastProofOf(agent), job.everyMs + job.graceMs, stalls, GRACE_WITHOUT_BEATS);
  const { intervalMs } = policy.beat;
  const wait = intervalMs + slackOf(intervalMs, policy.beat);
  return absenceDeadline(lastProofOf(agent), wait, stalls, GRACE_WITHOUT_BEATS);
}

/** When the last sign of life of any kind came: of the agent itself, or of its process. */
export const lastSignOf = ({ soft, hard }: Agent): Instant =>
  Math.max(soft.beatAt, soft.pongAt, soft.activityAt, soft.probedAt, hard.startedAt) as Instant;

/** When an agent that promised no beats, but has sent some, has given no sign of life for too long. */
export function inferredBeatsDeadline(agent: Agent, policy: Policy, stalls: StallLog): Instant {
  const { intervalMs, missedMax } = policy.beat;
  const misses = agent.hard.isBusy ? 2 * missedMax : missedMax;
  const wait = misses * intervalMs + slackOf(intervalMs, policy.beat);
  return absenceDeadline(lastSignOf(agent), wait, stalls, GRACE_WITHOUT_BEATS);
}

/** Consecutive misses, counted up to the threshold, and when the next one falls. */
export function missesAt(
  agent: Agent,
  at: Instant,
  policy: Policy,
  stalls: StallLog,
): { count: number; nextAt: Instant } {
  const { missedMax } = policy.beat;
  for (let count = 0; count < missedMax; count++) {
    const deadline = missDeadline(agent, count + 1, policy, stalls);
    if (deadline > at) return { count, nextAt: deadline };
  }
  return { count: missedMax, nextAt: NEVER };
}

/** A share of the interval, within limits; the same for an interval that the agent promised itself. */
export const slackOf = (interval: DurationMs, { slack }: BeatPolicy): DurationMs =>
  Math.round(Math.max(slack.minMs, Math.min(interval * slack.share, slack.maxMs))) as DurationMs;

/** The likely cause of the silence, from other facts. Advice for people; no rule acts on it. */
export function likelyCause(agent: Agent): LossCause {
  const { hard, soft } = agent;
  if (hard.end) return hard.end.how === 'crash' ? 'process-crash' : 'stopped';
  const isSeenSince = soft.probedAt > lastProofOf(agent) && pulseOf(hard) === 'beats';
  if (isSeenSince) return hard.process?.state === 'stopped' ? 'suspended' : 'event-loop-freeze';
  if (isOffline(hard)) return 'network-partition';
  return 'silence';
}

/** Seed 001's `offline`: a closed connection or a failed delivery, not silence alone. */
export const isOffline = (hard: Hard): boolean =>
  hard.isConnectionClosed === true || hard.points.some((finding) => finding.kind === 'delivery-failed');

/** Seed 001's four presence states; derived, never stored. */
export function presenceOf(
  hard: Hard,
  at: Instant,
  isWorking: boolean,
): 'online' | 'idle' | 'busy' | 'offline' {
  if (hard.end || (hard.unknownSince !== undefined && isOffline(hard))) return 'offline';
  if (hard.isBusy || hard.holds.some((hold) => hold.kind === 'in-tool')) return 'busy';
  const isRecent = hard.doing !== undefined && at - hard.doing.at < ruleDefaults.silenceWarn;
  return isWorking && isRecent ? 'online' : 'idle';
}

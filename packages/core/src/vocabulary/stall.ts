import type { DurationMs, Instant } from '../base/time.ts';
import { later, latest, minutes, seconds } from '../base/time.ts';

/**
 * While Holter itself did not run, silence does not count against any agent. A stall is a gap between two ticks of
 * more than `STALL_GAP_MIN` in which no server ticked. Deadlines of *absence* (missed beats, silence, ladder waits)
 * move by the gaps, and get a grace on top so that queued signals can arrive.
 *
 * Intuition: a process that was suspended for three hours wakes up, and a thousand agents look dead. Cutoff: the
 * grace of one deadline never exceeds one interval, however many stalls there are; otherwise a monitor that stalls
 * every ten seconds would never detect a dead agent. Rejected: skipping judgement for a while after a stall
 * (Cassandra). It forgets the stall afterwards, so a deadline that began before the stall still counts the gap as
 * the agent's silence.
 */
export type Stall = {
  readonly from: Instant;
  readonly to: Instant;
  /** How much of the entry was lost; less than `to - from` where old stalls were folded into one entry. */
  readonly lostMs: DurationMs;
  /** How many stalls were folded into this entry. */
  readonly count: number;
};

/** Oldest first, bounded; every input carries it. */
export type StallLog = readonly Stall[];

export const NO_STALLS: StallLog = [];
const STALL_GAP_MIN: DurationMs = seconds(2);
export const STALLS_MAX = 96;
/** This many of the newest entries are never folded: the deadlines of most agents reach no further back. */
const EXACT_MAX = 44;

const GRACE_MIN = seconds(10);

/** A gap between two ticks of this server, or between its first tick and its predecessor's last one. */
export const isStall = (gapMs: number): boolean => gapMs > STALL_GAP_MIN;

/**
 * Adds a stall. It may begin before the end of the log: during an outage of the store a tick may come late as well,
 * and a server that starts after a crash knows only the last tick that was stored. Overlapping time counts once.
 * When the log is full, the two old neighbours whose merge loses the least become one entry.
 */
export function withStall(log: StallLog, from: Instant, to: Instant): StallLog {
  if (to <= from) return log;
  const next = withSpan(log, from, to);
  while (next.length > STALLS_MAX) {
    const index = cheapestFold(next);
    const [first, second] = next.slice(index, index + 2) as [Stall, Stall];
    next.splice(index, 2, folded(first, second));
  }
  return next;
}

/** Keeps the log ordered and disjoint. An entry with more lost time than its length would move deadlines backwards. */
function withSpan(log: StallLog, from: Instant, to: Instant): Stall[] {
  const before = log.filter((stall) => stall.from < from);
  const end = Math.max(to, log.at(-1)?.to ?? to) as Instant;
  const newest = before.at(-1);
  if (newest === undefined || newest.to <= from)
    return [...before, { from, to: end, lostMs: (end - from) as DurationMs, count: 1 }];
  // Where in its entry a folded stall lies is unknown. All of it may lie before the new one; assume so, in the
  // agent's favour.
  const lostMs = Math.min(end - newest.from, newest.lostMs + (end - from)) as DurationMs;
  return [...before.slice(0, -1), { from: newest.from, to: end, lostMs, count: newest.count + 1 }];
}

const folded = (first: Stall, second: Stall): Stall => ({
  from: first.from,
  to: second.to,
  lostMs: (first.lostMs + second.lostMs) as DurationMs,
  count: first.count + second.count,
});

/** Merging older entries costs less: a deadline that reaches back for hours tolerates an error of seconds. */
function cheapestFold(stalls: readonly Stall[]): number {
  const newest = (stalls.at(-1) as Stall).to;
  let cheapest = 0;
  let cost = Number.POSITIVE_INFINITY;
  for (let index = 0; index + 1 < stalls.length - EXACT_MAX; index++) {
    const [first, second] = stalls.slice(index, index + 2) as [Stall, Stall];
    const costHere = foldCost(first, second) / (newest - second.to + minutes(10));
    if (costHere < cost) {
      cheapest = index;
      cost = costHere;
    }
  }
  return cheapest;
}

/**
 * How much lost time a merge would move to where it was not lost. Merging stalls of different length costs more, so
 * that a suspension is not merged with many short stalls, each of which would cost little.
 */
function foldCost(first: Stall, second: Stall): number {
  const share = shareOf(folded(first, second));
  const moved = (stall: Stall): number => Math.abs(shareOf(stall) - share) * (stall.to - stall.from);
  const unlikeness = Math.abs(Math.log2(gapOf(first) / gapOf(second)));
  return (moved(first) + moved(second) + share * (second.from - first.to)) * (1 + unlikeness);
}

const gapOf = ({ lostMs, count }: Stall): number => lostMs / count;

const shareOf = ({ from, to, lostMs }: Stall): number => Math.min(1, lostMs / (to - from));

/**
 * `start + wait`, moved by the stalls that fell into it. `graceMax` is one interval of the agent. Moving the
 * deadline may reach a later stall, so the log is walked once, oldest first.
 */
export function absenceDeadline(
  start: Instant,
  wait: number,
  stalls: StallLog,
  graceMax: DurationMs,
): Instant {
  let lost = 0;
  let grace = 0;
  for (const stall of stalls) {
    if (stall.to <= start) continue;
    if (stall.from >= start + wait + lost + grace) break;
    // Where in its entry a folded stall lies is unknown, so the loss is spread evenly over the entry. Otherwise a
    // deadline inside a long entry would move on for as long as the entry grows.
    const share = shareOf(stall);
    const from = Math.max(stall.from, start);
    grace = Math.min(graceMax, grace + graceOf(stall, graceMax));
    const inside = (start + wait + lost + grace - from) / (1 - share);
    if (from + inside <= stall.to) return Math.ceil(from + inside) as Instant;
    lost += share * (stall.to - from);
  }
  return later(start, Math.ceil(wait + lost + grace));
}

/**
 * Whether Holter has only just resumed: queued signals may still be on their way, and what Holter knows is from
 * before the stall. Short stalls don't count.
 */
export const hasJustReturned = (stalls: StallLog, at: Instant, graceMax: DurationMs): boolean =>
  at < returnedSince(stalls, graceMax);

/** From when on Holter has run for long enough again. */
export function returnedSince(stalls: StallLog, graceMax: DurationMs): Instant {
  let since = 0 as Instant;
  for (const stall of stalls)
    if (gapOf(stall) > GRACE_MIN) since = latest(since, later(stall.to, graceOf(stall, graceMax)));
  return since;
}

/** The grace for this entry of the log. */
export function graceOf(stall: Stall, graceMax: DurationMs): number {
  const gap = gapOf(stall);
  return Math.min(graceMax, stall.count * Math.min(graceMax, Math.max(GRACE_MIN, 2 * gap)));
}

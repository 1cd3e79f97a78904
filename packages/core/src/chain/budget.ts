import type { DurationMs, Instant } from '../base/time.ts';
import { between, later, latest, minutes, seconds } from '../base/time.ts';

/**
 * How often the chain may start one of its links. It has nothing to do with the limits of tasks: those count attempts at
 * a piece of work, this keeps a link that can't run from being started for ever.
 *
 * The first start after a crash is immediate, the next ones back off. Five crashes within a quarter of an hour are a
 * crash loop: the budget is latched, which is told once, and from then on a single start is tried every half hour. A
 * link that then stays up clears the latch, so no latch needs a person to open it. Everything is computed from stored
 * times: loading the state changes nothing.
 */
export type StartBudget = {
  /** The newest crashes, oldest first. An end on purpose or at a usage limit is none. */
  readonly crashedAt: readonly Instant[];
  /** The last start by the chain. */
  readonly startedAt?: Instant;
  readonly latchedAt?: Instant;
};

export type BudgetLimits = {
  readonly backoffMs: DurationMs;
  readonly backoffMsMax: DurationMs;
  /** So many crashes within `loopMs` are a crash loop; a start that lasts for `loopMs` clears it. */
  readonly loopCrashes: number;
  readonly loopMs: DurationMs;
  readonly probeEveryMs: DurationMs;
};

export const budgetDefaults: BudgetLimits = {
  backoffMs: seconds(30),
  backoffMsMax: minutes(10),
  loopCrashes: 5,
  loopMs: minutes(15),
  probeEveryMs: minutes(30),
};

export const fullBudget: StartBudget = { crashedAt: [] };

export function noteCrash(budget: StartBudget, at: Instant, limits = budgetDefaults): StartBudget {
  const crashedAt = [...recentOf(budget, at, limits), at].slice(-limits.loopCrashes);
  const isLoop = crashedAt.length >= limits.loopCrashes;
  const { latchedAt = isLoop ? at : undefined, ...rest } = budget;
  return { ...rest, crashedAt, ...(latchedAt !== undefined && { latchedAt }) };
}

export const noteStart = (budget: StartBudget, at: Instant): StartBudget => ({ ...budget, startedAt: at });

/** It is up. After long enough, a crash loop is over. */
export function noteUp(budget: StartBudget, at: Instant, limits = budgetDefaults): StartBudget {
  const { latchedAt, startedAt, crashedAt } = budget;
  if (latchedAt === undefined) return budget;
  // It may have been started by somebody else.
  const since = latest(startedAt ?? latchedAt, crashedAt.at(-1) ?? latchedAt);
  if (between(since, at) < limits.loopMs) return budget;
  return { crashedAt: [], ...(startedAt !== undefined && { startedAt }) };
}

/** From when on the link may be started. */
export function startAllowedAt(budget: StartBudget, at: Instant, limits = budgetDefaults): Instant {
  const { startedAt, latchedAt } = budget;
  if (latchedAt !== undefined) return later(latest(latchedAt, startedAt ?? latchedAt), limits.probeEveryMs);
  // The crash that is to be repaired is one of them.
  const repeats = recentOf(budget, at, limits).length - 1;
  if (startedAt === undefined || repeats < 1) return at;
  return later(startedAt, Math.min(limits.backoffMsMax, limits.backoffMs * 2 ** (repeats - 1)));
}

const recentOf = ({ crashedAt }: StartBudget, at: Instant, { loopMs }: BudgetLimits): readonly Instant[] =>
  crashedAt.filter((crash) => between(crash, at) < loopMs);

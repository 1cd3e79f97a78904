import { between, type DurationMs, type Instant, inWords } from '../base/time.ts';

/** One look at a link of the chain. What could not be determined is null, never a guess. */
export type LinkLook = {
  readonly at: Instant;
  /** Boot, pid and start time, as one word; null if no process is known to be the link. */
  readonly process: string | null;
  /**
   * `gone`: the known process has ended. `stopped`: by SIGSTOP. `ended`: it has said that it stops. `unknown` is a
   * failed look, or a link that was never seen: no reason to start or kill anything.
   */
  readonly state: 'running' | 'stopped' | 'gone' | 'ended' | 'unknown';
  /** CPU time since its start. */
  readonly cpuMs: number | null;
  /** The link's own tick or heartbeat, as it reports it; null if it did not answer. */
  readonly tick: number | null;
  /** Of one that has `ended` at a usage limit of its model: when that resets. It is not to be started before. */
  readonly notBefore?: Instant;
  /** Of one that has `ended` because somebody has ordered that, and nothing more: it stays down. */
  readonly order?: EndOrder;
  /** When the order was given that a person has taken back since, by resuming it. */
  readonly overOrderAt?: Instant;
  /** Why what another judge has said against its process holds no longer; of a link that such a judge has accused. */
  readonly doubt?: string;
};

/** Who has ordered an end, and when, by the clock of the server. */
export type EndOrder = { readonly by: string; readonly reason: string; readonly at: Instant };

/** How far apart two looks are that prove something together. */
export type LookGap = { readonly msMin: DurationMs; readonly msMax: DurationMs };

/** What two looks at a process that stands still have in common, in two kinds of evidence. */
export type Stillness = {
  readonly since: Instant;
  /** From the link itself. */
  readonly reported: string;
  /** From the operating system. */
  readonly seen: string;
};

/**
 * Whether the link stood still from one look to the next: its own tick did not move, and its process used no CPU time at
 * all. One of the two is not enough. A server that is busy or swapped out may not answer for minutes, but it uses CPU
 * time; one that waits uses little, but its tick moves every second.
 *
 * How far apart the looks may be is limited in both directions. Within seconds even a busy process may use too little
 * CPU time to be counted; after a long gap the one who looks has been suspended or starved itself, perhaps together with
 * the link, and the earlier look says nothing.
 */
export function stillnessOf(before: LinkLook | null, now: LinkLook, gap: LookGap): Stillness | null {
  if (!before || before.process === null || before.process !== now.process) return null;
  if (!isThere(before) || !isThere(now)) return null;
  if (before.cpuMs === null || now.cpuMs === null || now.cpuMs > before.cpuMs) return null;
  if (hasMoved(before, now)) return null;
  const gapMs = between(before.at, now.at);
  if (gapMs < gap.msMin || gapMs > gap.msMax) return null;
  const over = inWords(gapMs);
  return {
    since: before.at,
    reported:
      now.tick === null ? `it has not answered for ${over}` : `its own tick has not moved for ${over}`,
    seen:
      now.state === 'stopped'
        ? `its process is stopped (SIGSTOP) and has used no CPU time for ${over}`
        : `its process has used no CPU time for ${over}`,
  };
}

/**
 * Whether nothing has changed since the look before, and too little time has passed to say more: then the earlier look
 * is the one to compare with next time. Links that are being started are looked at often, together with the others.
 */
export function isTooSoon(before: LinkLook | null, now: LinkLook, gap: LookGap): boolean {
  if (!before || before.process !== now.process || !isThere(before) || !isThere(now)) return false;
  return !hasMoved(before, now) && before.cpuMs === now.cpuMs && between(before.at, now.at) < gap.msMin;
}

const isThere = ({ state }: LinkLook): boolean => state === 'running' || state === 'stopped';

/** Whether the link's own tick has moved; an answer after silence is a move as well. */
export const hasMoved = (before: LinkLook | null, now: LinkLook): boolean =>
  now.tick !== null && now.tick !== before?.tick;

/** It used CPU time. That alone is no answer, but it is no freeze either. */
export const isMoving = (before: LinkLook | null, { cpuMs }: LinkLook): boolean =>
  before !== null && before.cpuMs !== null && cpuMs !== null && cpuMs > before.cpuMs;

/** It has ended at its usage limit, and would only do so again. */
export const isTooEarly = ({ notBefore }: LinkLook, { at }: { readonly at: Instant }): boolean =>
  notBefore !== undefined && notBefore > at;

/** Looks in a row at which a link was not heard. */
export type Unheard = {
  readonly since: Instant;
  /** Of the newest look. */
  readonly at: Instant;
  readonly looks: number;
  /** Of the newest look that is one of them. */
  readonly countedAt: Instant;
  /** People were told by the chain itself, because no incident could say it. */
  readonly isSaid?: true;
};

/**
 * So many are told to a person, and never lead to more: about a quarter of an hour at the usual tick. A server that is
 * only busy has answered by then, and one that spins has to be judged by somebody who can look into it.
 */
export const UNHEARD_LOOKS_MAX = 5;

/** One more of them. Looks that come much sooner than a tick do not count, and after a gap counting begins again. */
export function unheardAfter(
  before: Unheard | undefined,
  { at }: LinkLook,
  gap: LookGap,
  isCounted: boolean,
): Unheard {
  if (!before || between(before.at, at) > gap.msMax)
    return {
      since: at,
      at,
      looks: Number(isCounted),
      countedAt: at,
      ...(before?.isSaid && { isSaid: true }),
    };
  if (!isCounted || between(before.countedAt, at) < 1.5 * gap.msMin) return { ...before, at };
  return { ...before, at, countedAt: at, looks: before.looks + 1 };
}

export const unheardInWords = ({ since, at, looks }: Unheard): string =>
  `it has not answered at ${looks} looks, for ${inWords(between(since, at))}, but uses CPU time: it is left alone`;

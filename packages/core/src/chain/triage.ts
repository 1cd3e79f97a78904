import { type DurationMs, inWords, milliseconds, minutes } from '../base/time.ts';
import { type Freshness, type FreshnessLimits, freshnessDefaults } from './freshness.ts';

/**
 * What Boot does about the Deacon. The first four are those of the decision matrix; the last two follow when being
 * woken has not helped.
 */
export type TriageAction = 'START' | 'WAKE' | 'NUDGE' | 'NOTHING' | 'RESTART' | 'ESCALATE';

/**
 * `dead`: there is no session, or no process in it (a zombie session). `unknown` is a failed look, which must never
 * lead to a start or a kill.
 */
export type SessionState = 'alive' | 'dead' | 'unknown';

/**
 * What the process of a live session showed over two looks. `idle`: no CPU time above the idle level of its program,
 * no child at work. `stopped`: SIGSTOP. `busy` and `unknown` are no evidence.
 */
export type ChainProcess = 'busy' | 'idle' | 'stopped' | 'unknown';

/** What Boot has seen of the Deacon. */
export type DeaconLook = {
  readonly session: SessionState;
  /** Of the run that the session holds now; null without a live session. */
  readonly freshness: Freshness | null;
  /** For how long looks have found nothing but `unknown`; 0 if the heartbeat can be read. */
  readonly unknownMs: DurationMs;
  /** Letters that wait for it, without those that Boot has sent; null if the mailbox could not be asked. */
  readonly pendingLetters: number | null;
  readonly process: ChainProcess;
  /** For how long its usage limit lasts, as its program has said; 0 if it has none. */
  readonly limitedMs: DurationMs;
  /** Who has shut it down on purpose; null if nobody has. */
  readonly downBy: string | null;
  /** It waits for a person: a permission prompt or a question. */
  readonly isAsking: boolean;
  /** How often this run was woken since its last fresh heartbeat; only deliveries that succeeded count. */
  readonly wakes: number;
  /** How long ago the last of them was sent, or could not be; null if there was none. */
  readonly sinceWakeMs: DurationMs | null;
  /** Whether messages can reach it: through its pane, or through its mailbox. */
  readonly canBeTold: boolean;
  /** No tmux: no panes can be seen, and a very stale heartbeat needs only evidence from the process. */
  readonly isDegraded: boolean;
};

export type Triage = { readonly action: TriageAction; readonly reason: string };

/** Fixed words, as the matrix gives them: nothing that an agent has written becomes part of a nudge. */
export const BOOT_WAKE = 'Boot wake: check your inbox';
export const BOOT_CHECK_IN = 'Boot check-in: pending work';

/** So many that were delivered and not followed by a fresh heartbeat. */
export const WAKES_MAX = 2;

export type TriageLimits = FreshnessLimits & {
  /** How often Boot looks. */
  readonly tickMs: DurationMs;
};

/** The one home of how often the chain looks. */
export const triageDefaults: TriageLimits = { ...freshnessDefaults, tickMs: minutes(3) };

/**
 * How long a Deacon that was woken has to answer before anything else is done about it. Triages come sooner than that
 * when the daemon is started again and again, or a person runs them by hand. Ticks are not quite regular, so that it is
 * a little less than one.
 */
const answerMsOf = (tickMs: DurationMs): DurationMs => milliseconds(0.75 * tickMs);

/** Boot's decision matrix. */
export function triage(look: DeaconLook, limits: TriageLimits = triageDefaults): Triage {
  const { session, freshness, pendingLetters, unknownMs, limitedMs, downBy } = look;
  const isLimited = limitedMs > 0;
  const limit = `it has reached its usage limit, which resets in ${inWords(limitedMs)}`;
  if (session === 'dead' && downBy !== null)
    return { action: 'NOTHING', reason: `its session has ended; it was shut down by ${downBy}` };
  if (session === 'dead' && isLimited)
    return { action: 'NOTHING', reason: `its session has ended; ${limit}` };
  if (session === 'dead') return { action: 'START', reason: 'its session is dead' };
  if (session === 'unknown' || freshness === null)
    return { action: 'NOTHING', reason: 'its session could not be looked at' };
  const { kind, evidence } = freshness;
  if (kind === 'unknown' && unknownMs >= limits.veryStaleMs)
    return { action: 'ESCALATE', reason: `${evidence}, for ${inWords(unknownMs)} now` };
  if (kind === 'unknown' || kind === 'fresh') return { action: 'NOTHING', reason: evidence };
  if (isLimited) return { action: 'NOTHING', reason: `${evidence}; ${limit}` };
  if (kind === 'very-stale') return triageVeryStale(look, evidence, answerMsOf(limits.tickMs));
  if (pendingLetters === null)
    return { action: 'NOTHING', reason: `${evidence}; its mailbox could not be asked` };
  if (pendingLetters === 0) return { action: 'NOTHING', reason: `${evidence}; no mail is pending` };
  if (!look.canBeTold) return { action: 'NOTHING', reason: `${evidence}; nothing can reach it` };
  const letters = pendingLetters === 1 ? '1 letter is' : `${pendingLetters} letters are`;
  return { action: 'NUDGE', reason: `${evidence}; ${letters} pending` };
}

/**
 * A restart needs a second kind of evidence beside the heartbeat, from the process. An agent that waits for a person
 * is never restarted: it is idle because of that.
 */
function triageVeryStale(look: DeaconLook, evidence: string, answerMs: DurationMs): Triage {
  const { wakes, sinceWakeMs, canBeTold, isDegraded, isAsking, process } = look;
  if (sinceWakeMs !== null && sinceWakeMs < answerMs)
    return {
      action: 'NOTHING',
      reason: `${evidence}; the last WAKE was ${inWords(sinceWakeMs)} ago, and it may still answer`,
    };
  const isWoken = wakes >= WAKES_MAX || (isDegraded && !canBeTold);
  if (!isWoken)
    return canBeTold
      ? { action: 'WAKE', reason: evidence }
      : { action: 'ESCALATE', reason: `${evidence}; nothing can reach it` };
  const woken = wakes > 0 ? `; woken ${wakes === 1 ? 'once' : `${wakes} times`} without effect` : '';
  if (isAsking) return { action: 'ESCALATE', reason: `${evidence}${woken}; it waits for a person` };
  switch (process) {
    case 'idle':
      return { action: 'RESTART', reason: `${evidence}${woken}; its process is idle` };
    case 'stopped':
      return { action: 'RESTART', reason: `${evidence}${woken}; its process is stopped` };
    case 'busy':
      return { action: 'ESCALATE', reason: `${evidence}${woken}; its process is busy` };
    case 'unknown':
      return { action: 'ESCALATE', reason: `${evidence}${woken}; nothing is known about its process` };
  }
}

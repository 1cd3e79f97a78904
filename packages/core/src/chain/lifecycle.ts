import { between, type Instant, minutes } from '../base/time.ts';
import type { Link } from './link.ts';
import type { MemberLink } from './link-name.ts';

/**
 * What a person, or the orchestrator of its group, may ask the daemon to do about the Deacon or an agent of the town.
 * `restart` ends this run and starts the next, `cycle` does the same and leaves a letter for the next, `shutdown` ends it
 * until `resume`.
 */
export type LifecycleAction = 'cycle' | 'restart' | 'shutdown' | 'resume';

export type LifecycleRequest = {
  readonly action: LifecycleAction;
  readonly name: 'deacon' | MemberLink;
  /** The run that it is about, as a look names it; null if none ran. */
  readonly process: string | null;
  readonly by: string;
  readonly reason: string;
  readonly at: Instant;
};

/** Who was shut down on purpose, by whom and why. It stays down until it is resumed, or somebody starts it. */
export type Shutdown = {
  readonly by: string;
  readonly reason: string;
  readonly at: Instant;
  /** The run that was ended. */
  readonly process: string | null;
};

/** A request that nobody could carry out in time is over: whoever asked has gone on since. */
const VALID_MS = minutes(10);

const UNSEEN = 'it could not be looked at';

/** Why the request is not carried out; null if it is. */
export function whyNotCarryOut(
  request: LifecycleRequest,
  link: Link | undefined,
  isDown: boolean,
  now: Instant,
): string | null {
  const { action, process, at } = request;
  if (!link) return 'nothing of this name is kept running here';
  if (at > now || between(at, now) > VALID_MS) return 'it is older than 10 minutes';
  const seen = link.look;
  const isUnseen = !seen || seen.state === 'unknown';
  // It may have been ended by an order that is not known yet.
  if (action === 'resume') return isUnseen && !isDown ? UNSEEN : null;
  if (isUnseen) return UNSEEN;
  const running = seen.state === 'running' || seen.state === 'stopped' ? seen.process : null;
  return running === process ? null : 'another run has begun, or it has ended, since it was asked for';
}

import type { DurationMs } from '../base/time.ts';
import { hours, minutes, seconds } from '../base/time.ts';

export type AlertTimes = {
  /** New conditions of one lane are collected for this long, and what resolves meanwhile is not told. */
  readonly groupMs: DurationMs;
  /** After `burst` notices of one lane within `burstMs`, the next ones are collected for this long. */
  readonly crowdedMs: DurationMs;
  readonly burst: number;
  readonly burstMs: DurationMs;
  readonly repeatMs: DurationMs;
  /** A condition counts as resolved when it has been away for this long. */
  readonly resolveMs: DurationMs;
  /** This many openings within `flapMs` are flapping; then it must be away for `calmMs`. */
  readonly flaps: number;
  readonly flapMs: DurationMs;
  readonly calmMs: DurationMs;
};

/** Alertmanager's manners (30 s, 5 min, 4 h), but the first few notices of a lane do not wait five minutes. */
export const alertTimes: AlertTimes = {
  groupMs: seconds(30),
  crowdedMs: minutes(5),
  burst: 3,
  burstMs: minutes(15),
  repeatMs: hours(4),
  resolveMs: seconds(30),
  flaps: 4,
  flapMs: hours(1),
  calmMs: minutes(15),
};

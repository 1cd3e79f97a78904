import { type DurationMs, minutes, seconds } from '../base/time.ts';

/** Thresholds that several detectors share. A detector's own are in its file, under `limits`. */
export type CommonPolicy = {
  readonly poll: {
    readonly warn: number;
    readonly act: number;
    /** A warning also needs this much time: ten looks at a build, two seconds apart, are nothing to report. */
    readonly warnAfterMs: DurationMs;
    /** `act` also needs this much time: an hour of "queued" is a fact, sixty polls in a minute are hammering. */
    readonly actAfterMs: DurationMs;
    /** A poll tool called this often without a pause is being hammered. */
    readonly hammeredAct: number;
  };
  /** From this gap on, the same call again is waiting, not hammering. */
  readonly spacedMs: DurationMs;
  /** A message that comes sooner after the agent's last step was not typed by a person who had read it. */
  readonly personReplyMsMin: DurationMs;
  /** A repeated message counts as a person's only after this pause. */
  readonly personRepeatMsMin: DurationMs;
  /** Further tools that wait, beside the built-in ones; exact names. */
  readonly pollers: readonly string[];
};

/** Thresholds of the meters, which judge totals and verdicts instead of steps. */
export type MeterPolicy = {
  readonly verdictStreak: {
    /** Verdicts without ACCEPT for a warning, and for a medium, high and critical ticket; the second one acts. */
    readonly grades: readonly [number, number, number, number];
    readonly stallMs: DurationMs;
  };
  readonly tokens: {
    readonly windowMs: DurationMs;
    /** Windows of history before anything counts as unusual. */
    readonly windowsMin: number;
    /** How much the newest window moves the usual one, 0..1. */
    readonly weight: number;
    readonly spikeFactor: number;
    readonly spikeTokensMin: number;
    readonly flatWarnMs: DurationMs;
    readonly flatActMs: DurationMs;
  };
  /** Since the last change. */
  readonly spending: { readonly tokensMax: number; readonly costUsdMax: number };
  /** Shares of the context, 0..1. */
  readonly context: { readonly warn: number; readonly act: number };
};

export const defaultCommonPolicy: CommonPolicy = {
  // Six polls a minute apart are waiting, and so are five minutes at any pace. An hour without any change is worth a
  // nudge.
  poll: { warn: 8, act: 60, warnAfterMs: minutes(5), actAfterMs: minutes(60), hammeredAct: 20 },
  // Model turns take 2 to 15 s; a loop paced slower than that is meant to wait.
  spacedMs: seconds(20),
  // Reading a result and typing an answer takes longer than this.
  personReplyMsMin: seconds(10),
  // Harnesses answer within a second or two of the end of a turn; a minute allows for slow ones.
  personRepeatMsMin: seconds(60),
  pollers: [],
};

export const defaultMeterPolicy: MeterPolicy = {
  // The thresholds of the tickets in seed 003, and its four minutes.
  verdictStreak: { grades: [5, 10, 15, 20], stallMs: minutes(4) },
  // A minute evens out turns; five of them are a usual rate; flat as for silence, with the same patience.
  tokens: {
    windowMs: minutes(1),
    windowsMin: 5,
    weight: 0.3,
    spikeFactor: 5,
    spikeTokensMin: 20_000,
    flatWarnMs: minutes(5),
    flatActMs: minutes(15),
  },
  // About 40 calls of a large model with a full context.
  spending: { tokensMax: 2_000_000, costUsdMax: 3 },
  // CLIs compact by themselves at about 92 to 95 %; the warning has to come before.
  context: { warn: 0.85, act: 0.95 },
};

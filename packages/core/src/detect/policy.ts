import { type DurationMs, minutes, seconds } from '../base/time.ts';

/** Every threshold of the detectors, in one place. Counts are of occurrences: 3 means "the third time". */
export type DetectionPolicy = {
  readonly repeatedCall: Limits;
  readonly variedError: Limits;
  readonly callCycle: Limits & { readonly flappingRoundsWarn: number };
  readonly sameError: Limits;
  readonly flatFailure: Limits & { readonly neverBetterWarn: number };
  readonly nearDuplicate: { readonly warn: number };
  readonly zeroDiversity: Limits;
  readonly unknownTool: Limits;
  readonly poll: PollLimits;
  readonly repeatedText: Limits;
  readonly monologue: Limits;
  readonly emptyReplies: Limits;
  readonly chant: { readonly wordsMin: number; readonly distinctShareMax: number };
  readonly compactionLoop: Limits;
  readonly verdictStreak: VerdictLimits;
  readonly tokens: TokenLimits;
  /** Shares of the context, 0..1. */
  readonly context: Limits;
  /** From this gap on, the same call again is waiting, not hammering. */
  readonly spacedMs: DurationMs;
  /** A message that comes sooner after the agent's last step was not typed by a person who had read it. */
  readonly personReplyMsMin: DurationMs;
  /** A repeated message counts as a person's only after this pause. */
  readonly personRepeatMsMin: DurationMs;
  /** Further tools that wait, beside the built-in ones; exact names. */
  readonly pollers: readonly string[];
};

type Limits = { readonly warn: number; readonly act: number };

type PollLimits = Limits & {
  /** `act` also needs this much time: an hour of "queued" is a fact, sixty polls in a minute are hammering. */
  readonly actAfterMs: DurationMs;
  /** A poll tool called this often without a pause is being hammered. */
  readonly hammeredAct: number;
};

type VerdictLimits = {
  /** Verdicts without ACCEPT for a warning, and for a medium, high and critical ticket; the second one acts. */
  readonly grades: readonly [number, number, number, number];
  readonly stallMs: DurationMs;
};

type TokenLimits = {
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

export const defaultDetectionPolicy: DetectionPolicy = {
  // Three equal calls have precision 0.88 on labelled traces: worth a look. Five have no innocent reading left.
  repeatedCall: { warn: 3, act: 5 },
  // One call that fails every time with different text: one more, because the text may carry news.
  variedError: { warn: 4, act: 6 },
  // Two rounds are ordinary (look, act, look, act); the third is a pattern, the fifth is a loop.
  callCycle: { warn: 3, act: 5, flappingRoundsWarn: 4 },
  // Arguments differ, so the agent is trying: warn as the measurements say, act only far beyond them.
  sameError: { warn: 3, act: 10 },
  // Edit, test, same failure: people need three or four attempts too.
  // Failing every time with different text, never better: only a warning, because the text may carry news.
  flatFailure: { warn: 5, act: 8, neverBetterWarn: 9 },
  // Spellings of one search that find nothing. It costs little and ends by itself: never `act`.
  nearDuplicate: { warn: 6 },
  // Steps in a row that were all seen before. Twice the longest cycle, then twice that.
  zeroDiversity: { warn: 12, act: 24 },
  // A tool that does not exist will not exist at the fifth call either.
  unknownTool: { warn: 3, act: 5 },
  // Six polls a minute apart are waiting. An hour without any change is worth a nudge.
  poll: { warn: 8, act: 60, actAfterMs: minutes(60), hammeredAct: 20 },
  // As for calls.
  repeatedText: { warn: 3, act: 5 },
  // Three turns of reasoning are planning (a reported false positive); eight without a call are not.
  monologue: { warn: 8, act: 25 },
  // OpenHands stops at three; an agent that recovers by the fourth should not have been disturbed.
  emptyReplies: { warn: 3, act: 5 },
  // Ordinary prose of sixty words has at least forty different ones.
  chant: { wordsMin: 60, distinctShareMax: 0.15 },
  // Each compaction costs a model call; six in a row without work between bought nothing.
  compactionLoop: { warn: 3, act: 6 },
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
  // CLIs compact by themselves at about 92 to 95 %; the warning has to come before.
  context: { warn: 0.85, act: 0.95 },
  // Model turns take 2 to 15 s; a loop paced slower than that is meant to wait.
  spacedMs: seconds(20),
  // Reading a result and typing an answer takes longer than this.
  personReplyMsMin: seconds(10),
  // Harnesses answer within a second or two of the end of a turn; a minute allows for slow ones.
  personRepeatMsMin: seconds(60),
  pollers: [],
};

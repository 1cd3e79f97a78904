import { type DurationMs, type JudgeThresholds, judgeThresholds, minutes } from '@holter/core';
import { bad, describe, type Field, ok, type Table, type Values } from './check.ts';
import { ranges } from './ranges.ts';
import { inSeconds, names } from './readers.ts';

/** How sessions are judged; see docs/judge.md. */
export type JudgeSettings = {
  /** As written: a relative path begins at the configuration file. */
  readonly folders: readonly string[];
  readonly intervalMs: DurationMs;
  readonly cooldownMs: DurationMs;
  readonly thresholds: JudgeThresholds;
};

const FOLDERS_MAX = 100;

/** Four bounds, each above the one before. */
const streaks: Field<readonly number[]> = {
  takes: 'list of four rising whole numbers',
  read: (raw, path) => {
    const { min, max } = ranges.judgeStreak;
    const isRising =
      Array.isArray(raw) &&
      raw.length === 4 &&
      raw.every(
        (each, index) => Number.isInteger(each) && each >= min && each <= max && each > (raw[index - 1] ?? 0),
      );
    return isRising
      ? ok(raw as readonly number[])
      : bad(
          path,
          `must be a list of four rising whole numbers such as [5, 10, 15, 20], not ${describe(raw)}`,
        );
  },
  show: (value) => value,
};

export const JUDGE_FIELDS = {
  'judge.folders': names({ min: 0, max: FOLDERS_MAX }, /^[^\0]{1,4096}$/),
  'judge.interval_seconds': inSeconds(ranges.judgeInterval),
  'judge.cooldown_seconds': inSeconds(ranges.wait),
  'judge.streaks': streaks,
  'judge.stall_seconds': inSeconds(ranges.wait),
} as const satisfies Table;

type Settings = Values<typeof JUDGE_FIELDS>;

const { warning, medium, high, critical, stallMs } = judgeThresholds;

export const judgeDefaults: Settings = {
  'judge.folders': [],
  'judge.interval_seconds': minutes(2),
  'judge.cooldown_seconds': minutes(30),
  'judge.streaks': [warning, medium, high, critical],
  'judge.stall_seconds': stallMs,
};

export function buildJudge(settings: Settings): JudgeSettings {
  const [first = warning, second = medium, third = high, fourth = critical] = settings['judge.streaks'];
  return {
    folders: settings['judge.folders'],
    intervalMs: settings['judge.interval_seconds'],
    cooldownMs: settings['judge.cooldown_seconds'],
    thresholds: {
      warning: first,
      medium: second,
      high: third,
      critical: fourth,
      stallMs: settings['judge.stall_seconds'],
    },
  };
}

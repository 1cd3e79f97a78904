import { type DurationMs, type JudgeThresholds, judgeThresholds, minutes, seconds } from '@holter/core';
import { address, text, variable } from './channel-fields.ts';
import { bad, describe, type Field, isSection, ok, type Table, tableReader, type Values } from './check.ts';
import { ranges } from './ranges.ts';
import { amount, count, inSeconds, names, oneOf, optional } from './readers.ts';

/** How sessions are judged; see docs/judge.md. */
export type JudgeSettings = {
  /** As written: a relative path begins at the configuration file. */
  readonly folders: readonly string[];
  readonly intervalMs: DurationMs;
  readonly cooldownMs: DurationMs;
  readonly thresholds: JudgeThresholds;
  /** Who is asked about what rules can't decide; null for nobody. */
  readonly model: JudgeModel | null;
  /** Instead of the one that Holter ships. */
  readonly prompt: string | null;
  readonly timeoutMs: DurationMs;
  readonly tokensPerDay: number;
  /** Null: only tokens are counted. */
  readonly usdPerDay: number | null;
  /** Variables of the server that the command gets as well. */
  readonly commandEnv: readonly string[];
};

export type JudgeModel =
  | { readonly kind: 'command'; readonly argv: readonly string[] }
  | {
      readonly kind: 'anthropic' | 'openai';
      readonly name: string;
      readonly url: string | null;
      /** The variable that has the key; null for a service that needs none. */
      readonly keyEnv: string | null;
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

const MODEL_FIELDS = {
  provider: oneOf<'anthropic' | 'openai'>(['anthropic', 'openai']),
  name: text(200),
  url: address('http://127.0.0.1:11434/v1'),
  key_env: variable,
} as const satisfies Table;

type WrittenModel = Partial<Values<typeof MODEL_FIELDS>>;

const readModel = tableReader(MODEL_FIELDS);

const modelField: Field<WrittenModel> = {
  takes: 'section with provider (anthropic, openai), name, url and key_env',
  read: (raw, path) => {
    if (!isSection(raw)) return bad(path, `must be a section with provider and name, not ${describe(raw)}`);
    const { value, problems } = readModel(raw, path);
    const missing = (['provider', 'name'] as const).filter((key) => !Object.hasOwn(raw, key));
    const needed = missing.map((key) => ({ path: `${path}.${key}`, message: 'is needed' }));
    const all = [...problems, ...needed];
    return all.length > 0 || !value ? { problems: all } : ok(value.values as WrittenModel);
  },
  show: (value) => value,
};

const PROMPT_MAX = 20_000;

const prompt: Field<string> = {
  takes: `text of at most ${PROMPT_MAX} characters`,
  read: (raw, path) =>
    typeof raw === 'string' && raw.trim() !== '' && raw.length <= PROMPT_MAX
      ? ok(raw)
      : bad(path, `must be a text of 1 to ${PROMPT_MAX} characters, not ${describe(raw)}`),
  show: (value) => value,
};

export const JUDGE_FIELDS = {
  'judge.folders': names({ min: 0, max: FOLDERS_MAX }, /^[^\0]{1,4096}$/),
  'judge.interval_seconds': inSeconds(ranges.judgeInterval),
  'judge.cooldown_seconds': inSeconds(ranges.wait),
  'judge.streaks': streaks,
  'judge.stall_seconds': inSeconds(ranges.wait),
  // An argument may be empty, such as the tools of one that gets none.
  'judge.command': optional(names({ min: 1, max: 64 }, /^[^\0]{0,4096}$/)),
  'judge.command_env': names({ min: 0, max: 64 }, /^[A-Za-z_][A-Za-z0-9_]{0,255}$/),
  'judge.model': optional(modelField),
  'judge.prompt': optional(prompt),
  'judge.timeout_seconds': inSeconds(ranges.judgeTimeout),
  'judge.tokens_per_day': count(ranges.judgeTokens),
  'judge.usd_per_day': optional(amount(ranges.costUsd)),
} as const satisfies Table;

type Settings = Values<typeof JUDGE_FIELDS>;

const { warning, medium, high, critical, stallMs } = judgeThresholds;

export const judgeDefaults: Settings = {
  'judge.folders': [],
  'judge.interval_seconds': minutes(2),
  'judge.cooldown_seconds': minutes(30),
  'judge.streaks': [warning, medium, high, critical],
  'judge.stall_seconds': stallMs,
  'judge.command': null,
  'judge.command_env': [],
  'judge.model': null,
  'judge.prompt': null,
  'judge.timeout_seconds': seconds(60),
  'judge.tokens_per_day': 200_000,
  'judge.usd_per_day': null,
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
    model: modelOf(settings),
    prompt: settings['judge.prompt'],
    timeoutMs: settings['judge.timeout_seconds'],
    tokensPerDay: settings['judge.tokens_per_day'],
    usdPerDay: settings['judge.usd_per_day'],
    commandEnv: settings['judge.command_env'],
  };
}

/** A command comes first. */
function modelOf({ 'judge.command': argv, 'judge.model': written }: Settings): JudgeModel | null {
  if (argv !== null) return { kind: 'command', argv };
  const { provider, name, url = null, key_env: keyEnv = null } = written ?? {};
  return provider === undefined || name === undefined ? null : { kind: provider, name, url, keyEnv };
}

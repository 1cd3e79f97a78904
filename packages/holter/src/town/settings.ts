import { type FreshnessLimits, freshnessDefaults, triageDefaults } from '@holter/core/chain';
import { type DurationMs, minutes, seconds } from '@holter/core/time';
import { parseDuration, readSettingsFile, writeSettingsFile } from '@holter/server/process';
import { CliFailure } from '../terminal/failure.ts';
import { BOOT_SESSION, DEACON_SESSION, type Town } from './town.ts';

/** Names and thresholds of a town. Nothing in it starts a program: agents may write to this folder. */
export type TownSettings = {
  readonly bootSession: string;
  readonly deaconSession: string;
  readonly freshness: FreshnessLimits;
  /** How often the daemon ticks. */
  readonly tickMs: DurationMs;
  /** For how long a triage that has not ended keeps others from starting. */
  readonly bootTtlMs: DurationMs;
  /** How often Holter's own patrol looks at the agents. */
  readonly cycleMs: DurationMs;
  /** After how many cycles it hands over to a successor. */
  readonly cyclesMax: number;
};

const inMinutes = (ms: DurationMs): string => `${ms / minutes(1)}m`;

const DEFAULTS = {
  boot_session: BOOT_SESSION,
  deacon_session: DEACON_SESSION,
  stale_after: inMinutes(freshnessDefaults.staleMs),
  very_stale_after: inMinutes(freshnessDefaults.veryStaleMs),
  tick_every: inMinutes(triageDefaults.tickMs),
  boot_ttl: '5m',
  cycle_every: '1m',
  cycles_max: 1_440,
};

type Written = { readonly [Key in keyof typeof DEFAULTS]?: unknown };

const BYTES_MAX = 64 * 1024;
const TIME_MIN = seconds(1);
const TIME_MAX = minutes(24 * 60);
/** Agents may write to this file: nobody who does can keep the chain from noticing for longer than this many times. */
const LONGER_MAX = 4;
/** What makes the chain look more seldom. How often the patrol looks is not among them: Boot notices that. */
const BOUNDED: ReadonlySet<string> = new Set(['stale_after', 'very_stale_after', 'tick_every', 'boot_ttl']);
const CYCLES_MAX = 100_000;

export const defaultTownSettings = (): TownSettings => compile({}, () => undefined);

export function writeTownSettings(town: Town): void {
  writeSettingsFile(town.settingsFile, `${JSON.stringify(DEFAULTS, null, 2)}\n`);
}

/** A town without the file has the defaults. A file with a mistake stops the command: guessing could kill. */
export function readTownSettings(town: Town): TownSettings {
  let text: string;
  try {
    text = readSettingsFile(town.settingsFile, BYTES_MAX);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return defaultTownSettings();
    throw new CliFailure(`${town.settingsFile} can't be read: ${(error as Error).message}`);
  }
  const problems: string[] = [];
  const settings = compile(objectIn(text, problems), (problem) => problems.push(problem));
  if (problems.length > 0) throw new CliFailure(`${town.settingsFile}: ${problems.join('; ')}`);
  return settings;
}

function objectIn(text: string, problems: string[]): Written {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const key of Object.keys(value))
        if (!Object.hasOwn(DEFAULTS, key)) problems.push(`${key} is not a setting`);
      return value;
    }
  } catch {
    // Said below.
  }
  problems.push('it is not a JSON object');
  return {};
}

function compile(written: Written, wrong: (problem: string) => void): TownSettings {
  const time = (key: 'stale_after' | 'very_stale_after' | 'tick_every' | 'boot_ttl' | 'cycle_every') => {
    const value = written[key] ?? DEFAULTS[key];
    const usual = parseDuration(DEFAULTS[key]) ?? TIME_MIN;
    const max = BOUNDED.has(key) ? LONGER_MAX * usual : TIME_MAX;
    const parsed = typeof value === 'string' ? parseDuration(value) : undefined;
    if (parsed !== undefined && parsed >= TIME_MIN && parsed <= max) return parsed;
    wrong(
      `${key} must be a time from 1s to ${max === TIME_MAX ? '1d' : `${max / minutes(1)}m`}, like "${DEFAULTS[key]}"`,
    );
    return TIME_MIN;
  };
  const session = (key: 'boot_session' | 'deacon_session') => {
    const value = written[key] ?? DEFAULTS[key];
    if (typeof value === 'string' && /^[A-Za-z0-9_-]{1,60}$/.test(value)) return value;
    wrong(`${key} must be a name of 1 to 60 of A-Z a-z 0-9 _ -`);
    return DEFAULTS[key];
  };
  const cyclesMax = written.cycles_max ?? DEFAULTS.cycles_max;
  const isCount = Number.isInteger(cyclesMax) && Number(cyclesMax) >= 1 && Number(cyclesMax) <= CYCLES_MAX;
  if (!isCount) wrong(`cycles_max must be a whole number from 1 to ${CYCLES_MAX}`);
  const freshness = { staleMs: time('stale_after'), veryStaleMs: time('very_stale_after') };
  if (freshness.staleMs >= freshness.veryStaleMs) wrong('stale_after must be shorter than very_stale_after');
  const [bootSession, deaconSession] = [session('boot_session'), session('deacon_session')];
  // Boot must never run in the session of the Deacon, which it may kill.
  if (bootSession === deaconSession) wrong('boot_session and deacon_session must differ');
  return {
    bootSession,
    deaconSession,
    freshness,
    tickMs: time('tick_every'),
    bootTtlMs: time('boot_ttl'),
    cycleMs: time('cycle_every'),
    cyclesMax: Number(cyclesMax),
  };
}

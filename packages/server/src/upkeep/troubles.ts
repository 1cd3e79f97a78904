import { hours, type Instant, instant } from '@holter/core';
import type { EngagedBrake, EngineHealth, Estop } from '../engine/engine-options.ts';
import type { PingState } from './dead-man-ping.ts';
import { GRACE_SHARE_MAX } from './grace-alert.ts';

/** What can be wrong with Holter itself. */
export const TROUBLES = [
  'store',
  'database',
  'ticks',
  'grace',
  'server',
  'brake',
  'channel',
  'ping',
  'estop',
  'chain',
  'judge',
] as const;
type TroubleKind = (typeof TROUBLES)[number];

export type Trouble = {
  readonly kind: TroubleKind;
  /** The server, group, channel or link that it is about. */
  readonly name: string | null;
  readonly says: string;
  readonly since: Instant;
};

/** A tick comes every second; without one for this long the monitor itself needs help. */
const TICK_LATE_MS = 10_000;
/** The alert about a mass failure says that the brake holds; after this long it is told as a problem of Holter too. */
export const BRAKE_LONG_MS = hours(1);
/** A ping may be lost now and then. */
const PINGS_LOST_MAX = 3;

type Organs = {
  readonly health: Pick<
    EngineHealth,
    'store' | 'storeReason' | 'lastTickAt' | 'graceShare' | 'lateServers' | 'estop'
  >;
  readonly brakes: readonly EngagedBrake[];
  readonly channels: readonly {
    readonly name: string;
    readonly failedAt: Instant;
    readonly failure: string;
  }[];
  readonly ping: PingState | null;
  /** Of the database, as sentences. */
  readonly hindrances: readonly string[];
  /** Of the watchdog chain, where there is one. */
  readonly chain: readonly { readonly name: string; readonly says: string; readonly since: Instant }[];
  /** Why the judge asks no model although it should; null if it does, or should not. */
  readonly judge: { readonly says: string; readonly since: Instant } | null;
};

const estopInWords = ({ by, reason }: Estop): string =>
  `Holter does nothing by itself: ${by} has stopped its acts${reason === '' ? '' : ` (${reason})`}. To let it act again: holter estop --off`;

/** The one list of what is wrong with Holter: for `/health`, metrics, alerts, the outside ping and `holter doctor`. */
export function troublesOf(
  { health, brakes, channels, ping, hindrances, chain, judge }: Organs,
  at: Instant,
): readonly Trouble[] {
  const troubles: Trouble[] = [];
  const add = (kind: TroubleKind, name: string | null, since: Instant, says: string): void => {
    troubles.push({ kind, name, says, since });
  };
  const { store, storeReason, lastTickAt, graceShare, lateServers, estop } = health;
  if (estop) add('estop', null, instant(estop.at), estopInWords(estop));
  if (store !== 'ok')
    add(
      'store',
      null,
      at,
      `Holter can't write to its store and acts on nothing: ${storeReason ?? 'no reason is known'}`,
    );
  if (hindrances.length > 0) add('database', null, at, hindrances.join('; '));
  if (lastTickAt !== null && at - lastTickAt > TICK_LATE_MS)
    add(
      'ticks',
      null,
      lastTickAt,
      `Holter has not looked at any agent for ${Math.round((at - lastTickAt) / 1_000)} s`,
    );
  if (graceShare > GRACE_SHARE_MAX)
    add(
      'grace',
      null,
      at,
      'Holter did not look for more than a tenth of the last hour: this machine sleeps, or is too busy',
    );
  for (const { name, lateTicks } of lateServers)
    add(
      'server',
      name,
      at,
      `The server on ${name} was late ${lateTicks} times in the last ten minutes: its machine sleeps, or is too busy`,
    );
  for (const { group, engagedAt } of brakes)
    add(
      'brake',
      group,
      engagedAt,
      `The brake holds back acts for group ${group}: many agents were lost at once`,
    );
  for (const { name, failedAt, failure } of channels)
    add('channel', name, failedAt, `The channel ${name} does not deliver alerts: ${failure}`);
  if (ping && ping.failures >= PINGS_LOST_MAX)
    add('ping', null, ping.triedAt ?? at, `The outside ping fails: ${ping.failure ?? 'no reason is known'}`);
  for (const { name, says, since } of chain) add('chain', name, since, says);
  if (judge) add('judge', null, judge.since, `The judge: ${judge.says}`);
  return troubles;
}

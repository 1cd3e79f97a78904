import { type AlertBook, emptyBook, type Instant } from '@holter/core';
import { metaJson, readMetaJson } from '../store/meta-json.ts';

/** The key of the store under which it is kept. */
export const STATE_KEY = 'alerts';

/** What alerts must not forget over a restart. */
export type AlertState = {
  readonly book: AlertBook;
  readonly channels: Readonly<Record<string, ChannelState>>;
  readonly windows: readonly MaintenanceWindow[];
};

/** What became of the newest tries of one channel. */
export type ChannelState = {
  readonly postedAt?: Instant;
  readonly failedAt?: Instant;
  /** What it failed with. */
  readonly failure?: string;
  /** Tries since it last worked. */
  readonly failures: number;
};

/** Alerts about a group are not sent during this time; everything else goes on. One for each group. */
export type MaintenanceWindow = {
  readonly group: string;
  readonly from: Instant;
  readonly until: Instant;
  readonly by: string;
  readonly reason: string;
};

const nothing: AlertState = { book: emptyBook, channels: {}, windows: [] };

/** Of the state as it is stored. */
const VERSION = 1;

export const stateOf = (stored: string | null): AlertState =>
  stored === null ? nothing : readMetaJson<AlertState>(stored, VERSION, 'the state of the alerts');

export const storedOf = (state: AlertState): string => metaJson(VERSION, state);

/** The state with what became of later tries through these channels. */
export function withTries(state: AlertState, tried: AlertState['channels']): AlertState {
  const newer = Object.entries(tried).filter(
    ([channel, each]) => triedAt(each) > triedAt(state.channels[channel]),
  );
  return { ...state, channels: { ...state.channels, ...Object.fromEntries(newer) } };
}

const triedAt = (channel: ChannelState | undefined): number =>
  Math.max(channel?.postedAt ?? 0, channel?.failedAt ?? 0);

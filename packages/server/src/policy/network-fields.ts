import { isIP } from 'node:net';
import type { DurationMs } from '@holter/core';
import { bad, describe, type Field, ok, type Table, type Values } from './check.ts';
import { ranges } from './ranges.ts';
import { duration, optional, pathOf } from './readers.ts';

/** How the server is reached from other machines. */
export type Network = {
  /** Names of this server as a `Host` header has them: lower case, without a port. */
  readonly hosts: readonly string[];
  /** Addresses and address ranges whose forwarded headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Files as written, relative to the configuration file. */
  readonly tls: { readonly cert: string | null; readonly key: string | null };
  /** How long the server goes on serving after it has said that it will stop. */
  readonly drainMs: DurationMs;
};

const ENTRIES_MAX = 100;

/** Each entry as it is compared later; `normalize` returns null for what is not one. */
const listOf = (what: string, normalize: (text: string) => string | null): Field<readonly string[]> => ({
  takes: `list of at most ${ENTRIES_MAX} ${what}`,
  read: (raw, path) => {
    const entries = Array.isArray(raw) && raw.length <= ENTRIES_MAX ? raw : [null];
    const read = entries.map((entry) => (typeof entry === 'string' ? normalize(entry) : null));
    return read.every((entry) => entry !== null)
      ? ok(read)
      : bad(path, `must be a list of at most ${ENTRIES_MAX} ${what}, not ${describe(raw)}`);
  },
  show: (value) => value,
});

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const NAME_LENGTH_MAX = 253;

function hostName(text: string): string | null {
  const name = text.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) === 6) return `[${name}]`;
  const isName = name.length <= NAME_LENGTH_MAX && name.split('.').every((label) => LABEL.test(label));
  return isName ? name : null;
}

function addressRange(text: string): string | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const isRange = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return isIP(address) !== 0 && isRange && rest.length === 0 ? text : null;
}

export const NETWORK_FIELDS = {
  hosts: listOf('host names without scheme and port, such as holter.example.org', hostName),
  trusted_proxies: listOf('addresses such as 10.0.0.5 or 10.0.0.0/24', addressRange),
  'tls.cert': optional(pathOf('file')),
  'tls.key': optional(pathOf('file')),
  drain: duration(ranges.drain),
} as const satisfies Table;

type NetworkSettings = Values<typeof NETWORK_FIELDS>;

export const networkDefaults: NetworkSettings = {
  hosts: [],
  trusted_proxies: [],
  'tls.cert': null,
  'tls.key': null,
  drain: 0 as DurationMs,
};

export function buildNetwork(settings: NetworkSettings, publicUrl: string | null): Network {
  const { hosts, trusted_proxies: trustedProxies, drain } = settings;
  return {
    hosts: publicUrl === null ? hosts : [...hosts, new URL(publicUrl).hostname],
    trustedProxies,
    tls: { cert: settings['tls.cert'], key: settings['tls.key'] },
    drainMs: drain,
  };
}

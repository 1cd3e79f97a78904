import { isPrototypeName } from '@holter/core';
import {
  bad,
  describe,
  type Field,
  isSection,
  ok,
  type PolicyProblem,
  type Table,
  type TableReading,
  tableReader,
} from './check.ts';
import { ranges } from './ranges.ts';
import { amount, argv, count, names, oneOf, optional } from './readers.ts';

/** One channel as the operator wrote it: secrets are still names of variables and files. */
export type WrittenChannel = {
  readonly type: ChannelType;
  readonly values: Readonly<Record<string, unknown>>;
};

export const text = (lengthMax: number): Field<string> => ({
  takes: `text of 1 to ${lengthMax} characters`,
  read: (raw, path) =>
    typeof raw === 'string' && raw !== '' && raw.length <= lengthMax && !/\p{C}/u.test(raw)
      ? ok(raw)
      : bad(path, `must be a text of 1 to ${lengthMax} characters on one line, not ${describe(raw)}`),
  show: (value) => value,
});

/** Shown only as being there: an address of a webhook is a secret too. */
const hidden: Field<string> = {
  takes: 'text',
  read: (raw, path) => {
    const reading = text(2_000).read(raw, path);
    return reading.value === undefined
      ? bad(path, 'must be a text of 1 to 2000 characters on one line')
      : reading;
  },
  show: () => '…',
};

export const variable: Field<string> = {
  takes: 'name of an environment variable',
  read: (raw, path) =>
    typeof raw === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(raw)
      ? ok(raw)
      : bad(path, `must be the name of an environment variable, not ${describe(raw)}`),
  show: (value) => value,
};

type Kept<Name extends string> = {
  readonly [Key in `${Name}_env`]: Field<string>;
} & { readonly [Key in `${Name}_file`]: Field<string> };

/** A secret: in a variable or in a file, and never in the configuration itself. */
const kept = <Name extends string>(name: Name): Kept<Name> =>
  ({ [`${name}_env`]: variable, [`${name}_file`]: text(4_000) }) as Kept<Name>;

/** What may be a secret, and may also be written down. */
export const place = <Name extends string>(
  name: Name,
): Kept<Name> & { readonly [Key in Name]: Field<string> } =>
  ({ [name]: hidden, ...kept(name) }) as Kept<Name> & { readonly [Key in Name]: Field<string> };

const mailAddress = text(320);
const common = { type: text(32), per_minute: amount(ranges.channelRate) } as const;

/** The keys of each type of channel; `channels/registry.ts` has what they mean. */
const TABLES = {
  slack: { ...common, ...place('url') },
  pagerduty: { ...common, ...place('url'), ...kept('routing_key') },
  webhook: { ...common, ...place('url'), ...kept('secret') },
  ntfy: { ...common, ...place('url'), ...place('topic'), ...kept('token') },
  email: {
    ...common,
    host: text(255),
    port: count({ min: 1, max: 65_535 }),
    tls: oneOf<'starttls' | 'implicit' | 'none'>(['starttls', 'implicit', 'none']),
    from: mailAddress,
    to: names({ min: 1, max: 20 }, /^[^\s<>,;\p{C}]{1,64}@[^\s<>,;@\p{C}]{1,255}$/u),
    user: text(255),
    ...kept('password'),
  },
  desktop: {
    ...common,
    via: oneOf<'auto' | 'notify-send' | 'osascript' | 'terminal'>([
      'auto',
      'notify-send',
      'osascript',
      'terminal',
    ]),
  },
  command: { ...common, argv },
} as const satisfies Record<string, Table>;

export type ChannelType = keyof typeof TABLES;
const CHANNEL_TYPES = Object.keys(TABLES) as readonly ChannelType[];

const READERS = Object.fromEntries(
  Object.entries(TABLES).map(([type, table]) => [type, tableReader<Table>(table)]),
) as Readonly<Record<ChannelType, ReturnType<typeof tableReader<Table>>>>;

/** Part of stored ids; `page` and `cli` are Holter's own channels. */
const isChannelName = (name: string): boolean =>
  /^[a-z][a-z0-9_-]{0,31}$/.test(name) && name !== 'page' && name !== 'cli' && !isPrototypeName(name);

export const channelsField: Field<ReadonlyMap<string, WrittenChannel>> = {
  takes: `section; each key is a name, each value has a type: ${CHANNEL_TYPES.join(', ')}`,
  read: (raw, path) => {
    const channels = new Map<string, WrittenChannel>();
    if (raw === null || raw === undefined) return ok(channels);
    if (!isSection(raw)) return bad(path, `must be a section of channels by name, not ${describe(raw)}`);
    const problems: PolicyProblem[] = [];
    for (const [name, entry] of Object.entries(raw)) {
      const at = `${path}.${name.slice(0, 64)}`;
      if (!isChannelName(name)) {
        const message =
          'is not a valid name; must be 1 to 32 of a-z 0-9 _ -, a letter first, not page or cli';
        problems.push({ path: at, message });
        continue;
      }
      const reading = readChannel(entry, at);
      problems.push(...reading.problems);
      if (reading.value) channels.set(name, reading.value);
    }
    return { value: channels, problems };
  },
  show: (channels) =>
    Object.fromEntries([...channels].map(([name, { type, values }]) => [name, shown(type, values)])),
};

function readChannel(
  raw: unknown,
  path: string,
): { value?: WrittenChannel; problems: readonly PolicyProblem[] } {
  if (!isSection(raw)) return bad(path, `must be a section with a type, not ${describe(raw)}`);
  const type = CHANNEL_TYPES.find((each) => each === raw.type);
  if (type === undefined)
    return bad(`${path}.type`, `must be one of ${CHANNEL_TYPES.join(', ')}, not ${describe(raw.type)}`);
  const { value, problems } = READERS[type](raw, path);
  return { problems, ...(value && { value: { type, values: (value as TableReading<Table>).values } }) };
}

function shown(type: ChannelType, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const table: Table = TABLES[type];
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, table[key]?.show(value as never)]),
  );
}

/** An http or https address without a query. */
export const address = (example: string): Field<string> => ({
  takes: 'http or https address',
  read: (raw, path) => {
    const url = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : null;
    const isFine = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
    return isFine
      ? ok(url.href.replace(/\/$/, ''))
      : bad(path, `must be an address such as ${example}, not ${describe(raw)}`);
  },
  show: (value) => value,
});

/** Where people find the page, for links in alerts. */
export const publicUrl = optional(address('https://holter.example.org'));

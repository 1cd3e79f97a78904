import { assertNever, type DurationMs } from '@holter/core';
import type { PolicyProblem, PolicySet, WrittenChannel } from '../policy/index.ts';
import type { Environment } from './files.ts';
import { isLoopback } from './loopback.ts';

/** A channel that is ready to be used, with its secrets. */
export type ChannelConfig = {
  readonly name: string;
  /** Most notices in a minute. */
  readonly perMinute: number;
} & ChannelBody;

type ChannelBody =
  | { readonly type: 'slack'; readonly url: string }
  | { readonly type: 'pagerduty'; readonly url: string; readonly routingKey: string }
  | { readonly type: 'webhook'; readonly url: string; readonly secret: string | null }
  | { readonly type: 'ntfy'; readonly url: string; readonly topic: string; readonly token: string | null }
  | ({ readonly type: 'email' } & MailSettings)
  | { readonly type: 'desktop'; readonly via: 'auto' | 'notify-send' | 'osascript' | 'terminal' }
  | { readonly type: 'command'; readonly argv: readonly string[] };

/** An address outside that expects to hear from this server, and tells somebody when it does not. */
export type DeadManConfig = { readonly url: string; readonly everyMs: DurationMs };

type MailSettings = {
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'implicit' | 'none';
  readonly from: string;
  readonly to: readonly string[];
  readonly login: { readonly user: string; readonly password: string } | null;
};

type Secrets = { readonly env: Environment; readonly read: (path: string) => string };

const PER_MINUTE = 10;
const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';
const NTFY_URL = 'https://ntfy.sh';

/** Looks up the secrets, and checks what is needed and where it is sent: all problems at once. */
export function resolveChannels(
  written: ReadonlyMap<string, WrittenChannel>,
  secrets: Secrets,
): { readonly channels: readonly ChannelConfig[]; readonly problems: readonly PolicyProblem[] } {
  const problems: PolicyProblem[] = [];
  const channels = [...written].flatMap(([name, channel]) => {
    const reader = new ChannelReader(`channels.${name}`, channel, secrets);
    const body = bodyOf(reader, channel);
    problems.push(...reader.problems);
    if (reader.problems.length > 0) return [];
    return [{ name, perMinute: reader.number('per_minute') ?? PER_MINUTE, ...body }];
  });
  return { channels, problems };
}

/** Where the outside ping goes; null when nobody is named. */
export function resolveDeadMan(
  { deadManPing: { written, everyMs } }: PolicySet['operations'],
  secrets: Secrets,
): { readonly deadMan: DeadManConfig | null; readonly problems: readonly PolicyProblem[] } {
  const values = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null));
  if (Object.keys(values).length === 0) return { deadMan: null, problems: [] };
  const reader = new ChannelReader('dead_man_ping', { values }, secrets);
  const url = reader.url();
  return { deadMan: reader.problems.length === 0 ? { url, everyMs } : null, problems: reader.problems };
}

function bodyOf(reader: ChannelReader, { type }: WrittenChannel): ChannelBody {
  switch (type) {
    case 'slack':
      return { type, url: reader.url() };
    case 'pagerduty':
      return { type, url: reader.url(PAGERDUTY_URL), routingKey: reader.needed('routing_key') };
    case 'webhook':
      return { type, url: reader.url(), secret: reader.secret('secret') };
    case 'ntfy': {
      const topic = reader.needed('topic');
      if (topic !== '' && !/^[A-Za-z0-9_-]{1,64}$/.test(topic))
        reader.complain('topic', 'must be 1 to 64 of A-Z a-z 0-9 _ -');
      return { type, url: reader.url(NTFY_URL), topic, token: reader.secret('token') };
    }
    case 'email':
      return { type, ...mailOf(reader) };
    case 'desktop':
      return { type, via: reader.word('via') ?? 'auto' };
    case 'command':
      return { type, argv: reader.list('argv') };
    default:
      return assertNever(type);
  }
}

function mailOf(reader: ChannelReader): MailSettings {
  const host = reader.needed('host');
  const tls = reader.word<MailSettings['tls']>('tls') ?? (isLoopback(host) ? 'none' : 'starttls');
  if (tls === 'none' && host !== '' && !isLoopback(host))
    reader.complain('tls', 'can be none only for this machine; use starttls or implicit');
  const user = reader.secret('user');
  const password = reader.secret('password');
  if ((user === null) !== (password === null))
    reader.complain('user', 'and password_env or password_file belong together');
  return {
    host,
    port: reader.number('port') ?? (tls === 'implicit' ? 465 : tls === 'starttls' ? 587 : 25),
    tls,
    from: reader.needed('from'),
    to: reader.list('to'),
    login: user === null || password === null ? null : { user, password },
  };
}

class ChannelReader {
  readonly problems: PolicyProblem[] = [];
  private readonly path: string;
  private readonly values: WrittenChannel['values'];
  private readonly secrets: Secrets;

  constructor(path: string, { values }: Pick<WrittenChannel, 'values'>, secrets: Secrets) {
    this.path = path;
    this.values = values;
    this.secrets = secrets;
  }

  complain(key: string, message: string): void {
    this.problems.push({ path: `${this.path}.${key}`, message });
  }

  number(key: string): number | null {
    return (this.values[key] as number | undefined) ?? null;
  }

  word<Word extends string>(key: string): Word | null {
    return (this.values[key] as Word | undefined) ?? null;
  }

  list(key: string): readonly string[] {
    const items = this.values[key] as readonly string[] | undefined;
    if (items === undefined) this.complain(key, 'is needed');
    return items ?? [];
  }

  /** From the file itself, a variable or another file; null when none of them is named. */
  secret(key: string): string | null {
    const given = [key, `${key}_env`, `${key}_file`].filter((each) => this.values[each] !== undefined);
    const [source = key] = given;
    if (given.length > 1) this.complain(source, `and ${given[1]} say the same; keep one`);
    const value = this.values[source] as string | undefined;
    if (value === undefined || source === key) return value ?? null;
    const found = source.endsWith('_env') ? this.secrets.env[value] : this.readSecret(source, value);
    if (found === undefined || found.trim() === '') {
      if (found !== undefined || source.endsWith('_env'))
        this.complain(
          source,
          source.endsWith('_env') ? `names ${value}, which is not set` : 'names an empty file',
        );
      return '';
    }
    return found.trim();
  }

  needed(key: string): string {
    const value = this.secret(key);
    if (value === null)
      this.complain(key, `is needed${this.isKept(key) ? `: ${key}_env or ${key}_file` : ''}`);
    return value ?? '';
  }

  /** http is for this machine only: alerts tell what agents do. */
  url(fallback?: string): string {
    const value = this.secret('url') ?? fallback;
    const key = ['url', 'url_env', 'url_file'].find((each) => this.values[each] !== undefined) ?? 'url';
    if (value === undefined) {
      this.complain('url', 'is needed: url, url_env or url_file');
      return '';
    }
    const url = URL.canParse(value) ? new URL(value) : null;
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
    if (value !== '' && (!url || !isSafe || url.username !== '' || url.password !== ''))
      this.complain(key, 'must be an https address without a user name (http only for this machine)');
    return value;
  }

  private isKept(key: string): boolean {
    return key === 'routing_key' || key === 'topic';
  }

  private readSecret(key: string, path: string): string | undefined {
    try {
      return this.secrets.read(path);
    } catch (error) {
      this.complain(key, `can't be read: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}

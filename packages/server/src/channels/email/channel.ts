import { createHash } from 'node:crypto';
import { isLoopback } from '../../policy/index.ts';
import type { AlertMessage } from '../shared/alert-message.ts';
import { textOf } from '../shared/alert-message.ts';
import type { Channel, Delivery } from '../shared/channel.ts';
import type { ChannelKind } from '../shared/channel-kind.ts';
import { beginningOfText } from '../shared/post.ts';

type Settings = {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'implicit' | 'none';
  readonly from: string;
  readonly to: readonly string[];
  readonly login: { readonly user: string; readonly password: string } | null;
  readonly perMinute: number;
};

const CONNECT_MS_MAX = 10_000;
const SILENCE_MS_MAX = 15_000;

/** Plain text by SMTP. A mail that is sent again has the same Message-ID, and all of one alert are one thread. */
export const emailChannel = (settings: Settings): Channel => ({
  name: settings.name,
  perMinute: settings.perMinute,
  deliver: async ({ key, alert }, { signal }) => {
    const transport = await transportOf(settings);
    const stop = (): void => transport.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await transport.sendMail(mailOf(settings, key, alert));
      return { kind: 'posted', detail: `${settings.host} took it` };
    } catch (error) {
      return failureOf(error);
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  },
});

/** Loaded only where e-mail is used. */
async function transportOf({ host, port, tls, login }: Settings) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(login && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function mailOf({ from, to }: Settings, key: string, alert: AlertMessage) {
  const thread = `<${idOf(alert.alertId)}@holter.invalid>`;
  const isUrgent = alert.severity === 'critical' && alert.action !== 'resolve';
  return {
    from,
    to: [...to],
    subject: `[Holter] ${alert.title}`,
    text: `${textOf(alert)}\n`,
    messageId: `<${idOf(key)}@holter.invalid>`,
    references: thread,
    headers: { 'X-Holter-Key': key, 'Auto-Submitted': 'auto-generated' },
    ...(isUrgent && { priority: 'high' as const }),
  };
}

const idOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** 5xx and a refused log-in are final; everything else may pass. */
function failureOf(error: unknown): Delivery {
  const { responseCode, code, response } = error as {
    readonly responseCode?: number;
    readonly code?: string;
    readonly response?: string;
  };
  const said = beginningOfText(response ?? '');
  const detail = `the mail server ${said === '' ? `can't be used (${code ?? 'no reason'})` : `answered ${said}`}`;
  const isFinal = (responseCode !== undefined && responseCode >= 500) || code === 'EAUTH';
  return { kind: isFinal ? 'refused' : 'failed', detail };
}

export const email: ChannelKind<Settings> = {
  read: (reader) => {
    const host = reader.needed('host');
    const tls = reader.word<Settings['tls']>('tls') ?? (isLoopback(host) ? 'none' : 'starttls');
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
  },
  build: emailChannel,
};

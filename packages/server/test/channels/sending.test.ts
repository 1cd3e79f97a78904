import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AlertNotice, instant } from '@holter/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandChannel } from '../../src/channels/command/channel.ts';
import { desktopChannel } from '../../src/channels/desktop/channel.ts';
import { emailChannel } from '../../src/channels/email/channel.ts';
import type { Channel, Delivery } from '../../src/channels/index.ts';
import { ntfyChannel } from '../../src/channels/ntfy/channel.ts';
import { pagerdutyChannel } from '../../src/channels/pagerduty/channel.ts';
import { messageOf } from '../../src/channels/shared/alert-message.ts';
import { pushContract } from '../../src/channels/shared/contract.ts';
import { slackChannel } from '../../src/channels/slack/channel.ts';
import { webhookChannel } from '../../src/channels/webhook/channel.ts';
import { until } from '../until.ts';
import { ntfy, pagerduty, ROUTING_KEY, SECRET, slack, webhook } from './protocols.ts';
import { fixtureOf, openStrict, type Protocol, type Received, type StrictServer } from './strict-http.ts';
import { openSmtp } from './strict-smtp.ts';

const perMinute = 60;
const onSlack = (url: string): Channel => slackChannel({ name: 'slack', url, perMinute });
const onPager = (url: string): Channel =>
  pagerdutyChannel({ name: 'pagerduty', url, routingKey: ROUTING_KEY, perMinute });
const onWebhook = (url: string): Channel => webhookChannel({ name: 'ops', url, secret: SECRET, perMinute });
const onNtfy = (url: string): Channel =>
  ntfyChannel({ name: 'ntfy', url, topic: 'holter-alerts', token: 'tk_secret', perMinute });
const byMail = (port: number): Channel =>
  emailChannel({
    name: 'mail',
    host: '127.0.0.1',
    port,
    tls: 'none',
    from: 'Holter <holter@example.org>',
    to: ['ops@example.org', 'olga@example.org'],
    login: null,
    perMinute,
  });

pushContract('slack', fixtureOf(slack, onSlack));
pushContract('pagerduty', fixtureOf(pagerduty, onPager, 202));
pushContract('ops', fixtureOf(webhook, onWebhook));
pushContract('ntfy', fixtureOf(ntfy, onNtfy));
pushContract(
  'mail',
  async () => {
    const { port, other } = await openSmtp();
    return { channel: byMail(port), other };
  },
  { canNotAskToWait: true },
);

/** What an agent may have written where a summary is made of. */
const NASTY =
  'ran curl -H "Authorization: Bearer sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789" <!channel> & <b>\u001b[2J\r\nBcc: all@example.org';

const alertOf = (more: Partial<AlertNotice> = {}): AlertNotice => ({
  alertId: 'alert/a-1',
  action: 'trigger',
  number: 1,
  topic: 'stuck_agent',
  group: 'crew',
  severity: 'critical',
  channels: ['x'],
  members: [{ agentId: 'ada', incidentId: 'ada/1', summary: NASTY, since: instant(0) }],
  count: 1,
  ...more,
});

const send = (
  channel: Channel,
  alert: AlertNotice = alertOf(),
  signal = new AbortController().signal,
): Promise<Delivery> => {
  const key = `${alert.alertId}/${alert.number}/to/${channel.name}`;
  const effect = {
    id: key,
    agentId: 'ada',
    incarnation: 0,
    executor: null,
    livesBy: 'fleet:crew',
    kind: 'notify',
    audience: 'operator',
    severity: 'critical',
    message: 'x',
    incidentId: 'ada/1',
    alert,
  } as const;
  const message = messageOf(effect, 'https://holter.example.org');
  return channel.deliver(
    { ...effect, key, noticeId: key, alert: message },
    { now: instant(1_700_000_000_000), signal },
  );
};

const any: Protocol = () => ({ key: 'any' });

describe('what arrives', () => {
  let server: StrictServer;
  const open = async (protocol: Protocol, accepted?: number): Promise<string> => {
    server = await openStrict(protocol, accepted);
    return server.url;
  };
  afterEach(() => server.other.close());

  it('Slack: blocks with a fallback, escaped, decisions as links to the page', async () => {
    const decisions = ['allow_more_time', 'terminate_and_recover'] as const;
    const delivery = await send(onSlack(await open(slack)), alertOf({ decisions }));
    expect(delivery).toEqual({ kind: 'posted', detail: 'answered 200' });
    const [received] = server.requests;
    const { body, text } = received as Received;
    expect(body.text).toContain('&lt;!channel&gt; &amp; &lt;b&gt;');
    const [header, section, links] = body.blocks as { text: { type: string; text: string } }[];
    expect(header?.text).toMatchObject({ type: 'plain_text', text: ':rotating_light: ada is stuck' });
    expect(section?.text).toMatchObject({ type: 'plain_text' });
    expect(links?.text.text).toBe(
      '<https://holter.example.org/agents/ada|Show it>  ·  ' +
        '<https://holter.example.org/agents/ada?decide=allow_more_time&amp;incident=ada%2F1|Snooze>  ·  ' +
        '<https://holter.example.org/agents/ada?decide=terminate_and_recover&amp;incident=ada%2F1|Restart>',
    );
    expect(text).not.toContain('sk-ant');
    expect(text).not.toContain('\\u001b');
  });

  it('PagerDuty: one incident from trigger to resolve', async () => {
    const channel = onPager(await open(pagerduty, 202));
    await send(channel);
    for (const action of ['repeat', 'acknowledge', 'resolve'] as const)
      expect(await send(channel, alertOf({ action }))).toMatchObject({ kind: 'posted' });
    const dedup_key = 'holter/alert/a-1';
    expect(server.requests.map(({ body }) => [body.event_action, body.dedup_key])).toEqual([
      ['trigger', dedup_key],
      ['trigger', dedup_key],
      ['acknowledge', dedup_key],
      ['resolve', dedup_key],
    ]);
    expect(server.requests[0]?.text).not.toContain('sk-ant');
  });

  it('webhook: facts with a signature over time and body', async () => {
    await send(onWebhook(await open(webhook)), alertOf({ decisions: ['recover', 'leave_down'] }));
    expect(server.requests[0]?.headers['x-holter-timestamp']).toBe('1700000000');
    expect(server.requests[0]?.body).toMatchObject({
      key: 'alert/a-1/1/to/ops',
      alertId: 'alert/a-1',
      action: 'trigger',
      topic: 'stuck_agent',
      agents: ['ada'],
      incidents: ['ada/1'],
      decisions: ['recover', 'leave_down'],
      link: 'https://holter.example.org/agents/ada',
    });
  });

  const HTTP: readonly [string, Protocol, (url: string) => Channel, number][] = [
    ['Slack', slack, onSlack, 200],
    ['PagerDuty', pagerduty, onPager, 202],
    ['webhook', webhook, onWebhook, 200],
    ['ntfy', any, onNtfy, 200],
  ];

  it.each(HTTP)(
    '%s: no secret, no control character, no half character',
    async (_name, protocol, on, accepted) => {
      const channel = on(await open(protocol, accepted));
      // Every length limit falls on an emoji, whichever half it would cut.
      const long = ['', 'x'].map((start) => `${start}${NASTY}${'😀'.repeat(3_000)}`);
      const members = long.flatMap((summary) =>
        Array.from({ length: 10 }, (_, index) => ({
          agentId: `ada-${index}`,
          incidentId: null,
          summary,
          since: instant(0),
        })),
      );
      expect(await send(channel, alertOf({ members, count: 20 }))).toMatchObject({ kind: 'posted' });
      for (const each of alertOf({ members }).members)
        expect(await send(channel, alertOf({ members: [each], group: '😀'.repeat(200) }))).toMatchObject({
          kind: 'posted',
        });
      for (const { text, body } of server.requests) {
        expect(text).not.toMatch(/sk-ant|\\u001b|\\r/);
        expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/);
      }
    },
  );

  it('several agents are one notice with a list', async () => {
    const members = ['ada', 'bob'].map((agentId) => ({
      agentId,
      incidentId: null,
      summary: 'it has been silent for 20 min',
      since: instant(0),
    }));
    await send(onSlack(await open(slack)), alertOf({ members, count: 7 }));
    expect(server.requests[0]?.body.text).toBe(
      '7 agents of group crew are stuck\nada: it has been silent for 20 min\nbob: it has been silent for 20 min\nand 5 more\nhttps://holter.example.org/incidents',
    );
  });

  it('does not follow redirects', async () => {
    const channel = onWebhook(await open(any));
    server.other.answer((response) => response.writeHead(307, { location: server.url }).end());
    expect(await send(channel)).toEqual({
      kind: 'refused',
      detail: 'it answered 307: redirects are not followed',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('shows only the beginning of an answer, on one line and without secrets', async () => {
    const channel = onWebhook(await open(any));
    server.other.answer((response) => {
      response.writeHead(500);
      response.write(`no\n\u001b[31mtoken=ghp_${'a'.repeat(36)} `);
      response.end('x'.repeat(1_000_000));
    });
    const delivery = await send(channel);
    expect(delivery).toMatchObject({
      kind: 'failed',
      detail: expect.stringMatching(/^it answered 500 \(no /),
    });
    expect(delivery.detail.length).toBeLessThan(260);
    expect(delivery.detail).not.toMatch(/ghp_|\p{Cc}/u);
  });

  it('takes an answer whose body never ends', async () => {
    const channel = onWebhook(await open(any));
    server.other.answer((response) => void response.writeHead(200).write('ok'));
    expect(await send(channel)).toMatchObject({ kind: 'posted' });
  });

  it.each<[how: string, say: (socket: import('node:net').Socket) => void]>([
    ['nonsense', (socket) => void socket.end('220 hello, this is mail\r\n\r\n')],
    ['a closed door', (socket) => void socket.destroy()],
  ])('tries again after %s, and does not tell the address', async (_how, say) => {
    const channel = onWebhook(await open(any));
    server.other.answer((response) => say(response.socket as import('node:net').Socket));
    const delivery = await send(channel);
    expect(delivery).toMatchObject({ kind: 'failed', detail: expect.stringMatching(/^it can't be reached/) });
    expect(delivery.detail).not.toContain('127.0.0.1');
  });

  it('waits for the date that the other side names', async () => {
    const channel = onWebhook(await open(any));
    const at = new Date(1_700_000_060_000).toUTCString();
    server.other.answer((response) => void response.writeHead(503, { 'retry-after': at }).end());
    expect(await send(channel)).toMatchObject({ kind: 'failed', retryAt: 1_700_000_060_000 });
  });
});

describe('e-mail', () => {
  it('is plain text whose words make no headers, with the same id for each try', async () => {
    const smtp = await openSmtp();
    const channel = byMail(smtp.port);
    expect(await send(channel)).toEqual({ kind: 'posted', detail: '127.0.0.1 took it' });
    await send(channel);
    await send(channel, alertOf({ action: 'resolve', number: 2 }));
    await smtp.other.close();
    const [first = '', second = '', third = ''] = smtp.mails;
    const header = (mail: string, name: string): string | undefined =>
      new RegExp(`^${name}: (.+)$`, 'mi').exec(mail.split('\n\n')[0] ?? '')?.[1];
    expect(header(first, 'Subject')).toBe('[Holter] ada is stuck');
    expect(header(third, 'Subject')).toBe('[Holter] Resolved: ada is stuck');
    expect(header(first, 'Message-ID')).toBe(header(second, 'Message-ID'));
    expect(header(first, 'References')).toBe(header(third, 'References'));
    expect(header(first, 'Content-Type')).toContain('text/plain');
    expect(header(first, 'Bcc')).toBeUndefined();
    expect(first).not.toContain('sk-ant');
    expect([...new Set(smtp.recipients)]).toEqual(['ops@example.org', 'olga@example.org']);
  });
});

describe('programs of this machine', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holter-channel-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const script = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const env = { PATH: process.env.PATH, HOME: '/home/olga', HOLTER_TOKEN: 'hlt_secret', DISPLAY: ':1' };

  it('a command gets the facts on its standard input, and no variable of Holter', async () => {
    const path = script('tell', `cat > "$1/facts"; env > "$1/env"`);
    const channel = commandChannel({ name: 'tell', argv: [path, folder], perMinute }, env);
    expect(await send(channel)).toMatchObject({ kind: 'posted' });
    expect(JSON.parse(readFileSync(join(folder, 'facts'), 'utf8'))).toMatchObject({
      key: 'alert/a-1/1/to/tell',
      topic: 'stuck_agent',
    });
    expect(readFileSync(join(folder, 'facts'), 'utf8')).not.toMatch(/sk-ant|\\u001b/);
    const names = readFileSync(join(folder, 'env'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names.filter((name) => !/^(?:PATH|HOME|PWD|_|SHLVL|OLDPWD)$/.test(name ?? ''))).toEqual([]);
  });

  it('a command that fails is tried again, one that is not there is not', async () => {
    const failing = script('fail', 'echo "password=hunter2hunter2 is wrong" >&2; exit 4');
    const run = (argv: readonly string[]) => send(commandChannel({ name: 'tell', argv, perMinute }, env));
    const failed = await run([failing]);
    expect(failed).toMatchObject({ kind: 'failed', detail: expect.stringContaining('ended with 4') });
    expect(failed.detail).not.toContain('hunter2');
    expect(await run([join(folder, 'none')])).toMatchObject({ kind: 'refused' });
  });

  it('a command is done when it ends, whatever it leaves running', async () => {
    const path = script('leave', `setsid sleep 600 & echo $! > "${folder}/pid"; exit 0`);
    const aborter = new AbortController();
    const channel = commandChannel({ name: 'tell', argv: [path], perMinute }, env);
    expect(await send(channel, alertOf(), aborter.signal)).toMatchObject({ kind: 'posted' });
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL');
  });

  it('a command that does not end is killed with what it has started', async () => {
    const path = script('hang', `sleep 600 & echo $! > "${folder}/pid"; wait`);
    const aborter = new AbortController();
    const channel = commandChannel({ name: 'tell', argv: [path], perMinute }, env);
    const sending = send(channel, alertOf(), aborter.signal);
    const pid = (): number => {
      try {
        return Number(readFileSync(join(folder, 'pid'), 'utf8'));
      } catch {
        return 0;
      }
    };
    await until('it has started', () => pid() > 0);
    aborter.abort();
    expect(await sending).toMatchObject({ kind: 'failed', detail: expect.stringContaining('SIGKILL') });
    await until('its child is gone', () => {
      try {
        process.kill(pid(), 0);
        return readFileSync(`/proc/${pid()}/stat`, 'utf8').includes(') Z ');
      } catch {
        return true;
      }
    });
  });

  it('the desktop is told by arguments that can not be options or markup', async () => {
    script('notify-send', `printf '%s\\n' "$@" > "${folder}/said"; echo "$DISPLAY" >> "${folder}/said"`);
    const desktop = {
      env: { ...env, PATH: `${folder}:${env.PATH}` },
      platform: 'linux',
      terminal: '/dev/null',
    };
    const channel = desktopChannel({ name: 'screen', via: 'auto', perMinute }, desktop);
    expect(await send(channel)).toMatchObject({ kind: 'posted' });
    const said = readFileSync(join(folder, 'said'), 'utf8');
    expect(said).toMatch(/^--app-name=Holter\n--urgency=critical\n--\nada is stuck\nada: ran curl/);
    expect(said).toContain('&lt;!channel&gt; &amp; &lt;b&gt;');
    expect(said.trim().endsWith(':1')).toBe(true);
    expect(said).not.toMatch(/sk-ant|[^\P{Cc}\n]/u);
  });

  it('macOS gets the words as arguments of a fixed script', async () => {
    script('osascript', `printf '%s\\n' "$@" > "${folder}/said"`);
    const desktop = { env: { PATH: `${folder}:${env.PATH}` }, platform: 'darwin', terminal: '/dev/null' };
    await send(desktopChannel({ name: 'screen', via: 'auto', perMinute }, desktop));
    const [, ...lines] = readFileSync(join(folder, 'said'), 'utf8').split('\n');
    expect(lines.slice(0, 5)).toEqual([
      'on run argv',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      'end run',
      '--',
      'ada is stuck',
    ]);
  });

  it('without a screen the terminal rings', async () => {
    const terminal = join(folder, 'tty');
    writeFileSync(terminal, '');
    const desktop = { env: {}, platform: 'linux', terminal };
    await send(desktopChannel({ name: 'screen', via: 'auto', perMinute }, desktop));
    expect(readFileSync(terminal, 'utf8')).toBe('\u001b]9;ada is stuck\u0007\u0007');
    const nowhere = { ...desktop, terminal: join(folder, 'gone', 'tty') };
    expect(await send(desktopChannel({ name: 'screen', via: 'auto', perMinute }, nowhere))).toMatchObject({
      kind: 'refused',
    });
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { effectiveSettings } from './effective.ts';
import { loadConfig, problemLine } from './load.ts';

const env = {
  SLACK: 'https://hooks.slack.com/services/T0/B0/verysecret',
  KEY: 'routing-key',
  EMPTY: '',
};
const load = (text: string) => loadConfig('holter.yaml', () => text, env);
const linesOf = (text: string): readonly string[] => {
  const loaded = load(text);
  return (loaded.kind === 'invalid' ? loaded.problems : loaded.config.warnings).map(problemLine);
};

const EVERY_TYPE = `channels:
  slack: { type: slack, url_env: SLACK }
  pagerduty: { type: pagerduty, routing_key_env: KEY }
  ops: { type: webhook, url: "http://127.0.0.1:9000/x", secret_env: KEY, per_minute: 5 }
  phone: { type: ntfy, topic_env: KEY, token_env: KEY }
  mail: { type: email, host: mail.example.org, from: holter@example.org, to: [ops@example.org], user: h, password_env: KEY }
  screen: { type: desktop }
  script: { type: command, argv: [/usr/local/bin/tell, --now] }
`;

test('every type of channel, with its secrets and defaults', () => {
  const loaded = load(EVERY_TYPE);
  if (loaded.kind === 'invalid') throw new Error(loaded.problems.map(problemLine).join('\n'));
  expect(loaded.config.channels).toEqual([
    { name: 'slack', perMinute: 10, type: 'slack', url: env.SLACK },
    {
      name: 'pagerduty',
      perMinute: 10,
      type: 'pagerduty',
      url: 'https://events.pagerduty.com/v2/enqueue',
      routingKey: 'routing-key',
    },
    { name: 'ops', perMinute: 5, type: 'webhook', url: 'http://127.0.0.1:9000/x', secret: 'routing-key' },
    {
      name: 'phone',
      perMinute: 10,
      type: 'ntfy',
      url: 'https://ntfy.sh',
      topic: 'routing-key',
      token: 'routing-key',
    },
    {
      name: 'mail',
      perMinute: 10,
      type: 'email',
      host: 'mail.example.org',
      port: 587,
      tls: 'starttls',
      from: 'holter@example.org',
      to: ['ops@example.org'],
      login: { user: 'h', password: 'routing-key' },
    },
    { name: 'screen', perMinute: 10, type: 'desktop', via: 'auto' },
    { name: 'script', perMinute: 10, type: 'command', argv: ['/usr/local/bin/tell', '--now'] },
  ]);
  const shown = JSON.stringify(effectiveSettings(loaded.config, { role: 'default', agentId: 'a' }));
  expect(shown).toContain('"url_env":"SLACK"');
  expect(shown).not.toMatch(/verysecret|routing-key|9000/);
});

describe('errors', () => {
  it.each<[why: string, channel: string, line: RegExp]>([
    ['an unknown type', '{ type: teams }', /:2:\d+ {2}channels\.x\.type must be one of slack, pagerduty/],
    ['an unknown key', '{ type: slack, ulr_env: SLACK }', /ulr_env is not a known key; did you mean url_env/],
    ['an unset secret', '{ type: slack, url_env: NOPE }', /url_env names NOPE, which is not set/],
    ['an empty secret', '{ type: slack, url_env: EMPTY }', /url_env names EMPTY, which is not set/],
    ['a secret twice', '{ type: slack, url: "https://a.b", url_env: SLACK }', /say the same; keep one/],
    ['a file that is not there', '{ type: slack, url_file: /nowhere/x }', /url_file can't be read/],
    ['no address', '{ type: slack }', /url is needed/],
    ['a wrong address', '{ type: slack, url: "hooks.slack.com" }', /must be an https address/],
    ['http to another machine', '{ type: webhook, url: "http://10.0.0.1/" }', /http only for this machine/],
    ['a user name', '{ type: webhook, url: "https://me:pw@a.b/" }', /without a user name/],
    ['a secret in the file', '{ type: webhook, url: "https://a.b", secret: x }', /secret is not a known key/],
    [
      'mail without encryption',
      '{ type: email, host: a.b, tls: none, from: a@b, to: [c@d] }',
      /only for this machine/,
    ],
    [
      'a log-in without a password',
      '{ type: email, host: a.b, from: a@b, to: [c@d], user: u }',
      /belong together/,
    ],
    [
      'a header in an address',
      '{ type: email, host: a.b, from: a@b, to: ["c@d\\nBcc: e@f"] }',
      /channels\.x\.to/,
    ],
    ['no command', '{ type: command }', /argv is needed/],
  ])('%s', (_why, channel, line) => {
    expect(linesOf(`channels:\n  x: ${channel}\n`).join('\n')).toMatch(line);
  });

  it.each(['page', 'constructor'])('a name that Holter or JavaScript uses itself: %s', (name) => {
    expect(linesOf(`channels:\n  ${name}: { type: desktop }\n`).join()).toContain(
      `${name} is not a valid name`,
    );
  });

  it('do not show what may be a secret', () => {
    const url = 'ftp://hooks.example.org/verysecret';
    expect(linesOf(`channels:\n  x: { type: slack, url: "${url}" }\n`).join()).not.toContain('verysecret');
  });
});

test('a secret can be in a file beside the configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holter-config-'));
  writeFileSync(join(folder, 'slack.url'), `${env.SLACK}\n`);
  const file = join(folder, 'holter.yaml');
  writeFileSync(file, 'channels:\n  slack: { type: slack, url_file: slack.url }\n');
  const loaded = loadConfig(file);
  rmSync(folder, { recursive: true });
  expect(loaded).toMatchObject({ kind: 'loaded', config: { channels: [{ url: env.SLACK }] } });
});

test("seed 000's routes as printed are warnings until their channels are defined", () => {
  const seed = `health_monitoring:
  alerting:
    stuck_agent:
      channels: ["slack", "pagerduty"]
      severity: "warning"
    circuit_breaker_open:
      channels: ["slack"]
      severity: "warning"
`;
  expect(linesOf(seed)).toEqual([
    'holter.yaml:4:7  health_monitoring.alerting.stuck_agent.channels names slack, pagerduty, which is not defined under channels: these alerts go nowhere',
    'holter.yaml:7:7  health_monitoring.alerting.circuit_breaker_open.channels names slack, which is not defined under channels: these alerts go nowhere',
  ]);
  expect(linesOf(`${EVERY_TYPE}${seed}`)).toEqual([]);
  expect(
    linesOf(seed.replace('channels: ["slack", "pagerduty"]', 'orchestrator: [nobody]')).join(),
  ).toContain('stuck_agent.orchestrator names nobody, which is not defined under channels');
});

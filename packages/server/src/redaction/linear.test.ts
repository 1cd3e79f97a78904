import { expect, test } from 'vitest';
import { KEY_FORMATS } from './provider-keys.ts';
import { redact } from './redact.ts';

/** What begins a secret, and what keeps a scanner reading: each alone, and each behind another. */
const units = [
  // One of each shape: formats differ in nothing else that matters here.
  ...new Map(KEY_FORMATS.map((format) => [`${format.chars} ${format.min}`, format.prefix])).values(),
  ...['eyJ-', 'eyJ.', 'eyJa.eyJ', '://a', '://a:', '://@', '-----BEGIN ', '-----BEGIN RSA PRIVATE KEY-----'],
  ...[
    '-----END RSA PRIVATE KEY-----',
    'MIIEowIBAAKCAQEA\n',
    'A\n',
    'password',
    'password=',
    'password ',
    'pass"',
  ],
  ...[
    'token:',
    'token=a.a.',
    "token='",
    'secret\\"',
    'aKey=',
    'api_key: a ',
    'auth',
    'authorization: ',
    'Bearer ',
  ],
  ...[
    'basic ',
    'cookie: a',
    'cookie:a=',
    'curl -u ',
    'curl -u a:',
    'mysql -p',
    'docker login -p ',
    'htpasswd -b ',
  ],
  ...[
    'zip -P ',
    '--password ',
    'login a password ',
    'password is ',
    ':AA',
    '12345678:AA',
    'a8Q~',
    'sig=',
    'PWD',
  ],
  ...[
    'hooks.slack.com/services/',
    'curl -b a=',
    'curl --oauth2-bearer ',
    'http -a a:',
    'openssl enc -k ',
    'gh secret set --body ',
    'identified by ',
    "identified by '",
    '<password>',
    'Bearer%20',
    'password: "a b ',
    'a',
    'A',
    '1',
    '-',
    '_',
    '.',
    '=',
    '"',
    "'",
    '`',
    '\\',
    ' ',
    '\n',
    '[redacted]',
  ],
];

const cpuMs = (text: string): number => {
  const before = process.cpuUsage();
  redact(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

const LENGTH = 65_536;
/** Four times the text is four times the work; sixteen times would be quadratic. */
const GROWTH_MAX = 9;
/** Shorter is harmless, and too short to compare. */
const SHORT_MS = 60;

/** A pause of the garbage collector looks like growth, but not three times. */
function isSteep(unit: string): boolean {
  const textOf = (length: number): string => unit.repeat(Math.ceil(length / unit.length));
  for (let look = 0; look < 3; look += 1) {
    const ms = cpuMs(textOf(LENGTH));
    if (ms <= SHORT_MS || ms <= GROWTH_MAX * cpuMs(textOf(LENGTH / 4))) return false;
  }
  return true;
}

test('work grows with the length of the text, whatever the text', () => {
  const texts = units.flatMap((unit, index) => [unit, `${unit}${units[(index * 7 + 3) % units.length]}`]);
  expect(texts.filter(isSteep)).toEqual([]);
});

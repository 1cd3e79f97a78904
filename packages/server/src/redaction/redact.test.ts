import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';
import { redactValue } from './redact-value.ts';

describe('redact', () => {
  it.each([
    [`key sk-ant-api03-${'a'.repeat(40)} leaked`, 'key [redacted] leaked'],
    [`ghp_${'A1'.repeat(18)}`, '[redacted]'],
    [`xoxb-${'1'.repeat(12)}-abc`, '[redacted]'],
    ['AKIAIOSFODNN7EXAMPLE was used', '[redacted] was used'],
    [`hlt_${'q'.repeat(43)}`, '[redacted]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '[redacted]'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [redacted]'],
    ['postgres://holter:s3cret@db/x', 'postgres://holter:[redacted]@db/x'],
    ['DB_PASSWORD=hunter2hunter2; next', 'DB_PASSWORD=[redacted]; next'],
    ['{"api_key": "abcd1234efgh"}', '{"api_key": "[redacted]"}'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----', '[redacted]'],
  ])('%s', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it.each([
    'waiting for a token from the reviewer',
    'the key to this is patience',
    'commit 4464f40f0a4dea3b3f3c1d6b5d3f2d70eea9',
    'https://example.com/a?b=c',
    'token_count 12, basic things work',
  ])('leaves alone: %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('the fields of a call', () => {
  it.each<[input: unknown, clean: unknown]>([
    [{ password: 'hunter2' }, { password: '[redacted]' }],
    [{ command: ['psql', '--password', 'hunter2'] }, { command: ['psql', '--password', '[redacted]'] }],
    [{ env: { API_KEY: 'abcd1234efgh', CI: '1' } }, { env: { API_KEY: '[redacted]', CI: '1' } }],
    [
      [{ headers: { Authorization: 'Bearer abcdef123456' } }],
      [{ headers: { Authorization: 'Bearer [redacted]' } }],
    ],
    [{ url: 'https://bob:secret@host/' }, { url: 'https://bob:[redacted]@host/' }],
  ])('%j', (input, clean) => {
    expect(redactValue(input)).toEqual(clean);
  });

  it('are the same object when there is nothing to redact', () => {
    const input = { command: 'npm test', env: { CI: '1' }, files: ['a.ts', 'b.ts'], token: null, key: 3 };
    expect(redactValue(input)).toBe(input);
  });
});

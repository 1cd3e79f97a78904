import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';

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

  it('is fast on long texts without secrets', () => {
    const startedAt = performance.now();
    for (const part of ['a', 'key ', '://a', 'eyJ.', 'pass=', '-----BEGIN '])
      redact(part.repeat(65_536 / part.length));
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  });
});

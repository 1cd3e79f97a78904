import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redact } from './redact.ts';

/**
 * Values are made up, true to their format, and kept in parts, so that no scanner takes the file for a leak. The
 * text has `{}` where the secret stands.
 */
type SecretLine = { readonly kind: string; readonly text: string; readonly secret: readonly string[] };

const linesOf = <T>(name: string): readonly T[] =>
  readFileSync(new URL(`../../../../tests/fixtures/redaction/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

const secrets = linesOf<SecretLine>('secrets.jsonl').map(({ kind, text, secret }) => {
  const value = secret.join('');
  return { kind, value, text: text.replace('{}', () => value) };
});
const harmless = linesOf<{ readonly kind: string; readonly text: string }>('harmless.jsonl');

/** Ten characters of a secret in a row are too much, beyond a prefix that all have; so is a short one as a whole. */
function isLeaked(value: string, shown: string): boolean {
  const lines = value.split(/\n|\\n/).filter((line) => !line.includes('-----'));
  return lines.some((line) => {
    for (let at = 0; at + LEAK <= line.length; at += 1)
      if (shown.includes(line.slice(at, at + LEAK))) return true;
    return line.length < LEAK && line.length > 3 && shown.includes(line);
  });
}
const LEAK = 10;

describe('the corpus of secrets and look-alikes', () => {
  test('is large enough', () => {
    expect(secrets.length).toBeGreaterThanOrEqual(150);
    expect(harmless.length).toBeGreaterThanOrEqual(300);
  });

  test('every secret is redacted', () => {
    const missed = secrets.filter(({ value, text }) => isLeaked(value, redact(text)));
    expect(missed.map(({ kind, text }) => `${kind}: ${redact(text)}`)).toEqual([]);
  });

  test('every look-alike stays as it is', () => {
    const wrong = harmless.filter(({ text }) => redact(text) !== text);
    expect(wrong.map(({ kind, text }) => `${kind}: ${redact(text)}`)).toEqual([]);
  });
});

describe('whatever the text', () => {
  const lookAlikes = harmless.map(({ text }) => text.slice(0, 200));
  const fragments = 'password token=://user:pass@ Bearer  -----BEGIN  "\\"" eyJ sk- : = \n [redacted]'.split(
    ' ',
  );
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(...secrets.map(({ text }) => text)),
    fc.constantFrom(...lookAlikes),
    fc.constantFrom(...fragments),
  );
  const texts = fc.array(piece, { maxLength: 8 });

  test('redact does not throw, and redacting again changes nothing', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom('', ' ', '\n'), (pieces, joint) => {
        const clean = redact(pieces.join(joint));
        expect(redact(clean)).toBe(clean);
      }),
      { numRuns: 2_000 },
    );
  });

  test('no line hides a secret in the line before it or behind it', { timeout: 60_000 }, () => {
    const leaks: string[] = [];
    for (const line of [...lookAlikes, ...fragments, ...secrets.map(({ text }) => text)])
      for (const { text, value } of secrets)
        for (const lines of [`${line}\n${text}`, `${text}\n${line}`])
          if (!line.includes(value) && isLeaked(value, redact(lines))) leaks.push(lines);
    expect(leaks).toEqual([]);
  });

  test('a secret between other lines is not shown', () => {
    fc.assert(
      fc.property(texts, fc.nat(secrets.length - 1), texts, (before, index, after) => {
        const secret = secrets[index];
        const shown = redact([...before, secret?.text ?? '', ...after].join('\n'));
        expect(isLeaked(secret?.value ?? '', shown)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

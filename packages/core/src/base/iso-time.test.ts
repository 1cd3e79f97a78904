import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseIsoTime } from './iso-time.ts';

describe('parseIsoTime', () => {
  test('agrees with Date', () => {
    const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(fc.property(dates, (date) => parseIsoTime(date.toISOString()) === date.getTime()));
  });

  test('agrees with Date about which days exist', () => {
    const parts = fc.tuple(fc.nat(9_999), fc.nat(13), fc.nat(32));
    fc.assert(
      fc.property(parts, ([year, month, day]) => {
        const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
        const parsed = new Date(`${text}T00:00:00Z`);
        const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
        expect(parseIsoTime(`${text}T00:00:00Z`)).toBe(exists ? parsed.getTime() : undefined);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['2026-01-24T10:00:00+02:00', '2026-01-24T08:00:00Z'],
    ['2026-01-24T10:00:00-0530', '2026-01-24T15:30:00Z'],
    ['2026-01-24 10:00:00.123456', '2026-01-24T10:00:00.123Z'],
    ['2026-01-24T10:00', '2026-01-24T10:00:00Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
  ])('reads %s as %s', (text, utc) => {
    expect(parseIsoTime(text)).toBe(Date.parse(utc));
  });

  test.each([
    '',
    'yesterday',
    '2026-01-24',
    '2026-02-30T00:00:00Z',
    '2026-01-24T25:00:00Z',
    '2026-01-24T10:00:00+99:00',
  ])('refuses %j', (text) => {
    expect(parseIsoTime(text)).toBeUndefined();
  });
});

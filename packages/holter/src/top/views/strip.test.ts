import { expect, it } from 'vitest';
import { stripCells } from './strip.ts';

const letter = (bin: { state?: number; error?: number; calls?: number; beats?: number }): string => {
  const { state = 1, error = 0, calls = 0, beats = 0 } = bin;
  return String.fromCharCode(0x30 + 32 * state + 16 * error + 4 * calls + beats);
};
const shown = (strip: string, width: number): string =>
  stripCells(strip, width)
    .map(({ glyph }) => glyph)
    .join('');

it('shows calls by their number, beats, silence, and nothing before the first sign or after the end', () => {
  const bins = [{ state: 0 }, {}, { beats: 1 }, { calls: 1 }, { calls: 2 }, { calls: 3 }, { state: 5 }];
  expect(shown(bins.map(letter).join(''), bins.length)).toBe(' ·▁▃▅█ ');
});

it('shows the most of what a cell stands for, and the worst', () => {
  const strip = letter({ beats: 1 }) + letter({ calls: 2 }) + letter({}) + letter({ error: 1 });
  expect(stripCells(strip, 2)).toEqual([
    { glyph: '▅', tone: 'calm' },
    { glyph: '·', tone: 'alarm' },
  ]);
  expect(stripCells(letter({ state: 2 }) + letter({ state: 3 }), 2).map(({ tone }) => tone)).toEqual([
    'warn',
    'alarm',
  ]);
});

it.each([1, 7, 12, 40, 120, 200])('has %i cells for an hour', (width) => {
  expect(stripCells(letter({ beats: 1 }).repeat(120), width)).toHaveLength(width);
  expect(shown('', width)).toBe(' '.repeat(width));
});

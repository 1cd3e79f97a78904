import { describe, expect, test } from 'vitest';
import { binsOf, lifeOf, stripShapes } from './strip-shapes.ts';

const letter = (state: number, { error = 0, calls = 0, beats = 0 } = {}): string =>
  String.fromCharCode(0x30 + 32 * state + 16 * error + 4 * calls + beats);
const shapesOf = (...letters: string[]) => stripShapes(binsOf(letters.join('')));

describe('the strip as paths', () => {
  test('reads back what the server wrote into a letter', () => {
    expect(binsOf(letter(3, { error: 1, calls: 2, beats: 3 }))).toEqual([
      { state: 3, hasError: true, calls: 2, beats: 3 },
    ]);
  });

  test('draws nothing where nothing is on record', () => {
    const { stretches, errors } = shapesOf(letter(0), letter(0), letter(1), letter(1));
    // Four bins are 60 units each: the line begins where the record does, and is flat.
    expect(stretches).toEqual([{ state: 'healthy', line: 'M120 27h120', bar: '' }]);
    expect(errors).toBe('');
  });

  test('beats are bumps, calls are spikes, and more calls are taller', () => {
    const line = (text: string): string => shapesOf(text).stretches[0]?.line ?? '';
    expect(line(letter(1, { beats: 1 }))).toBe('M0 27h60v-6v6h180');
    const heights = [1, 2, 3].map((calls) => Number(/h60v-([\d.]+)/.exec(line(letter(1, { calls })))?.[1]));
    expect(heights).toEqual([17.5, 21, 24.5]);
    // It comes back to the base line: what goes up comes down.
    expect(line(letter(1, { calls: 1 }))).toBe('M0 27h60v-17.5v17.5h120v5v-5h60');
    // With two pixels to a step, strokes stand in the middle of a pixel each, so that they are sharp.
    const hour = shapesOf(...Array.from({ length: 120 }, () => letter(1, { calls: 1 }))).stretches[0]?.line;
    expect(hour?.slice(0, 44)).toBe('M0 27h0.5v-17.5v17.5h1v5v-5h1v-17.5v17.5h1v5');
  });

  test('says the state as a shape too', () => {
    const { stretches } = shapesOf(letter(1), letter(2), letter(3), letter(4), letter(5));
    expect(stretches.map(({ state }) => state)).toEqual([
      'healthy',
      'degraded',
      'stuck',
      'failing',
      'terminated',
    ]);
    const pieces = stretches.map(({ bar }) => bar.split('M').length - 1);
    // 48 units each: dashes every 6, blocks every 5, one solid bar.
    expect(pieces).toEqual([0, 8, 10, 1, 0]);
  });

  test('errors are strokes below the line', () => {
    expect(shapesOf(letter(1), letter(1, { error: 1 })).errors).toBe('M180 29v9');
  });
});

test('a young agent fills its strip, in steps of five minutes', () => {
  const none = { beats: 0, calls: 0, hasError: false, state: 0 };
  const bins = (young: number) => [
    ...Array.from({ length: 120 - young }, () => none),
    ...Array.from({ length: young }, () => ({ ...none, state: 1 })),
  ];
  expect([1, 20, 21, 119, 120].map((young) => lifeOf(bins(young)).length)).toEqual([10, 20, 30, 120, 120]);
  expect(lifeOf(bins(0))).toHaveLength(120);
});

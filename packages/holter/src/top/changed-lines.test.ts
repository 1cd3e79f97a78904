import { expect, it } from 'vitest';
import { changedLines } from './changed-lines.ts';

const ESC = '\u001b';
const size = { columns: 10, rows: 3 };
const shown = (text: string): string => text.replaceAll(`${ESC}[?2026h`, '').replaceAll(`${ESC}[?2026l`, '');

it('writes the first frame whole, then only lines that differ', () => {
  const update = changedLines();
  expect(shown(update('a\nb\nc', size))).toBe(
    `${ESC}[2J${ESC}[1;1Ha${ESC}[K${ESC}[2;1Hb${ESC}[K${ESC}[3;1Hc${ESC}[K`,
  );
  expect(shown(update('a\nB\nc', size))).toBe(`${ESC}[2;1HB${ESC}[K`);
  expect(update('a\nB\nc', size)).toBe('');
});

it('clears lines that are gone, never writes below the screen, and draws all of it after a resize', () => {
  const update = changedLines();
  update('a\nb\nc\nd', size);
  expect(shown(update('a', size))).toBe(`${ESC}[2;1H${ESC}[K${ESC}[3;1H${ESC}[K`);
  expect(shown(update('a', { columns: 12, rows: 3 }))).toBe(`${ESC}[2J${ESC}[1;1Ha${ESC}[K`);
});

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { daemonDefaults, foldLook, instant } from '@holter/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Town } from '../town/town.ts';
import { ChainBook } from './chain-book.ts';
import { openBook, withChainPolicy } from './open-book.ts';

const settings = withChainPolicy(daemonDefaults);
const MOMENT = { at: instant(1_800_000_000_000), isHeld: false };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-book-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('records in the folder of the town, where agents may write, are not read, and that is said once', async () => {
  const town = new Town(join(folder, 'town'));
  mkdirSync(town.daemonFolder, { recursive: true });
  const forged = await ChainBook.open(join(town.daemonFolder, 'chain.db'), settings, () => 'id');
  const look = { at: MOMENT.at, process: '{"pid":1}', state: 'running', cpuMs: 0, tick: null } as const;
  await forged.fold('boot', MOMENT, (link, context) => foldLook(link, look, context));
  await forged.close();
  const said: string[] = [];
  const place = { town, data: join(folder, 'data'), say: (line: string) => void said.push(line) };
  for (const _ of ['the first daemon', 'the next']) {
    const book = await openBook(place, settings);
    expect([book.link('boot').look, book.link('boot').agent]).toEqual([null, null]);
    await book.close();
  }
  expect(said).toEqual([expect.stringContaining('is not used any more')]);
  expect(existsSync(join(folder, 'data', 'chains'))).toBe(true);
});

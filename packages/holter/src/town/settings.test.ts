import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minutes, seconds } from '@holter/core';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultTownSettings, readTownSettings, writeTownSettings } from './settings.ts';
import { Town } from './town.ts';

const town = new Town(mkdtempSync(join(tmpdir(), 'holter-town-')));
afterAll(() => rmSync(town.path, { recursive: true }));

const read = (text: string) => {
  writeFileSync(town.settingsFile, text);
  return readTownSettings(town);
};

describe('the settings of a town', () => {
  it('are those of its documentation, also when they were never written', () => {
    rmSync(town.settingsFile, { force: true });
    expect(readTownSettings(town)).toMatchObject({
      bootSession: 'gt-boot',
      deaconSession: 'hq-deacon',
      freshness: { staleMs: minutes(5), veryStaleMs: minutes(15) },
      tickMs: minutes(3),
      bootTtlMs: minutes(5),
    });
  });

  it('are written as they are read', () => {
    writeTownSettings(town);
    expect(readTownSettings(town)).toEqual(defaultTownSettings());
  });

  it('can be changed one by one', () => {
    expect(read('{"stale_after":"2s"}').freshness).toEqual({
      staleMs: seconds(2),
      veryStaleMs: minutes(15),
    });
  });

  it.each([
    ['not JSON', 'it is not a JSON object'],
    ['{"town":1}', 'town is not a setting'],
    ['{"tick_every":"soon"}', 'tick_every must be a time'],
    ['{"very_stale_after":"61m"}', 'very_stale_after must be a time from 1s to 60m'],
    ['{"tick_every":"1d"}', 'tick_every must be a time from 1s to 12m'],
    ['{"cycles_max":0}', 'cycles_max must be a whole number'],
    ['{"stale_after":"15m"}', 'stale_after must be shorter than very_stale_after'],
    ['{"deacon_session":"a:b"}', 'deacon_session must be a name'],
    ['{"boot_session":"hq-deacon"}', 'boot_session and deacon_session must differ'],
  ])('%s is refused', (text, because) => {
    expect(() => read(text)).toThrow(because);
  });
});

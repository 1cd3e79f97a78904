import { instant } from '@holter/core';
import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/manual-clock.ts';
import { openMemory } from '../../store/memory/index.ts';
import type { Store } from '../../store/store.ts';
import type { HttpDeps } from '../deps.ts';
import { FleetEntry } from './fleet-entry.ts';
import { BIN_MS } from './pulse.ts';
import { StripKeeper } from './strip-keeper.ts';

it('counts what other servers have heard once, a page later', async () => {
  const clock = new ManualClock(instant(10 * BIN_MS + 1_000));
  const store = openMemory();
  const server = (writer: string, its: Store) => {
    const entry = new FleetEntry('ada', clock.now());
    const engine = { isShared: true, stalls: [] };
    const deps = { engine, store: its, clock, newId: () => writer } as unknown as HttpDeps;
    return { entry, keeper: new StripKeeper(deps, new Map([['ada', entry]])) };
  };
  const a = server('a', store);
  const b = server('b', store.beside());
  for (let i = 0; i < 3; i += 1) a.entry.pulse.beat(clock.now());
  b.entry.pulse.beat(clock.now());
  b.entry.pulse.error(clock.now());
  const beats = ({ entry }: typeof a) => entry.pulse.table(clock.now()).beats.reduce((sum, n) => sum + n, 0);
  await clock.advance(BIN_MS);
  expect([beats(a), beats(b)]).toEqual([3, 1]);
  for (let half = 0; half < 4; half += 1) await clock.advance(BIN_MS);
  expect([beats(a), beats(b)]).toEqual([4, 4]);
  expect(a.entry.pulse.errorsWithinHour(clock.now())).toBe(1);
  await a.keeper.close();
  await b.keeper.close();
});

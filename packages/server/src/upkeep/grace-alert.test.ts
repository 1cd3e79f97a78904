import { expect, it } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { createLogger } from '../logging/logger.ts';
import { startGraceAlert } from './grace-alert.ts';

const MINUTE = 60_000;

it('warns once when Holter looks away too often, and again only after it was well', async () => {
  const clock = new ManualClock();
  const said: string[] = [];
  let graceShare = 0.09;
  const write = (line: string): void => {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string };
    said.push(`${level} ${msg.slice(0, 16)}`);
  };
  const stop = startGraceAlert({
    clock,
    health: () => ({ graceShare }),
    logger: createLogger({ write, isPretty: false, level: 'info' }),
  });
  const after = async (share: number) => {
    graceShare = share;
    said.length = 0;
    await clock.advance(3 * MINUTE);
    return [...said];
  };
  expect(await after(0.09)).toEqual([]);
  expect(await after(0.12)).toEqual(['40 for 12 % of the ']);
  expect(await after(0.3)).toEqual([]);
  // At the edge it neither ends nor begins anew.
  expect(await after(0.08)).toEqual([]);
  expect(await after(0.11)).toEqual([]);
  expect(await after(0.01)).toEqual(['30 Holter looks all']);
  expect(await after(0.5)).toEqual(['40 for 50 % of the ']);
  stop();
  expect(await after(0)).toEqual([]);
});

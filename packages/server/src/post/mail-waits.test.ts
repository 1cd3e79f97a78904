import { expect, it } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { MailWaits } from './mail-waits.ts';

const isHere = async () => false;

it('is told about a letter at once, and looks by itself for one that another server took in', async () => {
  const clock = new ManualClock();
  const waits = new MailWaits(clock);
  const box: string[] = [];
  const look = async () => [...box];
  expect(waits.tell('ada')).toBe(false);
  const told = waits.until('ada', 60_000, isHere, look);
  box.push('m1');
  expect(waits.tell('bob')).toBe(false);
  expect(waits.tell('ada')).toBe(true);
  expect(await told).toEqual(['m1']);
  expect(waits.tell('ada')).toBe(false);

  box.pop();
  const alone = waits.until('ada', 60_000, isHere, look);
  await clock.advance(0);
  box.push('m2');
  await clock.advance(5_000);
  expect(await alone).toEqual(['m2']);
});

it('ends when its time is over, its client is gone, or the server stops', async () => {
  const clock = new ManualClock();
  const waits = new MailWaits(clock);
  const empty = async () => [];
  const timed = waits.until('ada', 12_000, isHere, empty);
  await clock.advance(12_000);
  expect(await timed).toEqual([]);
  let isGone = false;
  const left = waits.until('ada', 60_000, async () => isGone, empty);
  isGone = true;
  await clock.advance(5_000);
  expect(await left).toEqual([]);
  const stopped = waits.until('ada', 60_000, isHere, empty);
  waits.close();
  expect(await stopped).toEqual([]);
});

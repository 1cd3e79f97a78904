import type { Clock } from '@holter/server/process';
import { expect, test } from 'vitest';
import { OutputTail } from './output-tail.ts';

/** What was sent after these pieces of output, each in one go. */
async function sent(...pieces: readonly string[]): Promise<string> {
  const texts: string[] = [];
  const clock = { after: () => () => undefined } as unknown as Clock;
  const tail = new OutputTail(clock, async (text) => void texts.push(text));
  for (const piece of pieces) tail.put(Buffer.from(piece), 1);
  await tail.close(1);
  return texts.join('');
}

const LONG = 'x'.repeat(31_990);

test('a short output is sent whole', async () => {
  expect(await sent('one\ntw', 'o\nthree')).toBe('one\ntwo\nthree');
});

test('of a flood the newest lines are sent, and no line without its beginning', async () => {
  const secret = 'password=correct-horse-battery';
  expect(await sent(`${secret}\n${LONG}\nlast\n`)).toBe(`${LONG}\nlast\n`);
  expect(await sent(secret, `${LONG}\n`, 'last')).toBe('last');
  expect(await sent(`${secret}${LONG}`, LONG, 'the rest of it\nnext\n')).toBe('next\n');
  expect(await sent(`${secret}${LONG}`)).toBe('');
});

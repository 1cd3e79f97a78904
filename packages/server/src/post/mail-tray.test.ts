import { instant } from '@holter/core';
import { expect, it } from 'vitest';
import type { StoredLetter } from '../store/letters.ts';
import { MailTray } from './mail-tray.ts';

const letter = {
  letterId: 'l1',
  from: 'deacon',
  subject: 'Routine cycle',
  content: '{"type":"handoff","message":"Two agents wait."}',
  isVerified: true,
  passed: [],
  deliveredAt: null,
} as unknown as StoredLetter;

/** A tray over a box that is looked into each time. */
function trayOver(box: () => { letters: StoredLetter[]; unverified: number }) {
  const shown: unknown[] = [];
  let now = 0;
  const tray = new MailTray({
    office: {
      unreadOf: async () => box(),
      noteShown: async (...words) => void shown.push(words),
      noteSeen: async () => undefined,
    },
    clock: { now: () => instant(now), after: () => () => undefined },
    failed: (error) => {
      throw error;
    },
  });
  /** Ten seconds later it looks again; the reply to the hook after that has what it found. */
  const next = async (): Promise<string | null> => {
    now += 10_000;
    tray.prepare('deacon');
    await Promise.resolve();
    return tray.take('deacon');
  };
  return { tray, shown, next };
}

it('tells how many letters there are of unverified senders when there are more, and not with every hook', async () => {
  let unverified = 30;
  const { next, shown } = trayOver(() => ({ letters: [], unverified }));
  expect(await next()).toBe('30 letters from senders that are not verified: holter mail list\n');
  expect(await next()).toBeNull();
  unverified = 29;
  expect(await next()).toBeNull();
  unverified = 30;
  expect(await next()).toContain('30 letters from senders');
  expect(shown).toEqual([]);
});

it('a start that was announced is shown its letters by the reply to its first hook, once', async () => {
  const { tray, shown } = trayOver(() => ({ letters: [letter], unverified: 0 }));
  tray.prepare('deacon');
  await Promise.resolve();
  expect(tray.take('deacon')).toContain('Two agents wait.');
  expect(tray.take('deacon')).toBeNull();
  expect(shown).toHaveLength(1);
});

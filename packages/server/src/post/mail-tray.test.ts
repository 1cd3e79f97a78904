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
  deliveredAt: null,
} as unknown as StoredLetter;

it('a start that was announced is shown its letters by the reply to its first hook, once', async () => {
  const shown: unknown[] = [];
  const tray = new MailTray({
    office: {
      unreadOf: async () => [letter],
      noteShown: async (...words) => void shown.push(words),
      noteSeen: async () => undefined,
    },
    clock: { now: () => instant(0), after: () => () => undefined },
    failed: (error) => {
      throw error;
    },
  });
  tray.prepare('deacon');
  await Promise.resolve();
  expect(tray.take('deacon')).toContain('Two agents wait.');
  expect(tray.take('deacon')).toBeNull();
  expect(shown).toHaveLength(1);
});

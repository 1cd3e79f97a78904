import { expect, it } from 'vitest';
import { judgeBox, judgeEcos, judgePings } from './post.ts';

const agent = (agentId: string, more: Partial<Parameters<typeof judgePings>[0][number]> = {}) => ({
  agentId,
  promises: { pongs: true },
  end: null,
  startedAt: 1_000,
  lastSignAt: 2_000,
  findings: [],
  ...more,
});
const missed = { findings: [{ kind: 'no-pong' as const }] };

it('names the agents that do not answer their pings, and says what to look at', () => {
  expect(judgePings([agent('ada', { promises: {} })])).toEqual([]);
  expect(judgePings([agent('ada'), agent('bob')])).toMatchObject([
    { about: 'pings', isFine: true, says: 'missed by none of 2 agents' },
  ]);
  expect(judgePings([agent('ada'), agent('bob', missed)])).toMatchObject([
    { isFine: false, says: 'not answered by bob', next: expect.stringContaining('watch: tasks') },
  ]);
  const never = agent('cal', { ...missed, lastSignAt: null });
  expect(judgePings([never])).toMatchObject([
    { isFine: false, next: expect.stringContaining('cal has never been heard: does it poll its box?') },
  ]);
});

it('says how many letters are unread, and complains before there is no room', () => {
  expect(judgeBox('chief', 0)).toMatchObject({ isFine: true, says: 'chief has no unread letters' });
  expect(judgeBox('chief', 26)).toMatchObject({ isFine: true, says: 'chief has 26 unread letters' });
  expect(judgeBox('chief', 899)).toMatchObject({ isFine: true });
  expect(judgeBox('chief', 900)).toMatchObject({
    isFine: false,
    says: 'chief has 900 unread letters: its box is nearly full, and then letters are refused',
    next: expect.stringContaining('holter mail list --unread --all'),
  });
});

it('says why the files of a project are not written', () => {
  const folder = '/srv/project';
  expect(judgeEcos({ ecos: null })).toEqual([]);
  expect(judgeEcos({ ecos: { folder, trouble: null } })).toMatchObject([{ isFine: true, says: folder }]);
  expect(judgeEcos({ ecos: { folder, trouble: 'read-only' } })).toMatchObject([
    { isFine: false, says: 'read-only', next: expect.stringContaining('writable') },
  ]);
});

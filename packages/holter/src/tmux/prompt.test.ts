import { ADAPTERS } from '@holter/server/adapters';
import type { Clock, ProcessTable } from '@holter/server/process';
import { expect, it } from 'vitest';
import type { PaneRow } from './pane-row.ts';
import { type Prompt, typeAtPrompt } from './prompt.ts';

const TEXT = 'Holter: the same call was made 5 times.';
const EMPTY = ['❯ ', '  ? for shortcuts'];
const PASTED = [`❯ ${TEXT}`];
const BUSY = ['❯ ', '  esc to interrupt'];
const SELF = { bootId: 'b', pid: 1, startedAt: '1' };

const row: PaneRow = {
  ...{ paneId: '%3', sessionId: '$1', sessionName: 'api', pid: 4711, dead: null, activity: 1, title: '' },
  ...{ isInMode: false, isSynchronized: false, typedAt: null, hasControlTerminal: false },
};

/** What a look sees: the screen, and what is different of the pane; null once it has closed. */
type Look = { readonly lines: readonly string[]; readonly change?: Partial<PaneRow> } | null;

/** A pane that shows one look until the paste, the next until Enter, and the last ones after it. */
function paneThatShows(looks: { readonly before: Look; readonly pasted: Look; readonly sent: Look }) {
  const keys: string[] = [];
  let now = 0;
  let look = looks.before;
  const clock = {
    now: () => now,
    after: (ms: number, callback: () => void) => {
      now += ms;
      callback();
      return () => undefined;
    },
  } as Clock;
  const pane: Prompt['pane'] = {
    paneId: '%3',
    look: async () => look && { ...row, ...look.change },
    screen: async () => look?.lines ?? [],
    paste: async (text) => {
      keys.push(text);
      look = looks.pasted;
    },
    tell: async (command, words = '') => {
      if (command !== 'send-keys') return [];
      keys.push(words);
      look = looks.sent;
      return [];
    },
  };
  const adapter = ADAPTERS.find(({ name }) => name === 'claude-code');
  if (!adapter) throw new Error('no adapter');
  const found = { adapter, process: SELF, program: 'claude', args: [], env: {}, before: [] };
  const prompt: Prompt = {
    ...{ pane, found, clock },
    sessions: { of: async () => undefined },
    typist: { self: SELF, table: {} as ProcessTable },
  };
  return { prompt, keys, waitedMs: () => now };
}

const free = { before: { lines: EMPTY }, pasted: { lines: PASTED }, sent: { lines: EMPTY } };
const hung = {
  before: { lines: BUSY },
  pasted: { lines: [...PASTED, '  esc to interrupt'] },
  sent: { lines: BUSY },
};

it.each([
  ['its prompt is empty again', EMPTY, 'which is empty again'],
  ['it works', BUSY, 'and it works'],
])('a text is delivered when %s', async (_when, lines, how) => {
  const { prompt, keys } = paneThatShows({ ...free, sent: { lines } });
  expect(await typeAtPrompt(prompt, TEXT)).toEqual({
    outcome: 'delivered',
    detail: `sent at its prompt, ${how}`,
  });
  expect(keys).toEqual([TEXT, 'Enter']);
});

it.each<[string, Look, string]>([
  ['has closed', null, 'its pane is dead'],
  ['is dead', { lines: EMPTY, change: { dead: { code: 1, signal: null } } }, 'its pane is dead'],
  ['shows something else', { lines: ['$ '] }, 'its screen is not understood'],
  ['shows the prompt of a shell', { lines: ['❯ '] }, 'its screen is not understood'],
  ['asks', { lines: ['Do you want to proceed?'] }, 'it asks for a decision now'],
  ['still shows the text', { lines: PASTED }, 'it still stands at the prompt'],
])('whether it was delivered is not known if the pane %s after Enter', async (_what, sent, why) => {
  const { prompt, keys, waitedMs } = paneThatShows({ ...free, sent });
  expect(await typeAtPrompt(prompt, TEXT)).toEqual({ outcome: 'unknown', detail: `sent, but ${why}` });
  expect(keys).toEqual([TEXT, 'Enter']);
  expect(waitedMs()).toBeGreaterThan(6_000);
});

it.each<[string, Partial<PaneRow>, string]>([
  [
    'other panes receive its keys',
    { isSynchronized: true },
    'what is typed here would go to other panes too',
  ],
  ['somebody types', { typedAt: 0 }, 'somebody is typing in its session'],
])('nothing is pressed once %s', async (_when, change, why) => {
  const waits = paneThatShows({ ...free, before: { lines: EMPTY, change } });
  expect(await typeAtPrompt(waits.prompt, TEXT)).toEqual({ wait: why });
  expect(waits.keys).toEqual([]);
  const late = paneThatShows({ ...free, pasted: { lines: PASTED, change } });
  expect(await typeAtPrompt(late.prompt, TEXT)).toEqual({
    outcome: 'unknown',
    detail: `pasted, and not sent: ${why}`,
  });
  expect(late.keys).toEqual([TEXT]);
  const later = paneThatShows({ ...hung, sent: { lines: BUSY, change } });
  expect(await typeAtPrompt(later.prompt, TEXT, true)).toEqual({
    outcome: 'delivered',
    detail: `sent at its prompt, without Escape: ${why}`,
  });
  expect(later.keys).toEqual([TEXT, 'Enter']);
});

it('one Escape follows to an agent that hangs at its model', async () => {
  const { prompt, keys } = paneThatShows(hung);
  expect(await typeAtPrompt(prompt, TEXT, true)).toMatchObject({ outcome: 'delivered' });
  expect(keys).toEqual([TEXT, 'Enter', 'Escape']);
});

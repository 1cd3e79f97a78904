import { describe, expect, it } from 'vitest';
import {
  isAtPrompt,
  type NudgeFacts,
  type SentFacts,
  TYPED_LATELY_MS,
  whyNotNudge,
  whyNotSent,
} from './nudge-gate.ts';

const pane = { dead: null, isInMode: false, isSynchronized: false, hasControlTerminal: false };

const free: NudgeFacts = {
  pane,
  screen: { state: 'idle', typed: '' },
  status: 'idle',
  typedMsAgo: null,
  mayInterrupt: false,
};

it('a nudge is pasted only at an empty prompt of an agent that is known not to ask', () => {
  expect(whyNotNudge(free)).toBeNull();
  expect(whyNotNudge({ ...free, status: undefined })).toBeNull();
  expect(whyNotNudge({ ...free, typedMsAgo: TYPED_LATELY_MS })).toBeNull();
});

it.each<[string, Partial<NudgeFacts>, string]>([
  ['a pane that has closed', { pane: null }, 'its pane is dead'],
  ['a dead pane', { pane: { ...pane, dead: { code: 0, signal: null } } }, 'its pane is dead'],
  ['copy mode', { pane: { ...pane, isInMode: true } }, 'its pane is in copy mode'],
  [
    'panes that receive the same keys',
    { pane: { ...pane, isSynchronized: true } },
    'what is typed here would go to other panes too',
  ],
  ['a screen that asks', { screen: { state: 'asking', typed: '' } }, 'it is asking for a decision'],
  [
    'a file that says it asks, whatever the screen shows',
    { status: 'waiting' },
    'it is asking for a decision',
  ],
  ['a file that says nothing', { status: null }, 'it does not say whether it is asking'],
  [
    'a screen that is not understood',
    { screen: { state: 'unknown', typed: '' } },
    'its screen is not understood',
  ],
  ['work', { screen: { state: 'busy', typed: '' } }, 'it is working'],
  ['work, by its file', { status: 'busy' }, 'it is working'],
  ['keys a moment ago', { typedMsAgo: 2_000 }, 'somebody is typing in its session'],
  [
    'a terminal whose keys have no time',
    { pane: { ...pane, hasControlTerminal: true } },
    'a terminal in control mode shows it, and somebody may be typing there',
  ],
  ['a prompt that is not known', { screen: { state: 'idle', typed: null } }, 'its prompt is not known'],
  [
    'text at the prompt',
    { screen: { state: 'idle', typed: 'half a line' } },
    'text that was not sent stands at its prompt',
  ],
])('it waits for %s', (_what, change, why) => {
  expect(whyNotNudge({ ...free, ...change })).toBe(why);
});

it('an agent that hangs at its model is typed to although it works, but not while it asks', () => {
  const hung = { ...free, mayInterrupt: true, status: 'busy', screen: { state: 'busy', typed: '' } } as const;
  expect(whyNotNudge(hung)).toBeNull();
  expect(whyNotNudge({ ...hung, status: 'waiting' })).toBe('it is asking for a decision');
  expect(whyNotNudge({ ...hung, status: null })).toBe('it does not say whether it is asking');
  expect(whyNotNudge({ ...hung, typedMsAgo: 2_000 })).toBe('somebody is typing in its session');
  expect(whyNotNudge({ ...hung, pane: { ...pane, isSynchronized: true } })).toContain('other panes');
  expect(whyNotNudge({ ...hung, screen: { state: 'busy', typed: 'half a line' } })).toContain('text');
});

describe('Enter follows only if', () => {
  const text = 'Holter: the same call was made 5 times.';

  it('this text stands at the prompt, whole, wrapped or folded by the agent', () => {
    for (const typed of [text, text.slice(0, 20), '[Pasted text #1 +3 lines]'])
      expect(isAtPrompt({ state: 'unknown', typed }, text)).toBe(true);
  });

  it('no prompt has come up meanwhile, and nobody has typed before it', () => {
    expect(isAtPrompt({ state: 'asking', typed: text }, text)).toBe(false);
    expect(isAtPrompt({ state: 'idle', typed: '' }, text)).toBe(false);
    expect(isAtPrompt({ state: 'unknown', typed: null }, text)).toBe(false);
    expect(isAtPrompt({ state: 'unknown', typed: `rm -rf ${text}` }, text)).toBe(false);
  });
});

describe('a text counts as sent only if', () => {
  const text = 'Holter: the same call was made 5 times.';
  const sent: SentFacts = { screen: { state: 'idle', typed: '' }, isOpen: true, wasBusy: false };

  it('the prompt is empty again, or the agent has begun to work', () => {
    expect(whyNotSent(sent, text)).toBeNull();
    for (const typed of ['', null])
      expect(whyNotSent({ ...sent, screen: { state: 'busy', typed } }, text)).toBeNull();
    expect(whyNotSent({ ...sent, screen: { state: 'busy', typed: '' }, wasBusy: true }, text)).toBeNull();
  });

  it.each<[string, Partial<SentFacts>, string]>([
    ['its pane has died', { isOpen: false }, 'its pane is dead'],
    ['it stands there', { screen: { state: 'unknown', typed: text } }, 'it still stands at the prompt'],
    ['it asks', { screen: { state: 'asking', typed: null } }, 'it asks for a decision now'],
    [
      'the screen is not understood',
      { screen: { state: 'unknown', typed: '' } },
      'its screen is not understood',
    ],
    [
      'something else stands there',
      { screen: { state: 'idle', typed: 'half a line' } },
      'its prompt was not seen empty again',
    ],
    [
      'it worked before, and shows no prompt',
      { screen: { state: 'busy', typed: null }, wasBusy: true },
      'its prompt was not seen empty again',
    ],
  ])('not while %s', (_what, change, why) => {
    expect(whyNotSent({ ...sent, ...change }, text)).toBe(why);
  });
});

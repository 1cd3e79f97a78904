import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ADAPTERS } from '@holter/server/adapters';
import { describe, expect, it } from 'vitest';
import { whyNotNudge } from './nudge-gate.ts';
import { printOf, readScreen } from './screen.ts';

const adapters = fileURLToPath(new URL('../../../server/src/adapters', import.meta.url));

type Recording = { readonly name: string; readonly title: string; readonly lines: readonly string[] };

/** Screens of the real agent; the first line is the title of its terminal. */
function recordingsOf(adapter: string): readonly Recording[] {
  const folder = `${adapters}/${adapter}/fixtures/screens`;
  return readdirSync(folder).map((file) => {
    const [title = '', ...lines] = readFileSync(`${folder}/${file}`, 'utf8').split('\n');
    return { name: file.replace('.txt', ''), title, lines };
  });
}

const pane = { dead: null, isInMode: false, isSynchronized: false, hasControlTerminal: false };
const marks = ADAPTERS.find(({ name }) => name === 'claude-code')?.screen;
const recordings = recordingsOf('claude-code');
const recorded = (name: string): Recording => {
  const found = recordings.find((each) => each.name === name);
  if (!found) throw new Error(`no recording ${name}`);
  return found;
};
const read = ({ lines, title }: Recording) => readScreen(marks, lines, title);

describe('the recorded screens of Claude Code', () => {
  it.each([
    ['idle-fresh', { state: 'idle', typed: '' }],
    ['idle', { state: 'idle', typed: '' }],
    ['busy', { state: 'busy', typed: '' }],
    ['typed', { state: 'unknown', typed: 'half a line' }],
    ['pasted', { state: 'unknown', typed: 'Holter: the same call was made 5 times.' }],
  ])('%s', (name, screen) => {
    expect(read(recorded(name))).toEqual(screen);
  });

  it('a permission prompt is asking, although its title is that of an idle session', () => {
    expect(recorded('asking').title).toBe(recorded('idle').title);
    expect(read(recorded('asking')).state).toBe('asking');
  });

  it('a permission prompt stays asking, whatever else stands on the screen', () => {
    const { lines, title } = recorded('asking');
    for (const mark of ['? for shortcuts', 'esc to interrupt', '❯ '])
      expect(readScreen(marks, [...lines, mark], title).state).toBe('asking');
  });
});

const WITHOUT_PROMPT = ['codex', 'gemini-cli', 'opencode'];
const screenOf = (name: string) => ADAPTERS.find((each) => each.name === name)?.screen;

it.each([
  ['codex', 'shop', '› ', 'unknown'],
  ['gemini-cli', '✦ Working… (town)', '⠏ Thinking (esc to cancel, 3s)', 'busy'],
  ['gemini-cli', '✋ Action Required (town)', '', 'asking'],
  ['gemini-cli', '◇ Ready (town)', ' > ', 'idle'],
  ['gemini-cli', '◇ Ready (town)', 'esc to cancel', 'busy'],
  ['gemini-cli', 'town', '◇ Ready', 'unknown'],
  ['opencode', 'OpenCode', '■■⬝⬝ esc interrupt', 'busy'],
  ['opencode', 'OpenCode', '△ Permission required', 'asking'],
  ['opencode', 'OpenCode', '┃ Ask anything…', 'unknown'],
])('%s: %s, %s is %s, and never a prompt at which Holter types', (name, title, line, state) => {
  expect(readScreen(screenOf(name), [line], title)).toEqual({ state, typed: null });
});

describe.each(WITHOUT_PROMPT)('the noted screens of %s', (name) => {
  it.each(recordingsOf(name))('$name', ({ name: noted, lines, title }) => {
    const screen = readScreen(screenOf(name), lines, title);
    // Codex is idle by a title without a spinner, which is no mark.
    const state = name === 'codex' && noted === 'idle' ? 'unknown' : noted;
    expect(screen).toEqual({ state, typed: null });
    const facts = { pane, screen, status: undefined, typedMsAgo: null, mayInterrupt: true };
    expect(whyNotNudge(facts)).not.toBeNull();
  });
});

it('one Escape cancels a request of these agents; opencode has to be aborted', () => {
  const names = ADAPTERS.filter(({ screen }) => screen?.hasEscape).map(({ name }) => name);
  expect(names.sort()).toEqual(['claude-code', 'codex', 'gemini-cli']);
});

it('a screen without marks, an empty one and one of an agent without marks are unknown', () => {
  expect(readScreen(marks, ['$ ls', 'a b', '$ '], 'sh').state).toBe('unknown');
  expect(readScreen(marks, [], '').state).toBe('unknown');
  expect(readScreen(undefined, recorded('idle').lines, '').state).toBe('unknown');
});

it('marks that an agent has printed long ago do not count', () => {
  const old = ['  esc to interrupt', ...Array.from({ length: 15 }, (_, n) => `line ${n}`)];
  expect(readScreen(marks, [...old, ...recorded('idle').lines], '').state).toBe('idle');
});

it('a hint in faint letters is not what somebody has typed', () => {
  const hint = '❯ \u001b[2mTry "fix the tests"\u001b[22m';
  const below = '  \u001b[38;5;246m? for shortcuts\u001b[39m';
  expect(readScreen(marks, [hint, below], '')).toEqual({ state: 'idle', typed: '' });
  const coloured = '❯ \u001b[38;5;2mmy own words\u001b[0m';
  expect(readScreen(marks, [coloured, below], '').typed).toBe('my own words');
});

describe('activity', () => {
  const screen = (spinner: string, words: string): readonly string[] => [
    `● ${words}`,
    `${spinner} · esc to interrupt`,
    '❯ ',
    'it is 10:03:22',
  ];
  const first = printOf(marks, screen('✶ Kneading… (3s)', 'Let me see.'), null);

  it('is not a spinner, a clock or a counter of seconds', () => {
    const lines = [...screen('✻ Crystallizing… (41s)', 'Let me see.').slice(0, 3), 'it is 10:04:57'];
    expect(printOf(marks, lines, first).exact).toBe(first.exact);
  });

  it('is anything else that is printed', () => {
    expect(printOf(marks, screen('✶ Kneading… (3s)', 'Found it.'), first).exact).not.toBe(first.exact);
  });
});

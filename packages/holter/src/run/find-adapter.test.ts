import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, test } from 'vitest';
import { AGENT_KINDS, findAdapter } from './find-adapter.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-wrapped-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const nameOf = (kind: string, ...argv: readonly string[]): string | undefined =>
  findAdapter(kind, argv).adapter?.name;

it('goes by the name of the program, or by what it is told', () => {
  expect(nameOf('auto', '/usr/bin/claude')).toBe('claude-code');
  expect(nameOf('auto', '/usr/bin/node')).toBeUndefined();
  expect(nameOf('claude-code', '/opt/wrapper')).toBe('claude-code');
  expect(nameOf('command', '/usr/bin/claude')).toBeUndefined();
  expect(AGENT_KINDS.slice(0, 2)).toEqual(['auto', 'claude-code']);
});

test.each([
  ['/usr/bin/env X=1 CLAUDE_CONFIG_DIR=/c claude -p hi', 3, { X: '1', CLAUDE_CONFIG_DIR: '/c' }],
  ['env -u OLD -- X=1 claude -p hi', 5, { X: '1' }],
  ['timeout -k 5s 1h claude -p hi', 4, {}],
  ['timeout --signal=INT 1h /opt/claude -p hi', 3, {}],
  ['nice -n5 ionice -c 3 claude -p hi', 5, {}],
  ['nohup claude -p hi', 1, {}],
  ['npx claude -p hi', 1, {}],
  ['npx -y @anthropic-ai/claude-code@latest -p hi', 2, {}],
  ['npx --package=@anthropic-ai/claude-code -- claude -p hi', 3, {}],
  ['env X=1 timeout 1h nice claude -p hi', 5, { X: '1' }],
])('behind a wrapper: %s', (line, before, variables) => {
  const words = line.split(' ');
  for (const kind of ['auto', 'claude-code']) {
    const found = findAdapter(kind, words);
    expect(found.adapter?.name).toBe('claude-code');
    expect(found).toMatchObject({ before: words.slice(0, before), args: ['-p', 'hi'], variables });
    expect([...found.before, found.program, ...found.args]).toEqual(words);
  }
});

test.each([
  ['env -i claude -p hi', 'env'],
  ['env -S "claude -p" hi', 'env'],
  ['sudo -u me claude -p hi', 'sudo'],
  ['sh -c claude -p hi', 'sh'],
  ['timeout 1h sudo claude', 'sudo'],
])('hidden, and said to be: %s', (line, by) => {
  const words = line.split(' ').map((word) => word.replaceAll('"', ''));
  expect(findAdapter('auto', words)).toMatchObject({ adapter: null, hidden: 'claude' });
  expect(() => findAdapter('claude-code', words)).toThrow(`can't find the agent behind ${by}`);
});

it('a command that merely names an agent is none', () => {
  for (const line of ['grep claude notes.txt', 'make test', 'timeout 1h make claude', 'env'])
    expect(findAdapter('auto', line.split(' '))).toMatchObject({ adapter: null, hidden: null });
});

it('a script that ends in exec is the agent if it passes all its arguments on', () => {
  const plain = script('plain', '#!/usr/bin/env bash\nexport X=1\nexec /opt/claude "$@"\n');
  expect(findAdapter('auto', [plain, '-p', 'hi'])).toMatchObject({
    adapter: { name: 'claude-code' },
    program: plain,
    args: ['-p', 'hi'],
  });
  const fixed = script('fixed', '#!/bin/sh\nexec claude -p "fix it"\n');
  expect(findAdapter('auto', [fixed])).toMatchObject({ adapter: null, hidden: 'claude' });
  const other = script('other', '#!/bin/sh\nclaude --version\nmake\n');
  expect(findAdapter('auto', [other])).toMatchObject({ adapter: null, hidden: null });
});

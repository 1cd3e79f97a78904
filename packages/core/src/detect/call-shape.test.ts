import { expect, test } from 'vitest';
import { commandOf, isEditCall, isThoughtCall, isWaitCall, labelOf, placesKey } from './call-shape.ts';
import { argumentsText } from './canonical-arguments.ts';
import { COMMENTARY } from './commentary.ts';

test.each([
  ['Claude', { file_path: 'a.ts', old_string: 'x', new_string: 'y' }],
  ['a whole file', { path: 'a.ts', content: 'x' }],
  ['an editor of verbs', { command: 'str_replace', path: 'a.ts', old_str: 'x', new_str: 'y' }],
  ['a diff', { path: 'a.ts', diff: '<<<' }],
  ['a patch', { input: '*** Begin Patch\n*** Update File: a.ts\n' }],
  ['a notebook', { notebook_path: 'a.ipynb', new_source: '1' }],
  ['instructions', { target_file: 'a.ts', instructions: 'x', code_edit: 'y' }],
  ['sed in place', { command: 'sed -i s/a/b/ a.ts' }],
  ['a redirection', { command: ['bash', '-lc', 'echo 1 > a.txt'] }],
  ['an installation', { cmd: 'npm install zod' }],
])('an edit by its shape: %s', (_, input) => {
  expect(isEditCall(input)).toBe(true);
});

test.each([
  ['a read', { file_path: 'a.ts', offset: 1 }],
  ['a search', { pattern: 'x', path: 'src' }],
  ['a view', { command: 'view', path: 'a.ts' }],
  ['errors thrown away', { command: 'grep x . 2>/dev/null' }],
  ['a comparison', { command: 'awk "$1 >= 3" a.txt' }],
])('no edit: %s', (_, input) => {
  expect(isEditCall(input)).toBe(false);
});

test('a wait is recognised by its words, and one second is no wait', () => {
  expect(isWaitCall('Bash', { command: 'sleep 60 && gh pr checks' })).toBe(true);
  expect(isWaitCall('Bash', { command: 'sleep 2; cat status' })).toBe(true);
  const kept = 'sleep 5; gh run view 7 --json status > /tmp/run.json; jq .status /tmp/run.json';
  expect(isWaitCall('Bash', { command: kept })).toBe(true);
  expect(isWaitCall('Bash', { command: 'sleep 5; make > build.log' })).toBe(false);
  expect(isWaitCall('Bash', { command: 'sleep 1; curl x' })).toBe(false);
  expect(isWaitCall('Bash', { command: './server & sleep 3; curl x' })).toBe(false);
  expect(
    ['wait', 'BashOutput', 'get_task_output', 'buildStatus', 'poll_job'].every((tool) =>
      isWaitCall(tool, {}),
    ),
  ).toBe(true);
  expect(['Bash', 'read_file', 'statusline'].some((tool) => isWaitCall(tool, {}))).toBe(false);
  expect(isWaitCall('Bash', { command: 'git status' })).toBe(false);
});

test('a thought is a call with text only', () => {
  expect(isThoughtCall('think', { thought: 'hm' })).toBe(true);
  expect(isThoughtCall('think', { text: 'hm' })).toBe(true);
  expect(isThoughtCall('Bash', { command: 'ls' })).toBe(false);
});

test('places are paths, not patterns', () => {
  const at = (pattern: string, path: string): number => placesKey('grep', { pattern, path });
  expect(at('a.b', 'src/x')).toBe(at('c.d', 'src/x'));
  expect(at('a', 'src/x')).not.toBe(at('a', 'src/y'));
});

test('a label is short, printable and recognisable', () => {
  expect(labelOf('Bash', 'npm test', { command: 'npm test' })).toBe('npm test');
  expect(labelOf('Read', '', { file_path: 'src/a.ts' })).toBe('Read src/a.ts');
  expect(labelOf('editor', 'view', { command: 'view', path: 'a.ts' })).toBe('view a.ts');
  expect(labelOf('Bash', `echo \u001b[31m\`x\` ${'y'.repeat(99)}`, {})).toMatch(/^echo \[31m x y+…$/);
  expect(commandOf({ command: ['bash', '-lc', 'make'] })).toBe('make');
});

test('comments on a call are found in its JSON as well', () => {
  for (const key of COMMENTARY)
    expect(argumentsText({ [key]: 'as before', command: 'ls' })).toBe('{"command":"ls"}');
});

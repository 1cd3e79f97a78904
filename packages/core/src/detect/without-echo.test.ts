import { expect, test } from 'vitest';
import { call, failing, judge, repeat } from '../../test/detect/runs.ts';
import { withoutEcho } from './without-echo.ts';

test('values of the call are taken out where they stand alone', () => {
  expect(withoutEcho('run 7: 17 files, v7 (7)', ['7'])).toBe('run #: 17 files, v7 (#)');
  expect(withoutEcho('id 8f3a-11 of 8f3a', ['8f3a-11'])).toBe('id #-# of #');
  expect(withoutEcho('nothing of it', ['7'])).toBe('nothing of it');
  expect(withoutEcho('7 '.repeat(4_000), ['7'])).toBe('7 '.repeat(4_000));
});

test.each([
  ['printed after the work', (n: number) => call(`./status; echo ${n}`, `queued\n${n}`)],
  [
    'printed before it',
    (n: number) => failing(`echo "attempt ${n}" && make`, `attempt ${n}\nmake: *** [all] Error 2`),
  ],
  [
    'sent and returned',
    (n: number) => call(`curl http://api/jobs?nonce=${n}x`, `{"nonce":"${n}x","jobs":[]}`),
  ],
  [
    'an argument that is returned',
    (n: number) => call('', `try ${n}: queue is full`, { tool: 'send', input: { to: 'ops', attempt: n } }),
  ],
])('a counter that the result repeats does not hide a loop: %s', (_, make) => {
  expect(judge(repeat(6, (index) => make(index + 1))).worst).toBe('act');
});

test.each([
  ['pages', (n: number) => call(`echo page ${n}; curl http://a/items?page=${n}`, `page ${n}\nitem-${n * 3}`)],
  ['results that rise beside it', (n: number) => call(`npm test; echo ${n}`, `${n * 3} passed\n${n}`)],
  ['levels that are set', (n: number) => call(`echo ${n} > level; ./measure`, `level ${n}: ${n * 1.5} ms`)],
])('work that is numbered is none: %s', (_, make) => {
  expect(judge(repeat(6, (index) => make(index + 1))).worst).toBe('none');
});

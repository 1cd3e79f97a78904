import { expect, test } from 'vitest';
import { hasGrown, isSameResult, readResult as read } from './normal-result.ts';

const readResult = (output: string) => read(output, null);

const same = (before: string, now: string): boolean => isSameResult(readResult(before), readResult(now));
const listing = (count: number): string =>
  [...Array.from({ length: 40 }, (_, index) => `a${index}/File${index}.class`), `${count} daemon.log`].join(
    '\n',
  );

test.each([
  ['a clock', 'at 2025-06-03T09:12:35.649Z', 'at 2025-06-03T10:00:01.002Z'],
  ['a date and a time', '2025-06-03 09:12:00 INFO up', '2026-01-02 19:00:59 INFO up'],
  ['a duration', '44 passed in 7.27s', '44 passed in 912ms'],
  ['a duration in words', 'failed after 5 ms', 'failed after 19 seconds'],
  ['a process id', 'listening, pid 26915', 'listening, pid 11020'],
  ['an ephemeral port', 'dial [::1]:55191->[::1]:5432', 'dial [::1]:44416->[::1]:5432'],
  ['a uuid', 'id ae08263a-c0aa-0a10-b334-2cf590f78318 ok', 'id 41e96e80-f589-346e-423b-b68dc5bd6c11 ok'],
  ['a hash', 'trace=4ab483ed41ed4c1c', 'trace=14dd3f0a6972c4c1'],
  ['an address', '<object at 0x7f1c22>', '<object at 0x7ffd01>'],
  ['a temporary folder', 'wrote /tmp/x8fk2/out.json', 'wrote /tmp/pytest-of-me/run-7/out.json'],
  ['a shell job', '[1] 16477', '[2] 19449'],
  ['colours and blanks', '\u001b[31mred\u001b[0m  one\r\n', 'red one\n'],
  ['a progress bar', 'a\rab\rabc done', 'abc done'],
  ['a spinner', '⠋ working', '⠙ working'],
  [
    'two footers',
    '1. page\n\nRemaining searches: 49/50 · session ab12cd\n\n---\nrequest 7 took 85 ms',
    '1. page\n\nRemaining searches: 48/50 · session 34ef56\n\n---\nrequest 8 took 9 ms',
  ],
  ['a ruled footer', 'none\n\n---\nnode-9 took 85 ms', 'none\n\n---\nnode-3 took 9 ms'],
  [
    'a bracketed footer',
    '{}\n[context left: 80.9% · tokens used: 18233]',
    '{}\n[context left: 75.3% · tokens used: 24343]',
  ],
  ['a count in a long listing', listing(5120), listing(5123)],
  ['a seed', 'Random seed 4711\n1 failed', 'Random seed 99\n1 failed'],
])('%s is not news', (_, before, now) => {
  expect(same(before, now)).toBe(true);
});

test.each([
  ['a percentage', '4.2%', '6.5%'],
  ['blocks done of blocks total', '137|4810', '232|4810'],
  ['a count of problems', '✖ 92 problems', '✖ 85 problems'],
  ['another error code', 'error TS1192: no default', 'error TS2614: no default'],
  ['a measured duration', 'p99 212.0ms', 'p99 156.9ms'],
  ['an answer where there was none', '', '10.4.0.17'],
  ['a word', 'state: queued', 'state: running'],
  ['a short count', '3 rows', '4 rows'],
])('%s is news', (_, before, now) => {
  expect(same(before, now)).toBe(false);
});

test('a log that keeps its last line and adds others has grown, even when only its clock moves', () => {
  const before = '2025-06-03 09:12:00 tick\n2025-06-03 09:12:10 tick';
  const now = '2025-06-03 09:12:10 tick\n2025-06-03 09:12:20 tick';
  expect(same(before, now)).toBe(true);
  expect(hasGrown(readResult(before).lastLine, now)).toBe(true);
  expect(hasGrown(readResult(before).lastLine, before)).toBe(false);
});

test('gauges are read outside of accounts and footers', () => {
  expect(readResult('8 failed, 36 passed in 2 s').gauge).toEqual({ bad: 8, good: 36, share: -1 });
  expect(readResult('due to 11 previous errors').gauge.bad).toBe(11);
  expect(readResult('done 4 of 16').gauge.share).toBe(0.25);
  expect(readResult('body\nbudget: 3/50 calls left').gauge.share).toBe(-1);
});

test('a result of any size is read in bounded time, and its length still counts', () => {
  expect(same('x '.repeat(100_000), 'x '.repeat(100_001))).toBe(false);
});

test('a green run of Go is a test run', () => {
  expect(readResult('ok  \tshop\t0.1s')).toMatchObject({ isTest: true, gauge: { bad: 0, good: 1 } });
  expect(readResult('ok then').isTest).toBe(false);
});

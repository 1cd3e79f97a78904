import { expect, it } from 'vitest';
import { prettyLine } from './pretty-log.ts';

it('writes a record as one line', () => {
  const record = {
    level: 40,
    time: 1_000,
    agentId: 'ada',
    msg: 'NOTICE look',
    cid: 'c1',
    reason: 'two words',
  };
  expect(prettyLine(JSON.stringify(record), false)).toBe(
    '00:00:01 warn  ada NOTICE look cid=c1 reason="two words"',
  );
});

it('takes the power out of control characters, and the length out of essays', () => {
  const line = prettyLine(
    JSON.stringify({ level: 30, time: 0, msg: `\u001b[2J\n${'x'.repeat(500)}` }),
    false,
  );
  expect(line).toMatch(/^00:00:00 info {2}·\[2J x+…$/);
  expect(line.length).toBeLessThan(200);
});

it('passes on what is no record', () => {
  expect(prettyLine('hello\n', true)).toBe('hello');
});

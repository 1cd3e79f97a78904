import { describe, expect, it } from 'vitest';
import { fillIn, wordsOf } from './words-of.ts';

describe('a command line', () => {
  it.each([
    ['a b  c', ['a', 'b', 'c']],
    [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
    [`a "b \\"c\\"" d\\ e ''`, ['a', 'b "c"', 'd e', '']],
    [`a$HOME * | ; b`, ['a$HOME', '*', '|', ';', 'b']],
    [`--x='y z'`, ['--x=y z']],
  ])('%s', (line, words) => {
    expect(wordsOf(line)).toEqual(words);
  });

  it('is refused when a quote is open, or when it is empty', () => {
    expect(() => wordsOf(`a 'b`)).toThrow('not closed');
    expect(() => wordsOf('  ')).toThrow('empty');
  });

  it('keeps what is filled in as one word', () => {
    const values = {
      agent: 'a',
      task: 'x; rm -rf /',
      checkpoint: '/tmp/c d',
      attempt: '2',
      reason: '$(id) "x"',
    };
    expect(fillIn(['go', '--from={checkpoint}', '{task}', '{other}', '--why={reason}'], values)).toEqual([
      'go',
      '--from=/tmp/c d',
      'x; rm -rf /',
      '{other}',
      '--why=$(id) "x"',
    ]);
  });

  it('has the reason as an argument of its own, never inside a script', () => {
    expect(wordsOf('go {reason} --why={reason}')).toEqual(['go', '{reason}', '--why={reason}']);
    expect(() => wordsOf(`sh -c 'go {reason}'`)).toThrow('an argument of its own');
  });
});

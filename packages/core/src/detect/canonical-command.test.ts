import { expect, test } from 'vitest';
import { canonicalCommand, withoutComments } from './canonical-command.ts';

test.each([
  ['a comment', 'cat a.log # try 7', 'cat a.log'],
  ['a comment on a line of its own', '# look again (7)\ncat a.log', 'cat a.log'],
  ['blanks', '  cat   a.log\t', 'cat a.log # x'],
  ['true', 'true; cat a.log', 'cat a.log; true'],
  ['true with a word', 'true 17 && cat a.log', 'cat a.log'],
  ['a colon with a counter', ': 17; cat a.log', 'cat a.log'],
  ['a variable that nothing reads', 'n=17; cat a.log', 'cat a.log'],
  ['a test of nothing', 'test 1 = 1 && cat a.log', '[ x == x ] && cat a.log'],
  ['an echo to nowhere', 'echo x81f >/dev/null; cat a.log', 'cat a.log && echo 12 > /dev/null'],
  ['the same folder', 'cd . && cat a.log', 'cat a.log'],
  ['a pause of a moment', 'sleep 0.3; cat a.log', 'cat a.log'],
  ['another spelling of a path', 'cat ./logs//a.log', 'cat ./logs/./a.log'],
  ['a pipe into cat', 'make status 2>&1 | cat', 'make status'],
  ['an unused reason to fail', 'cat a.log || true', 'cat a.log'],
  ['a counter of attempts', './probe --attempt 7', './probe --attempt 8'],
  ['a variable that counts', 'ATTEMPT=7 ./probe', 'ATTEMPT=8 ./probe'],
  ['a random suffix', 'curl -s http://api/jobs?nonce=8f3ac', 'curl -s http://api/jobs?nonce=1b22e'],
  ['a cache buster', "curl 'http://api/jobs?x=1&_=171'", "curl 'http://api/jobs?x=1&_=172'"],
])('%s makes no difference', (_, one, other) => {
  expect(canonicalCommand(one)).toBe(canonicalCommand(other));
});

test.each([
  ['another window', 'sed -n 1,50p a.ts; true', 'sed -n 51,100p a.ts; true'],
  ['another host', 'ping -c1 host-1 # a', 'ping -c1 host-2 # a'],
  ['another run', './logs --run-id 17', './logs --run-id 18'],
  ['another trace', 'curl http://api/t?trace_id=8f3a', 'curl http://api/t?trace_id=1b22'],
  ['another moment', './usage --ts=1700000000', './usage --ts=1700003600'],
  ['another test', 'test -f a && ls', 'test -f b && ls'],
  ['a sign in quotes', 'grep "a # b" x', 'grep "a # c" x'],
  ['quotes of a comment', "git commit -m 'fix #1'", "git commit -m 'fix #2'"],
  ['a heading in a here-document', 'cat > a.md <<EOF\n# One\nEOF', 'cat > a.md <<EOF\n# Two\nEOF'],
  ['a colour', 'echo "#fff"; ls', 'echo "#000"; ls'],
  ['a url', 'curl http://a/x; ls', 'curl http:/a/x; ls'],
  ['a variable that is read', 'n=1; cat $n.log', 'n=2; cat $n.log'],
  ['one in braces', ['n=1; cat $', '{n}.log'].join(''), ['n=2; cat $', '{n}.log'].join('')],
  ['one of a program', 'PORT=1 ./serve; ls', 'PORT=2 ./serve; ls'],
  ['another condition', 'a && b; c', 'a || b; c'],
  ['a long pause', 'sleep 5; ls', 'ls; true'],
])('%s makes one', (_, one, other) => {
  expect(canonicalCommand(one)).not.toBe(canonicalCommand(other));
});

test('a program loses its comments and keeps its indentation and its quotes', () => {
  const code = (count: number, quote: string): string =>
    `# try ${count}\nif x:\n  look() # ${count}\n  say("# ${quote}")`;
  expect(withoutComments(code(1, 'a'))).toBe(withoutComments(code(2, 'a')));
  expect(withoutComments(code(1, 'a'))).not.toBe(withoutComments(code(1, 'b')));
  expect(withoutComments(code(1, 'a'))).toContain('\n  look()');
});

test('takes linear time for long and hostile commands', () => {
  for (const part of [
    '# ',
    'true;',
    '"',
    '\\',
    '| cat ',
    '/./',
    '--attempt ',
    ': ',
    '> /dev/null ',
    '_=',
    'echo ',
  ])
    for (const read of [canonicalCommand, withoutComments])
      expect(read(part.repeat(3_000).slice(0, 3_999)).length).toBeLessThan(4_000);
});

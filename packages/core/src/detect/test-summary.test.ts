import { expect, test } from 'vitest';
import { readTestSummary } from './test-summary.ts';

const TAP = `TAP version 13
# Subtest: adds
    # Subtest: zero
    not ok 1 - zero
ok 1 - adds
not ok 2 - rounds
  ---
  duration_ms: 0.5
  ...
1..2
`;

test.each([
  ['TAP without a tally', TAP, 1, 1],
  ['TAP of node:test', `${TAP}# tests 3\n# suites 0\n# pass 1\n# fail 2\n# cancelled 0\n`, 1, 2],
  ['node:test on a terminal', 'ℹ tests 12\nℹ suites 0\nℹ pass 10\nℹ fail 2\nℹ duration_ms 71.2', 10, 2],
  [
    'pytest',
    '==== short test summary info ====\nFAILED a.py::b\n==== 2 failed, 10 passed in 0.31s ====',
    10,
    2,
  ],
  ['pytest, all green', '============== 44 passed, 1 skipped in 7.27s ==============', 44, 0],
  ['quiet pytest', '..F\n1 failed, 2 passed in 0.12s', 2, 1],
  ['pytest that cannot collect', '=========== 1 error in 0.20s ===========', 0, 1],
  [
    'Jest',
    'Test Suites: 1 failed, 3 passed, 4 total\nTests:       1 failed, 2 skipped, 12 passed, 15 total\nTime: 1 s',
    12,
    1,
  ],
  [
    'Vitest',
    ' Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 12 passed (13)\n   Start at  10:00',
    12,
    1,
  ],
  [
    'Vitest in colour',
    '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m7 passed\u001b[39m\u001b[22m (7)',
    7,
    0,
  ],
  ['Mocha', '  sums\n    ✔ adds\n\n  12 passing (30ms)\n  2 failing\n\n  1) sums\n       rounds:', 12, 2],
  [
    'cargo',
    'test a ... ok\ntest result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: FAILED. 1 passed; 2 failed; 1 ignored',
    4,
    2,
  ],
  ['cargo nextest', '     Summary [   0.104s] 12 tests run: 10 passed, 2 failed, 1 skipped', 10, 2],
  [
    'Go',
    '--- FAIL: TestRound (0.00s)\n    round_test.go:9: got 2\nFAIL\nFAIL\texample.com/shop/money\t0.004s',
    0,
    2,
  ],
  ['Go, packages without a slash', 'ok  \tshop\t0.1s\nFAIL\tcart\t0.013s\nok  \tmoney\t(cached)', 2, 1],
  ['Go, all green', 'ok  \texample.com/shop/money\t0.004s\nok  \texample.com/shop/cart\t(cached)', 2, 0],
  [
    'Maven',
    '[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE!\n[ERROR] Tests run: 12, Failures: 2, Errors: 1, Skipped: 1\n[INFO] BUILD FAILURE',
    8,
    3,
  ],
  ['Gradle', '> Task :test FAILED\n\n12 tests completed, 2 failed, 1 skipped\n\nBUILD FAILED in 3s', 9, 2],
  [
    'a JUnit report',
    '<?xml version="1.0"?>\n<testsuites tests="9" failures="2" errors="1">\n<testsuite name="a" tests="4" failures="2">',
    6,
    3,
  ],
  ["JUnit's console", '[         3 tests successful      ]\n[         1 tests failed          ]', 3, 1],
  ['unittest', 'Ran 12 tests in 0.010s\n\nFAILED (failures=2, errors=1)', 9, 3],
])('reads %s', (_, output, passed, failed) => {
  expect(readTestSummary(output)).toEqual({ passed, failed });
});

test.each([
  ['a listing', 'total 8\n-rw-r--r-- 1 me me 12 Jun  3 a.ts'],
  ['prose', 'The job failed after 3 attempts; 12 passed through the gate.'],
  ['a log', '2026-03-03 10:00:00 ok 200 /health'],
  ['nothing', ''],
])('finds no summary in %s', (_, output) => {
  expect(readTestSummary(output)).toBeNull();
});

test('reads a summary at the end of a long output, in linear time', () => {
  const noise = 'collecting 1 passed, '.repeat(20_000);
  expect(readTestSummary(`${noise}\n3 failed, 4 passed in 1.0s`)).toEqual({ passed: 4, failed: 3 });
  for (const part of ['= ', 'Tests run: 1, Failures: ', '<testsuite tests="', '[ ', '# pass ', '1 passed '])
    expect(() => readTestSummary(part.repeat(100_000))).not.toThrow();
});

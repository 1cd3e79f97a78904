import { after, bash, call, edit, fails, read, run, times, user, word } from './run-kit.ts';

/** Runs that look like circles and are work. Each is the twin of something in `stuck-runs.ts`. */
const tap = (passed: number, failed: number): string =>
  `TAP version 13\n${failed > 0 ? `not ok ${passed + 1} - ${word(passed)}\n  ---\n  duration_ms: 1.${passed}\n  ...\n` : ''}1..${passed + failed}\n# tests ${passed + failed}\n# pass ${passed}\n# fail ${failed}\n# duration_ms 7${passed}.3`;
/** Red unless nothing failed. */
const tests = (command: string, output: string, failed: number) =>
  failed > 0 ? fails(command, output) : bash(command, output);

const testFirst = [
  run('tdd/tap-red-green', 'none-none', 'a failing test, the code for it, and again, eight times', [
    user('Write the parser test first.'),
    ...times(8, (turn) => [
      edit('test/parse.test.js', `// ${word(turn)}`, `test('${word(turn)}', () => {});`),
      tests('node --test', tap(turn, 1), 1),
      edit('src/parse.js', `// ${word(turn)}`, `case '${word(turn)}':`),
      tests('node --test', tap(turn + 1, 0), 0),
    ]),
  ]),
  run(
    'tdd/tap-stays-red',
    'none-none',
    'ten red runs while the pass count rises and new failing tests are added',
    [
      ...times(10, (turn) => [
        edit('src/cron.js', `step ${turn}`, `step ${turn + 1}`),
        tests('npm test', tap(3 + turn, 2 + Math.floor(turn / 3)), 1),
      ]),
    ],
  ),
  run('tdd/pytest-one-by-one', 'none-none', 'twelve failures go one by one', [
    ...times(12, (turn) => [
      edit('shop/cart.py', `pass  # ${word(turn)}`, `return ${word(turn)}`),
      tests(
        'pytest -q',
        `${'.'.repeat(turn)}${'F'.repeat(11 - turn)}\n${turn < 11 ? `${11 - turn} failed, ` : ''}${20 + turn} passed in 0.6${turn}s`,
        11 - turn,
      ),
    ]),
  ]),
  run('tdd/jest-suite-grows', 'none-none', 'each new suite is red once, then green', [
    ...times(7, (turn) => [
      call(
        'Write',
        { file_path: `src/${word(turn)}.test.ts`, content: `it('${word(turn)}')` },
        'File created',
      ),
      fails(
        'npx jest',
        `Test Suites: 1 failed, ${turn} passed, ${turn + 1} total\nTests:       2 failed, ${turn * 4} passed, ${turn * 4 + 2} total\nTime: 1.${turn} s`,
      ),
      edit(`src/${word(turn)}.ts`, 'undefined', word(turn)),
      bash(
        'npx jest',
        `Test Suites: ${turn + 1} passed, ${turn + 1} total\nTests:       ${turn * 4 + 4} passed, ${turn * 4 + 4} total\nTime: 1.${turn} s`,
      ),
    ]),
  ]),
  run('tdd/maven-errors-shrink', 'none-none', 'a Maven module goes green in six rounds', [
    ...times(6, (turn) => [
      edit('src/main/java/Ledger.java', `${word(turn)}()`, `${word(turn + 1)}()`),
      tests(
        'mvn -q test',
        `[ERROR] Tests run: 40, Failures: ${5 - turn}, Errors: 0, Skipped: 1\n[INFO] BUILD ${turn < 5 ? 'FAILURE' : 'SUCCESS'}`,
        5 - turn,
      ),
    ]),
  ]),
  run('tdd/go-packages', 'none-none', 'package after package turns green', [
    ...times(6, (turn) => [
      edit(`internal/${word(turn)}/sum.go`, 'return 0', `return ${turn}`),
      tests(
        'go test ./...',
        times(6, (each) =>
          bash(
            '',
            each <= turn
              ? `ok  \tshop/internal/${word(each)}\t0.00${each}s`
              : `FAIL\tshop/internal/${word(each)}\t0.00${each}s`,
          ),
        )
          .map(({ output }) => output)
          .join('\n'),
        5 - turn,
      ),
    ]),
  ]),
  run('tdd/gradle-refactoring', 'none-none', 'four red rounds of a Gradle build, each with fewer failures', [
    ...[9, 6, 4, 1].flatMap((failed, turn) => [
      edit('app/src/Lease.kt', `val ${word(turn)}`, `val ${word(turn + 1)}`),
      fails(
        './gradlew test',
        `> Task :app:test FAILED\n\n62 tests completed, ${failed} failed\n\nBUILD FAILED in ${4 + turn}s`,
      ),
    ]),
    bash('./gradlew test', 'BUILD SUCCESSFUL in 6s'),
  ]),
];

const refactoring = [
  run('refactoring/compiler-is-silent', 'none-none', 'thirty edits, a silent compiler after each', [
    ...times(30, (turn) => [
      edit(`src/${word(turn)}/index.ts`, 'oldName', `newName${turn}`),
      bash('npx tsc --noEmit', ''),
    ]),
  ]),
  run('refactoring/suite-stays-green', 'none-none', 'fourteen edits, the same green suite after each', [
    ...times(14, (turn) => [
      edit(`lib/${word(turn)}.rb`, 'Store', 'Depot'),
      bash(
        'cargo test -q',
        `running 31 tests\ntest result: ok. 31 passed; 0 failed; 0 ignored; finished in 0.1${turn}s`,
      ),
    ]),
  ]),
  run('refactoring/no-problems', 'none-none', 'an editor reports no problems after each of twelve edits', [
    ...times(12, (turn) => [
      edit(`app/${word(turn)}.vue`, 'props', `props${turn}`),
      call('diagnostics_of', { path: `app/${word(0)}.vue` }, 'No errors or warnings found.'),
    ]),
  ]),
  run(
    'refactoring/reads-back',
    'none-none',
    'the head of one file, read again after each of ten edits further down',
    [
      ...times(10, (turn) => [
        edit('src/table.ts', `row ${turn}`, `row ${turn + 1}`),
        read('src/table.ts', 'import { row } from "./row";\n\nexport const table = [\n  row(0),'),
      ]),
    ],
  ),
  run(
    'refactoring/sed-over-files',
    'none-none',
    'one replacement in twenty files, each time without a word',
    [...times(20, (turn) => bash(`sed -i 's/Store/Depot/' pkg/${word(turn)}.go`, ''))],
  ),
  run('refactoring/lint-errors-fall', 'none-none', 'a linter that fails with fewer problems each time', [
    ...times(9, (turn) => [
      edit(`web/${word(turn)}.tsx`, 'any', 'unknown'),
      fails(
        'npx eslint web',
        `web/${word(turn + 1)}.tsx\n  4:7  error  Unexpected any\n\n✖ ${46 - turn * 5} problems (${46 - turn * 5} errors, 0 warnings)`,
      ),
    ]),
  ]),
];

const waiting = [
  run(
    'short-poll/two-seconds',
    'none-none',
    'twenty looks at a build, two seconds of sleep before each, then done',
    [
      bash('make image > build.log 2>&1 &', '[1] 5120'),
      ...times(20, () => after(4_600, bash('sleep 2; tail -1 build.log', 'Step 4/9 : RUN npm ci'))),
      bash('sleep 2; tail -1 build.log', 'Successfully tagged shop:2.4'),
    ],
  ),
  run('short-poll/five-seconds', 'none-none', 'a check on a pull request for three minutes', [
    ...times(16, () =>
      after(9_500, bash('sleep 5 && gh pr checks 91', 'unit  pending  0  https://ci.local/1')),
    ),
    bash('gh pr checks 91', 'unit  pass  2m  https://ci.local/1'),
  ]),
  run('short-poll/sleep-apart', 'none-none', 'sleep and look in two calls, a dozen rounds', [
    ...times(12, () => [
      after(4_000, bash('sleep 3', '')),
      after(2_500, bash('curl -s localhost:9200/_cluster/health', '{"status":"yellow"}')),
    ]),
    bash('curl -s localhost:9200/_cluster/health', '{"status":"green"}'),
  ]),
  run('short-poll/in-a-program', 'none-none', 'a program that sleeps before it looks', [
    ...times(9, () =>
      after(6_000, call('run_python', { code: 'import time\ntime.sleep(4)\nprint(job.state)' }, 'RUNNING')),
    ),
    call('run_python', { code: 'print(job.state)' }, 'DONE'),
  ]),
  run('short-poll/times-out-then-ready', 'none-none', 'a port that refuses for a minute', [
    ...times(10, () =>
      after(
        6_000,
        fails(
          'sleep 3; nc -z localhost 5432',
          'nc: connect to localhost port 5432 (tcp) failed: Connection refused',
        ),
      ),
    ),
    bash('nc -z localhost 5432', 'Connection to localhost 5432 port [tcp/postgresql] succeeded!'),
  ]),
  run('long-build/log-grows', 'none-none', 'a build of half an hour whose log grows', [
    ...times(14, (turn) =>
      after(
        95_000,
        call(
          'BashOutput',
          { bash_id: 'b7' },
          times(4, (line) => bash('', `[${turn * 3 + line}/48] Building CXX object ${word(turn + line)}.o`))
            .map(({ output }) => output)
            .join('\n'),
        ),
      ),
    ),
  ]),
  run('long-build/one-call', 'none-none', 'two builds of twenty minutes, each in one call', [
    after(1_250_000, bash('bazel build //...', 'INFO: Build completed successfully, 3120 total actions')),
    edit('BUILD', 'copts = []', 'copts = ["-O2"]'),
    after(1_190_000, bash('bazel build //...', 'INFO: Build completed successfully, 3118 total actions')),
  ]),
];

export const healthyRuns = [...testFirst, ...refactoring, ...waiting];

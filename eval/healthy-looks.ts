import {
  bash,
  call,
  compaction,
  edit,
  fails,
  grep,
  read,
  refused,
  run,
  say,
  times,
  user,
  word,
} from './run-kit.ts';

/** More runs that look like circles and are work: measuring, sweeping, searching, talking. */
const measuring = [
  run('flaky/measured-as-asked', 'none-none', 'the task is a flaky test, and it is run sixteen times', [
    user('test_sync is flaky on CI. How often does it fail here?'),
    ...times(16, (turn) =>
      turn % 5 === 3
        ? fails('pytest tests/test_sync.py -q', 'F\nE  TimeoutError: no lease\n1 failed in 1.02s')
        : bash('pytest tests/test_sync.py -q', `.\n1 passed in 0.4${turn}s`),
    ),
  ]),
  run('flaky/ten-times-please', 'none-none', 'a person wants ten runs, and gets ten', [
    user('Run the upload spec ten times, i.e. 10 times in a row, to prove its stability.'),
    ...times(10, (turn) =>
      bash('npx mocha spec/upload.js', `  upload\n    ✔ resumes\n\n  1 passing (${40 + turn}ms)`),
    ),
  ]),
  run('flaky/other-seeds', 'none-none', 'one property test with twelve seeds, all green', [
    ...times(12, (turn) =>
      bash(
        `cargo test prop_merge -- --seed ${9_000 + turn * 17}`,
        'test prop_merge ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored',
      ),
    ),
  ]),
  run(
    'shards/one-suite-in-eight-parts',
    'none-none',
    'eight shards of a suite with one and the same summary',
    [...times(8, (turn) => bash(`SHARD=${turn + 1}/8 npm test`, 'Tests:       50 passed, 50 total'))],
  ),
  run('bench/numbers-move', 'none-none', 'a measurement after each tuning, never twice the same', [
    ...times(9, (turn) => [
      edit('conf/pool.yaml', `size: ${8 + turn}`, `size: ${9 + turn}`),
      bash('make bench', `requests/s ${1_840 + turn * 61}\np99 latency ${212 - turn * 9} ms`),
    ]),
  ]),
  run('bisect/good-and-bad', 'none-none', 'a bisection runs the same test at each commit', [
    bash('git bisect start HEAD v2.1', 'Bisecting: 62 revisions left to test after this (roughly 6 steps)'),
    ...[1, 0, 1, 1, 0, 0].flatMap((isBad, turn) => [
      isBad
        ? fails('npm test -- lease', 'Tests:       1 failed, 11 passed, 12 total')
        : bash('npm test -- lease', 'Tests:       12 passed, 12 total'),
      bash(
        `git bisect ${isBad ? 'bad' : 'good'}`,
        `Bisecting: ${31 >> turn} revisions left to test after this\n[${word(turn)}] change ${word(turn + 4)}`,
      ),
    ]),
  ]),
];

const sweeping = [
  run('sweep/healthy-nodes', 'none-none', 'sixteen nodes, each of them ok', [
    ...times(16, (turn) => bash(`curl -s http://node-${turn + 1}:9100/health`, 'ok')),
  ]),
  run(
    'sweep/commented-commands',
    'none-none',
    'ten commands that share a comment and differ in what they do',
    [
      ...times(10, (turn) =>
        bash(`wc -l src/${word(turn)}.ts # size of the module`, `${120 + turn * 31} src/${word(turn)}.ts`),
      ),
    ],
  ),
  run('sweep/traces-of-a-morning', 'none-none', 'nine traces, each of them without an error', [
    ...times(9, (turn) => call('lookup', { trace_id: `tr-${word(turn)}` }, 'errors: none')),
  ]),
  run('sweep/runs-by-id', 'none-none', 'nine runs of a pipeline, looked up by their ids', [
    ...times(9, (turn) => bash(`./ci artifacts --run-id ${4_410 + turn * 3}`, 'none')),
  ]),
  run('sweep/migrations', 'none-none', 'one script after another, all without a word', [
    ...times(12, (turn) => bash(`psql -q -f migrations/0${10 + turn}_${word(turn)}.sql; true`, '')),
  ]),
  run('sweep/pages-until-the-end', 'none-none', 'a listing read page by page', [
    ...times(9, (turn) =>
      call(
        'list_orders',
        { page: turn + 1 },
        times(4, (row) => bash('', `order ${word(turn + row)}-${turn}${row} open`))
          .map(({ output }) => output)
          .join('\n'),
      ),
    ),
  ]),
  run('search/silent-and-then-found', 'none-none', 'five silent searches, and then the file', [
    ...times(5, (turn) => bash(`find . -name '${word(turn)}*.cfg'`, '')),
    bash("find . -name '*.ini'", './etc/quill.ini'),
    read('etc/quill.ini', '[quill]\nsize = 4'),
    edit('etc/quill.ini', 'size = 4', 'size = 8'),
  ]),
  run('sweep/silent-folders', 'none-none', 'ten commands that succeed in silence', [
    ...times(10, (turn) => bash(`ssh-keygen -R ${word(turn)}.example.net`, '')),
  ]),
  run('sweep/leftovers-in-many-folders', 'none-none', 'one question put to ten folders, nothing found', [
    ...times(10, (turn) => bash(`grep -rn console.log src/${word(turn)} || true`, '')),
  ]),
  run('search/narrows-and-finds', 'none-none', 'three searches without a match, then the place', [
    ...['leaseTimer', 'renewTimer', 'LeaseClock'].map((name) => grep(name, 'src', 'No matches found')),
    grep('renew', 'src', 'src/lease/clock.ts:14:export function renew() {'),
    read('src/lease/clock.ts', 'export function renew() {\n  return tick();\n}'),
    edit('src/lease/clock.ts', 'tick()', 'tick(now)'),
    bash('npm test', 'Tests:       12 passed, 12 total'),
  ]),
  run('errors/different-and-solved', 'none-none', 'three different obstacles, each overcome', [
    fails('npm ci', 'npm error code EUSAGE: package.json and package-lock.json are not in sync'),
    bash('npm install', 'added 212 packages in 9s'),
    fails('npm run build', "error TS2307: Cannot find module 'zod'"),
    bash('npm install zod', 'added 1 package in 1s'),
    fails('npm test', 'Tests:       2 failed, 30 passed, 32 total'),
    edit('src/a.ts', 'a', 'b'),
    bash('npm test', 'Tests:       32 passed, 32 total'),
  ]),
  run('errors/edit-fits-at-the-third', 'none-none', 'two refused edits, a look, and one that fits', [
    refused('src/router.ts', 'function route( )', 'function route()'),
    refused('src/router.ts', 'function route(req )', 'function route(req)'),
    read('src/router.ts', 'export const route = (req) => req.path;'),
    edit('src/router.ts', '(req) => req.path', '(req) => req.url'),
    bash('npm test', 'Tests:       9 passed, 9 total'),
  ]),
];

const ANSWERS = [
  'the ledger one',
  'both of them, please',
  'yes, but keep the old name',
  'no, the client side',
  'use the staging copy',
  'fine, go ahead',
];
const CHAPTERS = [
  'The harbour lay quiet while gulls argued over yesterday and a single lantern burned.',
  'Inland, farmers measured drought by counting wells that answered when stones were dropped.',
  'Nobody in parliament remembered signing the treaty, although every minister owned a copy.',
  'Her grandmother kept maps folded inside bread tins, safe from moths and customs officers.',
  'Winter arrived by train, eleven minutes late, carrying mail for streets long since renamed.',
  'They buried the clock tower first; bells travel poorly and hands are easily replaced.',
];

const talking = [
  run('polite/sorry-and-then-works', 'none-none', 'an apology before each of eight corrections', [
    ...times(8, (turn) => [
      say(`Sorry, I missed the case of ${word(turn)}. Fixing it.`),
      edit(`src/${word(turn)}.ts`, 'null', 'undefined'),
    ]),
  ]),
  run('polite/person-answers', 'none-none', 'six apologies, each answered by a person', [
    ...ANSWERS.flatMap((answer, turn) => [
      say(`Sorry for asking again: which of the two tables do you mean for ${word(turn)}?`),
      user(answer),
    ]),
  ]),
  run(
    'writing/six-paragraphs',
    'none-none',
    'a text in six parts, no call and no repetition',
    CHAPTERS.map((text) => say(text)),
  ),
  run('compacting/works-in-between', 'none-none', 'nine compactions, new work after each', [
    ...times(9, (turn) => [
      compaction(),
      read(`docs/${word(turn)}.md`, `# ${word(turn)}\n${word(turn + 3)} ${turn}`),
      edit(`docs/${word(turn)}.md`, word(turn), word(turn + 1)),
    ]),
  ]),
  run('planning/reports-move', 'none-none', 'a report after each part, each about another part', [
    ...times(6, (turn) => [
      say(
        `Finished ${word(turn)}: ${word(turn + 5)} ${word(turn + 9)} now handle ${word(turn + 12)}. ${CHAPTERS[turn]}`,
      ),
      edit(`src/${word(turn)}.ts`, 'todo', word(turn)),
    ]),
  ]),
];

export const healthyLooks = [...measuring, ...sweeping, ...talking];

import {
  after,
  bash,
  call,
  compaction,
  edit,
  fails,
  grep,
  nudge,
  read,
  refused,
  run,
  say,
  times,
  user,
  word,
} from './run-kit.ts';

/** Runs that go in circles, in many disguises. */
const PENDING = '{"id":"dep-71","phase":"pending","reason":"WaitingForQuota"}';
const FLAT_TAP = (turn: number): string =>
  `TAP version 13\n# Subtest: keeps the order of equal keys\nnot ok 1 - keeps the order of equal keys\n  ---\n  duration_ms: ${3 + turn}.21\n  error: 'expected b before c'\n  ...\n1..1\n# tests 1\n# pass 0\n# fail 1\n# duration_ms ${60 + turn}.4`;

const evasion = [
  run('evasion/comment-counts', 'act-act', 'one look, forty times, with a counter in its comment', [
    user('Roll out the new image.'),
    bash('kubectl set image deploy/web web=web:2.4', 'deployment.apps/web image updated'),
    ...times(40, (turn) => bash(`kubectl get deploy web -o json | jq .status # look ${turn + 1}`, PENDING)),
  ]),
  run('evasion/no-ops-take-turns', 'act-act', 'the same command behind ever other no-ops', [
    bash('ls infra', 'main.tf\nvars.tf'),
    ...times(14, (turn) => {
      const disguise =
        ['true; ', ': 9 && ', 'cd . && ', 'echo x >/dev/null; ', '  ', 'sleep 0.2; '][turn % 6] ?? '';
      return bash(`${disguise}terraform output -raw endpoint`, 'https://old.example.net');
    }),
  ]),
  run('evasion/edit-every-third', 'warn-act', 'a note is edited at every third repeat of one request', [
    user('Find out why the export is empty.'),
    ...times(40, (turn) =>
      turn % 3 === 2
        ? edit('notes.txt', `attempt ${turn}`, `attempt ${turn + 1}`)
        : bash('curl -s localhost:8080/exports/latest', '{"rows":[{"id":0}],"state":"stale"}'),
    ),
  ]),
  run(
    'evasion/journal-before-each-look',
    'warn-act',
    'a journal entry before every look at the same dead container',
    [
      ...times(13, (turn) => [
        edit('journal.txt', `- ${word(turn)}`, `- ${word(turn)}\n- ${word(turn + 1)}`),
        bash(
          'docker ps -a --filter name=ledger',
          'CONTAINER ID  NAME    STATUS\n9c1f2e7a8b21  ledger  Exited (137)',
        ),
      ]),
    ],
  ),
  run('evasion/nonce-in-url', 'act-act', 'a nonce makes every request unique, and the answer is one', [
    ...times(12, (turn) =>
      bash(
        `curl -s 'https://ci.local/api/jobs/88?nonce=${(turn * 48_271).toString(16)}'`,
        '{"job":88,"state":"blocked","by":"approval"}',
      ),
    ),
  ]),
  run('evasion/program-with-a-counter', 'act-act', 'a program whose comment counts, run by a code tool', [
    read('pipeline/load.py', 'def load(path):\n    return frame(path).dropna()'),
    ...times(9, (turn) =>
      call(
        'execute_python',
        { code: `# pass number ${turn + 1}\nimport pipeline\nprint(pipeline.load('in.csv').shape)` },
        '(0, 14)',
      ),
    ),
  ]),
  run(
    'evasion/attempt-argument',
    'act-act',
    'a tool is called again with nothing but its attempt counted up',
    [
      ...times(8, (turn) =>
        call('fetch_invoice', { number: 'R-2291', attempt: turn + 1 }, '{"error":null,"invoice":null}'),
      ),
    ],
  ),
];

const polls = [
  run('poll-hammered/status-tool', 'act-act', 'a status tool without a pause, thirty times', [
    ...times(30, () =>
      after(2_200, call('get_pipeline_status', { pipeline: 'nightly' }, '{"state":"queued"}')),
    ),
  ]),
  run(
    'poll-long/two-seconds-for-forty-minutes',
    'warn-act',
    'a short sleep before each look, and nothing for forty minutes',
    [
      bash('make image &', '[1] 4411'),
      ...times(400, () => after(6_000, bash('sleep 2; cat build/state', 'layer 4 waiting'))),
    ],
  ),
  run('poll-long/half-a-minute-for-ninety', 'act-act', 'ninety minutes of one answer', [
    ...times(180, () =>
      after(33_000, bash('sleep 30 && gh run view 7121 --json status', '{"status":"queued"}')),
    ),
  ]),
  run(
    'poll-lie/sleeps-in-the-background',
    'act-act',
    'the sleep is sent to the background, so nothing waits',
    [...times(12, () => after(2_500, bash('sleep 30 & cat build/state', 'layer 4 waiting')))].map((part) => ({
      ...part,
    })),
  ),
  run('restart-with-a-nap/compose', 'act-act', 'down, up, a nap, the same refusal', [
    ...times(7, () => [
      bash('docker compose restart api', 'Container shop-api-1  Restarting\nContainer shop-api-1  Started'),
      fails('sleep 4; curl -sf localhost:3000/ready', 'curl: (22) The requested URL returned error: 503'),
    ]),
  ]),
];

const redTests = [
  run('red-flat/tap-never-moves', 'act-act', 'nine edits, one unchanged TAP failure', [
    user('Make the sort stable.'),
    ...times(9, (turn) => [
      edit('src/sort.js', `const w${turn}`, `const w${turn + 1}`),
      fails('node --test', FLAT_TAP(turn)),
    ]),
  ]),
  run('red-flat/pytest-same-assertion', 'warn-act', 'seven guesses at one assertion', [
    ...times(7, (turn) => [
      edit('billing/tax.py', `RATE = 0.${19 + turn}`, `RATE = 0.${20 + turn}`),
      fails(
        'pytest -q tests/test_tax.py',
        `F\n    def test_reduced():\n>       assert tax(books) == 7\nE       assert 19 == 7\ntests/test_tax.py:31: AssertionError\n1 failed, 8 passed in 0.${30 + turn}s`,
      ),
    ]),
  ]),
  run('red-flat/cargo-swings', 'warn-act', 'failures swing between three and five for ten rounds', [
    ...times(10, (turn) => [
      edit('src/lease.rs', `// ${word(turn)}`, `// ${word(turn + 1)}`),
      fails(
        'cargo test --lib',
        `test lease::renews_${word(turn)} ... FAILED\nerror: test failed\ntest result: FAILED. ${turn % 2 === 0 ? 20 : 18} passed; ${turn % 2 === 0 ? 3 : 5} failed; 0 ignored`,
      ),
    ]),
  ]),
  run('green-forever/vitest', 'warn-warn', 'all is done, and the green suite runs eight times more', [
    edit('src/money.ts', 'round(x)', 'roundHalfEven(x)'),
    ...times(9, (turn) =>
      bash(
        'npx vitest run',
        ` Test Files  12 passed (12)\n      Tests  88 passed (88)\n   Duration  ${2 + turn}.1${turn}s`,
      ),
    ),
  ]),
  run('red-flat/go-with-flags', 'act-act', 'one failing package, tried again without any change', [
    ...times(8, () =>
      fails(
        'go test ./internal/quota',
        '--- FAIL: TestBurst (0.01s)\n    quota_test.go:44: got 9, want 8\nFAIL\nFAIL\tshop/internal/quota\t0.013s',
      ),
    ),
  ]),
];

const SORRY = [
  'I apologize for the confusion, the handler should have been registered first.',
  "You're right, I missed the second condition. Sorry about that.",
  'My apologies. I misunderstood which of the two queues you meant.',
  'Sorry! That was my mistake, the flag belongs to the client.',
  'I was wrong about the order of the arguments, I apologise.',
];
const STEPS = ['Now I will', 'Next, let me', 'I am going to', 'I shall now', 'Right, I will'];

const talk = [
  run('apology-spiral/five-ways-to-be-sorry', 'act-act', 'apologies in turn, and never a call', [
    user('The import drops rows. Fix it.'),
    ...times(12, (turn) => say(SORRY[turn % SORRY.length] ?? '')),
  ]),
  run('apology-spiral/harness-says-continue', 'act-act', 'a harness asks to go on after each apology', [
    ...times(11, (turn) => [
      say(`${SORRY[(turn * 2) % SORRY.length]} (${word(turn)})`),
      nudge('Please continue with the task.'),
    ]),
  ]),
  run(
    'announced-step/never-runs-the-migration',
    'act-act',
    'one step, announced eleven times in slightly other words',
    [
      ...times(11, (turn) =>
        say(
          `${STEPS[turn % 5]} run the ledger migration against the staging database and check the row counts.`,
        ),
      ),
    ],
  ),
  run('announced-step/with-harness-notes', 'act-act', 'announcements between notes of a harness', [
    bash('ls migrations', '001_init.sql\n002_tax.sql'),
    ...times(10, (turn) => [
      say(`${STEPS[(turn + 2) % 5]} open the failing fixture and compare both totals, ${word(turn)} first.`),
      nudge('[harness] no tool call in the last turn'),
    ]),
  ]),
  run(
    'compaction-spiral/rereads-and-compacts',
    'act-act',
    'each compaction is followed by the same two files, never by work',
    [
      read('src/plan.txt', 'step 1\nstep 2\nstep 3'),
      read('src/worker.ts', 'export const worker = 1;'),
      ...times(8, () => [
        compaction(),
        read('src/plan.txt', 'step 1\nstep 2\nstep 3'),
        read('src/worker.ts', 'export const worker = 1;'),
      ]),
    ],
  ),
];

const SETTINGS = 'host = "db"\nport = 5432\npool = 12\ntimeout = 30';
const RESULTS =
  '1. Lease renewal in depth\n2. Clocks and leases\n3. Fencing tokens explained\n4. A guide to leader election';
const PLAN =
  'Here is my plan: first I will inspect the scheduler, then trace how a lease is renewed, then write a failing test, and finally change the renewal interval so that it fits.';

const looking = [
  run(
    'revisit/settings-between-reads',
    'warn-act',
    'one file of settings read again between other files, nothing edited',
    [
      ...times(6, (turn) => [
        read('config/db.toml', SETTINGS),
        read(`src/${word(turn)}.ts`, `export const ${word(turn)} = ${turn};`),
      ]),
    ],
  ),
  run('revisit/diff-again', 'warn-act', 'the diff is looked at again between searches', [
    ...times(6, (turn) => [
      bash('git diff HEAD~1 -- src/lease.ts', '-  renew(every)\n+  renew(every / 2)\n   return lease;'),
      grep(`${word(turn)}Lease`, 'src', `src/${word(turn)}.ts:4:${word(turn)}Lease()`),
    ]),
  ]),
  run('same-cause/database-times-out', 'warn-act', 'five tools, one database that does not answer', [
    ...[
      'psql -c "select 1"',
      'pg_isready -h db',
      'python manage.py dbshell',
      'npm run migrate',
      'pg_dump -s shop',
      'rails db:version',
      'flyway info',
    ].map((command) =>
      fails(command, `connection to server at "db" (10.0.0.7), port 5432 failed: Connection timed out`),
    ),
  ]),
  run(
    'same-cause/edits-refused',
    'warn-act',
    'nine edits of one file, each with another string that is not there',
    [
      read('src/router.ts', 'export function route() {}'),
      ...times(9, (turn) =>
        refused(
          'src/router.ts',
          `const ${word(turn)} = route(${word(turn + 3)})`,
          `const ${word(turn)} = next()`,
        ),
      ),
    ],
  ),
  run('same-cause/killed-by-the-harness', 'warn-act', 'every command is killed after two minutes', [
    ...[
      'npm run e2e',
      'npx playwright test',
      'node scripts/serve.mjs',
      'make smoke',
      'npm run preview',
      'npx vite',
      'npm run storybook',
      'yarn start',
    ].map((command) => after(126_000, fails(command, `Command timed out after 2m 0.0s\n${command}`))),
  ]),
  run('same-cause/wrong-argument', 'warn-act', 'a tool refuses every shape of one argument', [
    ...times(8, (turn) =>
      call(
        'calendar.create',
        { [`when_${word(turn)}`]: '2026-03-02' },
        `InvalidArgument: missing required field 'start' (got 'when_${word(turn)}')`,
        true,
      ),
    ),
  ]),
  run('dry/names-in-many-places', 'warn-act', 'ten searches in ten places, nothing anywhere', [
    ...times(10, (turn) => grep(`${word(turn)}Registry`, `packages/${word(turn + 2)}`, 'No matches found')),
  ]),
  run('dry/looks-and-misses', 'warn-act', 'searches that find nothing, and files that are not there', [
    ...times(5, (turn) => [
      grep(`register${word(turn)}`, `lib/${word(turn)}`, 'No files found'),
      fails(`cat lib/${word(turn)}/index.js`, `cat: lib/${word(turn)}/index.js: No such file or directory`),
    ]),
  ]),
  run('dry/silent-finds', 'warn-act', 'searches that find nothing and say nothing', [
    ...times(9, (turn) => bash(`find . -name '${word(turn)}*.cfg'`, '')),
  ]),
  run('dry/grep-or-true', 'warn-act', 'searches whose failure is hidden, each for another name', [
    ...times(9, (turn) => bash(`cd pkg && grep -rn "${word(turn)}_handler" ${word(turn + 3)} || true`, '')),
  ]),
  run('one-answer/reworded-queries', 'warn-act', 'eight wordings of one question, one list of results', [
    ...times(8, (turn) =>
      call('web_search', { query: `${word(turn)} lease renewal ${word(turn + 5)}` }, RESULTS),
    ),
  ]),
  run('one-answer/every-page-is-the-first', 'warn-act', 'a listing that ignores its page', [
    ...times(8, (turn) =>
      call(
        'list_orders',
        { page: turn + 1, size: 4 },
        'order a1 open\norder b2 open\norder c3 paid\norder d4 sent',
      ),
    ),
  ]),
  run('plan-again/between-calls', 'warn-act', 'the whole plan is told again after each look', [
    ...times(6, (turn) => [
      say(`${PLAN} Starting with ${word(turn)}.`),
      read(`src/${word(turn)}.ts`, `export const ${word(turn)} = 1;`),
    ]),
  ]),
];

export const stuckRuns = [...evasion, ...polls, ...redTests, ...talk, ...looking];

import { instant } from '../packages/core/src/base/time.ts';
import { randomFrom } from './mutate.ts';
import type { Level, RecordedRun, RecordedStep } from './steps-file.ts';

/**
 * The themes once more, told by somebody who had not seen the fixtures: other tools, other programs, other
 * disguises. Each says how severe it must at least and may at most get; what must act has to do so within
 * four fifths of its steps.
 */
type Parts = Omit<RecordedStep, 'i' | 'at'>;
const blank: Parts = {
  kind: 'tool',
  tool: null,
  input: null,
  output: null,
  error: null,
  text: null,
  tokens: null,
};

const random = randomFrom(20261115);
const rnd = (from: number, to: number): number => from + Math.floor(random() * (to - from));
const hex = (count: number): string =>
  Array.from({ length: count }, () => '0123456789abcdef'[rnd(0, 16)]).join('');

const t = (tool: string, input: unknown, output: string, error = false): Parts => ({
  ...blank,
  tool,
  input,
  output,
  error,
});
const sh = (command: string, output: string, error = false): Parts =>
  t('run_terminal_cmd', { command, explanation: `because ${hex(6)}` }, output, error);
const opaque = (): Parts => ({ ...blank, tool: 'read_file', input: {} });
const u = (text: string): Parts => ({ ...blank, kind: 'user', text });
const m = (text: string): Parts => ({ ...blank, kind: 'message', text });
const s = (text: string): Parts => ({ ...blank, kind: 'system', text });
const cp = (): Parts => ({ ...blank, kind: 'compaction', text: 'summary' });
const R = <T>(count: number, make: (index: number) => T | readonly T[]): T[] =>
  Array.from({ length: count }, (_, index) => make(index)).flat() as T[];

const LEFT = [9, 8, 8, 6, 6, 4, 2, 1];
const NUDGES = ['Keep going.', 'Please continue.', 'Continue with the task.', 'Go on.'];
const GUESSES = ['find', 'search', 'grep_code', 'lookup', 'xref', 'symbols', 'refs', 'def', 'goto'];
const ORDERS = [
  [0, 1, 2],
  [2, 0, 1],
  [1, 0, 2],
];

export const ownStories: RecordedRun[] = [];

/** What must act has to do so within this share of its steps. */
const IN_TIME = 0.8;

function story(name: string, range: string, steps: readonly Parts[], paceMs = 6_000): void {
  const [min, max] = range.split('-') as [Level, Level];
  const timed = steps.map((step, i) => ({ ...step, i, at: instant(10_000 + i * paceMs + rnd(0, 900)) }));
  ownStories.push({
    header: {
      format: 'holter.steps.v1',
      run: `story/${name}`,
      outcome: max === 'none' ? 'success' : 'failure',
      labels: { theme: 'told by somebody else' },
      expect: { min, max, by: min === 'act' ? Math.floor(steps.length * IN_TIME) : null },
      about: name,
    },
    steps: timed,
  });
}

story(
  'kubectl poll moving',
  'none-warn',
  R(9, (i) =>
    sh(
      'kubectl get pods -n web',
      `NAME   READY  STATUS   RESTARTS  AGE\nweb-${'abc'[i % 3]}  ${i}/9  ${i < 8 ? 'ContainerCreating' : 'Running'}  0  ${i * 40}s`,
    ),
  ),
  40000,
);
story(
  'journal grows only clock',
  'none-warn',
  R(14, (i) =>
    sh(
      'journalctl -u x -n 8',
      R(8, (k) => `Jun 03 09:${10 + i}:${10 + k} host svc[4411]: heartbeat ok`).join('\n'),
    ),
  ),
  30000,
);
story(
  'task list',
  'none-none',
  R(6, (i) => [
    t('task_list', {}, JSON.stringify(R(6, (k) => ({ t: `step ${k}`, done: k < i })))),
    t('update_file', { target_file: `a${i}.py`, code_edit: 'x' }, 'ok'),
  ]),
);
story(
  'status tool hammered',
  'act-act',
  R(40, (i) =>
    t(
      'get_deploy_status',
      { id: 'd-1' },
      `{"phase":"pending","checked_at":"2026-03-03T10:00:${String(i % 60).padStart(2, '0')}Z"}`,
    ),
  ),
  3000,
);
story(
  'spaced bash output',
  'none-warn',
  R(7, (i) =>
    t(
      'BashOutput',
      { bash_id: 'b1' },
      `<status>running</status>\n<timestamp>2026-01-01T00:0${i}:00Z</timestamp>`,
    ),
  ),
  15000,
);
story(
  'err words vary',
  'act-act',
  R(9, (i) =>
    sh(
      'terraform apply -auto-approve',
      `Error: error acquiring the state lock\nLock Info:\n  ID: ${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}\n  Who: ci@${['heron', 'stork', 'crane', 'egret'][i % 4]}-${i}\n  Created: 2026-03-03 10:0${i}:11.5 +0000 UTC`,
      true,
    ),
  ),
);
story(
  'no such column',
  'warn-act',
  R(8, (i) =>
    t(
      'sql',
      { q: `select ${['foo', 'barbaz', 'quux', 'zork', 'plugh', 'xyzzy', 'thud', 'grault'][i]} from t` },
      `ERROR: column ${['foo', 'barbaz', 'quux', 'zork', 'plugh', 'xyzzy', 'thud', 'grault'][i]} does not exist`,
      true,
    ),
  ),
);
story(
  'tsc errors fall',
  'none-none',
  R(7, (i) => [
    t('edit_file', { target_file: 'a.ts', instructions: 'x', code_edit: `v${i}` }, 'applied'),
    sh(
      'npx tsc -p .',
      `src/a.ts(${i + 3},5): error TS2304: Cannot find name 'q${i}'.\nFound ${8 - i} errors in ${4} files.`,
      true,
    ),
  ]).concat(sh('npx tsc -p .', '')),
);
story(
  'pytest improving with flat',
  'none-none',
  R(8, (i) => [
    t('edit', { file: 'p.py', find: `a${i}`, replace: `b${i}` }, 'done'),
    sh(
      'pytest -x',
      `E  assert ${LEFT[i]} == 0\n${LEFT[i]} failed, ${30 - (LEFT[i] ?? 0)} passed in ${rnd(1, 9)}.${rnd(10, 99)}s`,
      true,
    ),
  ]),
);
story(
  'flat jest',
  'warn-act',
  R(10, (i) => [
    t('edit', { file: 'p.js', find: `a${i}`, replace: `b${i}` }, 'done'),
    sh(
      'npx jest',
      `FAIL src/x.test.js (${rnd(1, 9)}.${rnd(1, 9)} s)\n  ● sums › rounds\n    Expected: 3\n    Received: 4\nTests: 1 failed, 12 passed, 13 total\nTime: ${rnd(1, 9)}.${rnd(100, 999)} s\nRan all test suites. Seed: ${rnd(1000, 99999)}`,
      true,
    ),
  ]),
  14000,
);
story(
  'restart loop pids',
  'act-act',
  R(8, () => [
    sh('supervisorctl restart api', `api: stopped\napi: started (pid ${rnd(3000, 30000)})`),
    sh('curl -s -o /dev/null -w "%{http_code} %{time_total}" localhost:9000', `503 0.00${rnd(1000, 9999)}`),
  ]),
);
story(
  'git stash loop',
  'act-act',
  R(7, () => [
    sh('git stash', `Saved working directory and index state WIP on main: ${hex(7)} msg`),
    sh('make check', 'FAILED a\nmake: *** [check] Error 1', true),
    sh('git stash pop', `On branch main\nDropped refs/stash@{0} (${hex(40)})`),
    sh('make check', 'FAILED b\nmake: *** [check] Error 1', true),
  ]),
);
story(
  'footer calls left',
  'act-act',
  R(9, (i) =>
    t(
      'web_search',
      { query: 'holter spec' },
      `1. Spec page\n2. Other page\n\nRemaining searches: ${50 - i}/50 · session ${hex(6)}`,
    ),
  ),
);
story(
  'footer turn',
  'act-act',
  R(9, (i) =>
    t(
      'read_doc',
      { id: 7 },
      `Title\nBody text here\n\n— turn ${i + 3} of 80, ${18000 + i * 611} tokens, $0.${10 + i} spent —`,
    ),
  ),
);
story(
  'footer xml',
  'act-act',
  R(9, (i) =>
    sh('cat a.cfg', `a=1\nb=2\n<usage input="${1000 + i * 31}" output="${20 + i}" ms="${rnd(10, 900)}"/>`),
  ),
);
story(
  'du listing',
  'act-act',
  R(9, (i) =>
    sh(
      'ls -la build && df -h /',
      `total ${4000 + i}\n` +
        R(60, (k) => `-rw-r--r-- 1 me me ${1000 + k} Jun  3 10:00 obj${k}.o`).join('\n') +
        `\n/dev/sda1  100G  ${41}G  59G  41% /`,
    ),
  ),
);
story(
  'sweep empties by host',
  'none-none',
  R(25, (i) => sh(`dig +short host-${i}.corp`, '')),
);
story(
  'sweep names',
  'none-none',
  R(25, (i) =>
    sh(
      'npm view ' +
        [
          'lodash',
          'zod',
          'react',
          'vite',
          'pino',
          'ws',
          'kysely',
          'pg',
          'ink',
          'uuid',
          'tar',
          'ora',
          'got',
          'ky',
          'chalk',
          'debug',
          'semver',
          'yargs',
          'glob',
          'rimraf',
          'express',
          'koa',
          'hono',
          'axios',
          'knex',
        ][i] +
        ' deprecated',
      '',
    ),
  ),
);
story(
  'search json empty',
  'warn-act',
  R(10, (i) =>
    t(
      'search_symbols',
      {
        query: [
          'renewLease',
          'leaseRenew',
          'lease_renew',
          'LeaseRenewer',
          'renewer',
          'RenewLease',
          'lease-renew',
          'renewalLease',
          'leaseRenewal',
          'renew_lease',
        ][i],
      },
      `{"results":[],"total":0,"took_ms":${rnd(1, 90)}}`,
    ),
  ),
);
story(
  'user again same text',
  'none-warn',
  R(6, () => [u('Run it again.'), sh('./gradlew test', '1 failed', true)]),
  70000,
);
story(
  'nudge variants',
  'act-act',
  R(8, (i) => [sh('cat .env', 'A=1'), sh('psql -c x', 'role missing', true), u(NUDGES[i % 4] ?? '')]),
);
story(
  'nudges before calls',
  'act-act',
  R(8, (i) => [u(`Attempt ${i} of 10: continue`), sh('make x', 'no rule', true)]),
);
story(
  'opaque input {}',
  'none-warn',
  R(20, () => opaque()),
);
story(
  'percent multi',
  'none-warn',
  R(30, (i) =>
    sh(
      'docker pull x',
      `${R(9, (k) => `layer${k}: Pull complete`).join('\n')}\nlayer9: Downloading [=====>     ] ${i * 3}%`,
    ),
  ),
  5000,
);
story(
  'ratio many lines',
  'none-warn',
  R(30, (i) => sh('rsync --status', `${R(12, (k) => `dir${k} ok`).join('\n')}\nfiles ${i * 30 + 7} of 1000`)),
  5000,
);
story(
  'flaky irregular',
  'none-warn',
  [0, 1, 0, 0, 1, 0, 1, 1].map((x) =>
    x ? sh('npm test', 'ok 12 passed') : sh('npm test', '1 failed, 11 passed', true),
  ),
);
story(
  'think many between',
  'act-act',
  R(7, (i) => [t('sequentialthinking', { thought: `step ${'x'.repeat(i)}` }, 'recorded'), sh('cat a', 'b')]),
);
story(
  'unknown fn',
  'warn-act',
  R(9, (i) =>
    t(GUESSES[i] ?? '', { q: 'X' }, `{"error":"No function registered with name ${GUESSES[i]}"}`, true),
  ),
);
story('chant newline', 'warn-act', [m('Checking the cache now\n'.repeat(50))]);
story('chant no punct', 'warn-act', [m('let me verify '.repeat(60))]);
story('code fence ok', 'none-none', [m(`\`\`\`\n${'foo();\n'.repeat(80)}\`\`\`\nDone.`)]);
story('csv ok', 'none-none', [m(R(50, (i) => `m${i}, present, ok`).join('\n'))]);
story('list stars', 'none-none', [m(R(50, (i) => `* module ${i}: present`).join('\n'))]);
story(
  'monologue 13',
  'warn-act',
  R(13, (i) => m(`Next I will open the file number ${'x'.repeat(i % 4)}`)),
);
story(
  'compaction 9',
  'act-act',
  R(9, (i) => [cp(), m(['Resuming', 'Continuing', 'Back'][i % 3] ?? '')]),
);
story(
  'finish many',
  'act-act',
  R(9, () => t('attempt_completion', { result: 'All done, tests pass.' }, 'Completed.')),
);
story(
  'finish many varied',
  'warn-act',
  R(9, (i) => t('attempt_completion', { result: `All done ${'!'.repeat(i)}` }, 'Completed.')),
);
story(
  'denied',
  'act-act',
  R(8, () => sh('rm -rf x', 'Permission to use Bash has been denied.', true)),
);
story(
  'read after edit',
  'none-none',
  R(8, (i) => [
    t('Write', { file_path: 'a.ts', content: `v${i}` }, 'File written'),
    t('Read', { file_path: 'a.ts' }, 'same content'),
  ]),
);
story(
  'build status alternates',
  'none-warn',
  R(10, () => [sh('sleep 30', ''), sh('gh run view 1', 'in_progress')]),
  16000,
);
story(
  'rotate 3 irregular',
  'warn-act',
  R(10, (i) => (ORDERS[i % 3] ?? []).map((k) => t('open', { p: `f${'abc'[k]}` }, `content ${'abc'[k]}`))),
);
story(
  'cyc5 w notes',
  'act-act',
  R(7, (i) => [...R(5, (k) => t('browser', { action: 'abcde'[k] }, `page ${'abcde'[k]}`)), s(`note ${i}`)]),
);
story(
  'pages reread',
  'warn-act',
  R(4, () => R(10, (k) => t('list_items', { cursor: `c${k * 50}` }, `items ${'x'.repeat(k)}`))),
);
story(
  'user convo same answer',
  'none-warn',
  R(6, (i) => [u(`question ${'abcdef'[i]}`), m('I cannot help with that.')]),
  20000,
);
story(
  'edit multi',
  'none-none',
  R(20, (i) => t('replace', { filePath: `m/${i}.ts`, oldText: 'a', newText: 'b' }, '1 replacement')),
);
story(
  'deploy+measure small',
  'none-warn',
  R(7, (i) => [sh('make deploy', 'deployed'), sh('make bench', `p99 ${210 - i * 25} ms`)]),
  40000,
);
story(
  'deploy+measure fast',
  'none-warn',
  R(7, (i) => [sh('make deploy', 'deployed'), sh('make bench', `rps ${2100 + i * 125}`)]),
  7000,
);

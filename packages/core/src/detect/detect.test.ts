import { describe, expect, test } from 'vitest';
import { readFixtures } from '../../test/detect/fixtures.ts';
import { call, edit, failing, judge, paced, repeat, say } from '../../test/detect/runs.ts';
import { type AgentStep, defaultDetectionPolicy, emptyDetectorState, observe } from './index.ts';

const user = (text: string): AgentStep => say(text, { kind: 'user' });
const compaction = (): AgentStep => say('summary', { kind: 'compaction' });

describe('repeated-call', () => {
  test('warns at three and acts at five', () => {
    expect(judge(repeat(2, () => call('ls', 'a'))).worst).toBe('none');
    expect(judge(repeat(3, () => call('ls', 'a'))).worst).toBe('warn');
    expect(judge(repeat(5, () => call('ls', 'a'))).firstAct).toBe(4);
  });
  test('a changed success restarts the count, a changed error does not', () => {
    expect(judge(repeat(9, (index) => call('cat p', `step ${'x'.repeat(index)}`))).worst).toBe('none');
    expect(judge(repeat(6, (index) => failing('run', `boom ${'x'.repeat(index)}`))).worst).toBe('act');
  });
  test('an improving error is progress', () => {
    expect(judge(repeat(9, (index) => failing('lint', `${90 - index} problems`))).worst).toBe('none');
  });
  test('thoughts logged by a tool do not interrupt it', () => {
    const steps = repeat(5, (index) => [
      call('cat a', 'x'),
      call('', 'logged', { tool: 'think', input: { thought: `idea ${'i'.repeat(index)}` } }),
    ]);
    expect(judge(steps).worst).toBe('act');
  });
  test('a person may ask for it again; a harness may not', () => {
    const asked = [
      'Run it.',
      'Again please.',
      'And again.',
      'Once more, I changed the VPN.',
      'Last time.',
      'Really last.',
    ];
    expect(judge(asked.flatMap((text) => [user(text), failing('make', 'red')])).worst).toBe('none');
    expect(judge(repeat(6, () => [user('Please continue.'), failing('make', 'red')])).worst).toBe('act');
  });
  test('calls whose arguments and results are not recorded are never the same', () => {
    expect(judge(repeat(20, () => call('', '', { input: null, output: null, error: null }))).worst).toBe(
      'none',
    );
    expect(judge(repeat(20, () => call('', '', { input: {}, output: null, error: null }))).worst).toBe(
      'none',
    );
  });
});

describe('polling', () => {
  test('spaced calls are a poll, which warns at eight and acts after an hour', () => {
    const poll = (count: number, paceMs: number): AgentStep[] =>
      paced(
        repeat(count, () => call('check', 'queued')),
        paceMs,
      );
    expect(judge(poll(7, 30_000)).worst).toBe('none');
    expect(judge(poll(60, 30_000)).worst).toBe('warn');
    expect(judge(poll(130, 30_000)).worst).toBe('act');
    expect(judge(poll(7, 3_000)).worst).toBe('act');
  });
  test('a poll tool counts as waiting without a clock, unless it is called too often', () => {
    const status = call('', 'running', { tool: 'get_task_output', input: { id: 7 } });
    expect(judge(repeat(7, () => status)).worst).toBe('none');
    expect(
      judge(
        paced(
          repeat(25, () => status),
          2_000,
        ),
      ).worst,
    ).toBe('act');
  });
  test('sleep and look is a poll as well', () => {
    const steps = repeat(7, () => [call('sleep 60', ''), call('gh pr checks', 'pending')]);
    expect(judge(steps).worst).toBe('none');
  });
  test.each(['sleep 2; cat status', 'cat status && sleep 5', 'python -c "time.sleep(3); look()"'])(
    '%s is a poll, which is judged by its time',
    (command) => {
      const polls = (count: number): AgentStep[] => repeat(count, () => call(command, 'building'));
      expect(judge(paced(polls(40), 6_000)).worst).toBe('none');
      expect(judge(paced(polls(80), 6_000)).kinds).toEqual(['unchanged-poll:warn']);
      expect(judge(polls(20)).worst).toBe('none');
      expect(judge(paced(polls(40), 500)).worst).toBe('act');
    },
  );
  test('a short sleep in a call of its own waits too, but not after a restart', () => {
    const wait = repeat(20, () => [call('sleep 3', ''), call('curl -s :8080/jobs/7', 'queued')]);
    expect(judge(paced(wait, 4_000)).worst).toBe('none');
    const restart = repeat(6, () => [
      call('systemctl restart api', ''),
      failing('sleep 3; curl :80', 'refused'),
    ]);
    expect(judge(paced(restart, 6_000)).worst).toBe('act');
  });
});

describe('call-cycle', () => {
  const round = (calls: number): AgentStep[] =>
    repeat(calls, (index) => call(`step-${'x'.repeat(index + 1)}`, 'same'));
  test.each([2, 3, 4, 5, 6])('a cycle of %i acts in its fifth round', (period) => {
    expect(judge(repeat(2, () => round(period))).worst).toBe('none');
    expect(judge(repeat(5, () => round(period))).firstAct).toBe(5 * period - 1);
  });
  test('edit and test is no cycle, edit and revert is one', () => {
    const improving = repeat(8, (index) => [
      edit('a.ts', `${index}`, `${index + 1}`),
      failing('npm test', `${9 - index} failed`),
    ]);
    expect(judge(improving).worst).toBe('none');
    const reverting = repeat(6, () => [
      edit('a.ts', 'x', 'y'),
      failing('npm test', 'no x'),
      edit('a.ts', 'y', 'x'),
      failing('npm test', 'no y'),
    ]);
    expect(judge(reverting).worst).toBe('act');
  });
  test('measuring a flake only warns', () => {
    const steps = repeat(12, (index) =>
      index % 2 === 0 ? failing('npm test', '1 failed') : call('npm test', 'all passed'),
    );
    expect(judge(steps).worst).toBe('warn');
  });
});

describe('errors', () => {
  test('one cause with many arguments warns at three', () => {
    const steps = repeat(4, (index) =>
      failing(
        `echo 1 > /opt/${'a'.repeat(index + 1)}`,
        `sh: /opt/${'a'.repeat(index + 1)}: Permission denied`,
      ),
    );
    expect(judge(steps).kinds).toContain('same-error:warn');
  });
  test('ten fruitless attempts act, even if something worked before the first', () => {
    const denied = (name: string): AgentStep =>
      failing(`echo 1 > /opt/${name}`, `sh: /opt/${name}: Permission denied`);
    const attempts = (count: number): AgentStep[] => repeat(count, (index) => denied('b'.repeat(index + 1)));
    const looksAround = [denied('first'), call('ls', 'README'), call('cat README', 'words')];
    expect(judge([...looksAround, ...attempts(9)]).worst).toBe('warn');
    expect(judge([...looksAround, ...attempts(10)]).worst).toBe('act');
  });
  test('edits that never change the failure act at eight', () => {
    const flat = (count: number): AgentStep[] =>
      repeat(count, (index) => [
        edit('a.ts', `${index}`, `${index + 1}`),
        failing('npm test', 'expected 3, got 2'),
      ]);
    expect(judge(flat(4)).worst).toBe('none');
    expect(judge(flat(8)).worst).toBe('act');
  });
  test('a tool that does not exist', () => {
    const guess = (tool: string): AgentStep =>
      failing('', `Unknown tool ${tool}`, { tool, input: { query: 'x' } });
    expect(judge(['find', 'search', 'look'].map(guess)).kinds).toContain('unknown-tool:warn');
    expect(judge(repeat(5, () => guess('find'))).worst).toBe('act');
  });
  test('a rate limit counts as waiting', () => {
    expect(judge(repeat(7, () => failing('gh api', 'HTTP 429: rate limit exceeded'))).worst).toBe('none');
  });
});

describe('evasion', () => {
  const disguises: readonly ((turn: number) => string)[] = [
    (turn) => `cat status.txt # look ${turn}`,
    (turn) => `cat ${' '.repeat(turn)}status.txt`,
    (turn) => `true ${turn}; cat status.txt`,
    (turn) => `: ${turn} && cat status.txt`,
    (turn) => `echo ${turn} >/dev/null; cat status.txt`,
    (turn) => `cat status.txt ?nonce=${(turn * 7919).toString(16)}`,
    (turn) => `ATTEMPT=${turn} cat status.txt`,
  ];
  test.each(disguises.map((disguise) => [disguise(7), disguise]))('%s is the same call', (_, disguise) => {
    expect(judge(repeat(40, (turn) => call(disguise(turn), 'pending'))).firstAct).toBe(4);
  });
  test('so is another comment in a program, and another count of attempts', () => {
    const run = (turn: number): AgentStep =>
      call('', 'None', { tool: 'python', input: { code: `# ${turn}\nprint(x)`, attempt: turn } });
    expect(judge(repeat(5, run)).worst).toBe('act');
  });
  test('ids that a call is about are no disguise', () => {
    const ask = (tool: string, input: unknown): AgentStep => call('', 'status: ok', { tool, input });
    expect(judge(repeat(9, (turn) => ask('lookup', { trace_id: `t${turn}` }))).worst).toBe('none');
    expect(
      judge(repeat(9, (turn) => ask('get_trace', { trace_id: `t${turn}`, project: 'shop' }))).worst,
    ).toBe('none');
    expect(judge(repeat(9, (turn) => call(`./logs --run-id ${turn}`, 'ok'))).worst).toBe('none');
    expect(judge(repeat(9, (turn) => ask('price', { sku: 'a', request_id: `r${turn}` }))).worst).toBe('act');
    expect(judge(repeat(9, (turn) => ask('refresh', { attempt: turn }))).worst).toBe('act');
  });
  test('an edit at every third repeat does not reset the count', () => {
    const steps = repeat(8, (turn) => [
      call(`cat status.txt # ${turn}`, 'pending'),
      call(`cat status.txt # again ${turn}`, 'pending'),
      edit('notes.md', `${turn}`, `${turn + 1}`),
    ]);
    expect(judge(steps.slice(0, 9)).worst).toBe('none');
    expect(judge(steps).kinds).toEqual(['repeated-call:warn']);
  });
  test('an edit before every look does not either, except before a check that is clean', () => {
    const after = (look: AgentStep): AgentStep[] =>
      repeat(12, (turn) => [edit('a.ts', `${turn}`, `${turn + 1}`), look]);
    expect(judge(after(call('cat status.txt', 'pending'))).kinds).toEqual(['repeated-call:warn']);
    const health = call('curl -s localhost:8080/health', '{"status":"ok"}');
    expect(judge(after(health)).kinds).toEqual(['repeated-call:warn']);
    expect(judge(after(call('npx tsc --noEmit', ''))).worst).toBe('none');
    expect(judge(after(call('npm test', '12 passing (30ms)'))).worst).toBe('none');
    expect(judge(after(call('', 'No problems found', { tool: 'look', input: { file: 'a.ts' } }))).worst).toBe(
      'none',
    );
  });
});

describe('measuring a flake', () => {
  const runs = (count: number): AgentStep[] =>
    repeat(count, () => call('pytest tests/test_sync.py', '1 passed in 0.41s'));
  test('is left alone when the task is about that', () => {
    const task = user('tests/test_sync.py is flaky. Find out how often it fails.');
    expect(judge([task, ...runs(12)]).worst).toBe('none');
    const mixed = repeat(8, () =>
      [runs(1), failing('pytest tests/test_sync.py', '1 failed in 0.39s')].flat(),
    );
    expect(judge([task, ...mixed]).worst).toBe('none');
    expect(judge([task, ...repeat(5, () => call('cat a', 'b'))]).worst).toBe('act');
  });
  test('is over with the next request, but not with a word of agreement', () => {
    const task = user('tests/test_sync.py is flaky. Find out how often it fails.');
    expect(judge([task, ...runs(3), user('Now rename the module.'), ...runs(4)]).worst).toBe('warn');
    expect(judge([task, ...runs(3), user('OK, go on.'), ...runs(12)]).worst).toBe('none');
  });
  test.each([
    'Retry the upload 3 times before giving up.',
    'The worker renders its items in a loop. Speed it up.',
    'Improve the stability of the queue.',
    'There is a race condition in the scheduler; fix it.',
  ])('is not what this asks for: %s', (text) => {
    expect(judge([user(text), ...runs(4)]).worst).toBe('warn');
  });
  test.each([
    'Run the upload spec 10 times.',
    'CI fails intermittently in test_queue.',
    'There is a race condition in the lease tests; find it.',
    'Please repeat the suite several times.',
  ])('is what this asks for: %s', (text) => {
    expect(judge([user(text), ...runs(12)]).worst).toBe('none');
  });
  test('warns otherwise, and acts late as long as the tests pass', () => {
    expect(judge([user('Fix the rounding.'), ...runs(9)]).worst).toBe('warn');
    expect(judge([user('Fix the rounding.'), ...runs(10)]).worst).toBe('act');
    const red = repeat(5, () => failing('pytest tests/test_sync.py', '1 failed in 0.39s'));
    expect(judge(red).worst).toBe('act');
    const silentlyRed = repeat(5, () => call('pytest tests/test_sync.py', '1 failed in 0.39s'));
    expect(judge(silentlyRed).worst).toBe('act');
  });
});

describe('test runs', () => {
  const tap = (passed: number, failed: number): string =>
    `TAP version 13\n# tests ${passed + failed}\n# pass ${passed}\n# fail ${failed}\n# duration_ms 12.5`;
  test('a rising pass count is progress, even if more tests fail', () => {
    const written = [
      [2, 1],
      [2, 3],
      [3, 3],
      [4, 3],
      [5, 4],
      [6, 4],
      [7, 4],
      [8, 5],
      [9, 5],
      [10, 5],
    ] as const;
    const steps = written.flatMap(([passed, failed], index) => [
      edit('sum.ts', `${index}`, `${index + 1}`),
      failing('npm test', tap(passed, failed)),
    ]);
    expect(judge(steps).worst).toBe('none');
  });
  test('a count that stays is none', () => {
    const steps = repeat(8, (index) => [edit('sum.ts', `${index}`, 'x'), failing('npm test', tap(3, 1))]);
    expect(judge(steps).worst).toBe('act');
  });
});

describe('searches and tours', () => {
  test('spellings that find nothing warn; the same search in many files does not', () => {
    const spell = (name: string): AgentStep =>
      call('', 'No matches found', { tool: 'grep', input: { pattern: name, path: 'src' } });
    expect(
      judge(['leaseTime', 'lease_time', 'LeaseTime', 'timeLease', 'time_lease', 'LEASE'].map(spell)).worst,
    ).toBe('warn');
    const sweep = repeat(20, (index) => call(`grep -c unwrap src/${'m'.repeat(index + 1)}.ts`, '0'));
    expect(judge(sweep).worst).toBe('none');
  });
  test('the same places again and again, in no fixed order', () => {
    const order = [0, 1, 2, 0, 2, 1, 1, 0, 2, 1, 2, 0, 0, 2, 1, 2, 1, 0, 0, 1, 2];
    const steps = order.map((index) => call(`cat file-${'abc'[index]}`, `content ${'abc'[index]}`));
    expect(judge(steps).kinds).toContain('zero-diversity:warn');
  });
});

describe('talk', () => {
  test('the same text, empty replies, a monologue', () => {
    expect(judge(repeat(5, () => say('Shall I go on?'))).kinds).toContain('repeated-text:act');
    expect(
      judge(repeat(5, (index) => [say(' '.repeat(index)), user('Your reply was empty.')])).kinds,
    ).toContain('empty-replies:act');
    expect(judge(repeat(9, (index) => say(`thought ${'x'.repeat(index)}`))).kinds).toContain(
      'monologue:warn',
    );
  });
  test('an apology spiral acts, and so does one step announced turn after turn', () => {
    const sorry = [
      'I apologize for the confusion. Let me correct that.',
      "Sorry about that! You're right, the path is wrong.",
      'My apologies, I misunderstood the requirement.',
      'You are absolutely right, that was my mistake.',
    ];
    const spiralOf = (count: number): AgentStep[] =>
      repeat(count, (turn) => say(`${sorry[turn % 4]} ${'x'.repeat(turn)}`));
    expect(judge(spiralOf(4)).worst).toBe('none');
    expect(judge(spiralOf(9)).firstAct).toBe(7);
    const verbs = ['now run', 'proceed to run', 'go ahead and run', 'next run', 'finally run'];
    const announced = repeat(9, (turn) =>
      say(`I will ${verbs[turn % 5]} the integration tests for billing.`),
    );
    expect(judge(announced).kinds).toContain('monologue:act');
    const worked = repeat(9, (turn) => [
      say(`Sorry, let me correct part ${'x'.repeat(turn)}.`),
      call(`cat part-${'x'.repeat(turn)}`, `text ${'x'.repeat(turn)}`),
    ]);
    expect(judge(worked).worst).toBe('none');
  });
  test('different paragraphs are no spiral', () => {
    const words =
      'amber bridge cedar delta ember forest garden harbour island jungle kettle lantern meadow'.split(' ');
    const chapters = repeat(7, (turn) =>
      say(
        words
          .map((word, index) => `${word}${'abcdefgh'[(turn * 3 + index) % 8]}${'lmnopqrs'[turn]}`)
          .join(' '),
      ),
    );
    expect(judge(chapters).worst).toBe('none');
  });
  test('work between equal texts ends the repetition', () => {
    expect(judge(repeat(8, (index) => [say('Let me continue.'), edit(`${index}.ts`, 'a', 'b')])).worst).toBe(
      'none',
    );
  });
  test('finds a chant, but not in a table', () => {
    expect(judge([say('I will check the ledger again. '.repeat(40))]).worst).toBe('warn');
    expect(judge([say('| module | present |\n'.repeat(60))]).worst).toBe('none');
  });
  test('compactions without work between', () => {
    expect(judge(repeat(6, () => [compaction(), say('Resuming.')])).kinds).toContain('compaction-loop:act');
    expect(judge(repeat(6, (index) => [compaction(), call(`cat ${index}`, `c${index}`)])).worst).toBe('none');
  });
});

test('a replayed history is counted once', () => {
  const steps = paced(
    repeat(2, () => call('ls', 'a')),
    1_000,
  );
  const later = paced([call('ls', 'b')], 60_000);
  expect(judge([...steps, ...later, ...steps, ...steps, ...steps]).worst).toBe('none');
});

test('every finding says what was seen and what would be progress, in one sentence', () => {
  const seen = new Set<string>();
  for (const { steps } of readFixtures()) {
    let state = emptyDetectorState;
    for (const step of steps) {
      const observation = observe(state, step, defaultDetectionPolicy);
      state = observation.state;
      for (const { kind, evidence } of observation.findings) {
        seen.add(kind);
        expect(evidence).toMatch(/^.{10,}; (?:an?|other|calls) .{3,60} would be progress\.$/s);
      }
    }
  }
  expect(seen.size).toBeGreaterThan(12);
});

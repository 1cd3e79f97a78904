import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPolicies, policyFor } from '@holter/server/policy';
import { afterAll, describe, expect, test } from 'vitest';
import { type BadLine, judgeFile } from './judge-file.ts';
import { defaultPrice } from './price.ts';
import { jsonLine } from './report-json.ts';
import { textOf } from './report-text.ts';
import type { RunReport } from './run-report.ts';

const policy = policyFor(defaultPolicies, 'default', 'replayed');
const folder = mkdtempSync(join(tmpdir(), 'holter-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function judged(
  name: string,
  lines: readonly (string | object)[],
): Promise<{ runs: RunReport[]; bad: BadLine[] }> {
  const file = join(folder, name);
  writeFileSync(
    file,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  const runs: RunReport[] = [];
  const bad: BadLine[] = [];
  await judgeFile(file, policy, defaultPrice, {
    onRun: (run) => void runs.push(run),
    onBadLine: (line) => void bad.push(line),
  });
  return { runs, bad };
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const stamp = (second: number): string => new Date(Date.UTC(2026, 10, 15, 7, 0, second)).toISOString();

describe('holter.steps.v1', () => {
  const header = (run: string) => ({
    format: 'holter.steps.v1',
    run,
    agent: 'a',
    outcome: 'failure',
    expect: null,
  });
  const step = (i: number) => ({
    i,
    at: i * 1_000,
    kind: 'tool',
    tool: 'sh',
    input: { command: 'ls' },
    output: 'x',
    error: false,
    text: null,
    tokens: { in: 100, out: 10 },
  });

  test('no secret of a call is shown', async () => {
    const secret = ['sk', 'ant', 'api03', 'Qm9vN3x7ZkT2vR8sYwLpAe5HcJdFgUiO'].join('-');
    const command = `curl -H 'Authorization: Bearer ${secret}' https://bob:${secret}@example.com/`;
    const calls = times(8, (i) => ({ ...step(i), input: { command }, output: `denied: ${secret}` }));
    const { runs } = await judged('secrets.jsonl', [header('one'), ...calls]);
    expect(runs[0]?.findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(runs[0]?.findings)).not.toContain(secret);
    expect(JSON.stringify(runs[0]?.findings)).toContain('[redacted]');
  });

  test('spending without a change is found, by its price or by its tokens', async () => {
    const reads = (tokens: object) =>
      times(20, (i) => ({
        ...step(i),
        input: { command: `cat ${'x'.repeat(i)}` },
        output: `page ${'y'.repeat(i)}`,
        tokens,
      }));
    const foundIn = async (tokens: object) =>
      (await judged('spending.jsonl', [header('one'), ...reads(tokens)])).runs[0]?.findings ?? [];
    expect(await foundIn({ in: 100_000, out: 0 })).toMatchObject([
      { kind: 'spending', step: 9, evidence: expect.stringMatching(/^\$3\.00 and 10 calls/) },
    ]);
    // The whole context again with each call, but from the cache.
    expect(await foundIn({ in: 100_000, out: 0, cached: 99_000 })).toEqual([]);
  });

  test('several runs in one file, each with its own verdict', async () => {
    const { runs } = await judged('steps.jsonl', [
      header('one'),
      ...times(6, step),
      header('two'),
      step(0),
      step(1),
    ]);
    expect(runs.map(({ run, steps, worst }) => [run, steps, worst])).toEqual([
      ['one', 6, 'act'],
      ['two', 2, 'none'],
    ]);
    expect(runs[0]?.ladder.moves).toEqual([{ step: 4, at: 4_000, move: 'nudge' }]);
    expect(runs[0]?.wasted).toEqual({ in: 100, out: 10, cached: 0 });
  });

  test('a finding has the calls beside it that led to it', async () => {
    const { runs } = await judged('beside.jsonl', [header('one'), ...times(6, step)]);
    const found = runs[0]?.findings.at(-1);
    expect(found?.steps).toEqual(['1 ls', '2 ls', '3 ls', '4 ls']);
    const text = textOf(runs[0] as RunReport, defaultPrice, 100, (_, words) => words);
    expect(text).toContain('1 ls · 2 ls · 3 ls · 4 ls');
    expect(text).toContain('a different result or another call would be progress.');
  });

  test('a torn line is reported with its number and skipped', async () => {
    const { runs, bad } = await judged('torn.jsonl', [
      header('one'),
      step(0),
      '{"i":1,"kind":"too',
      step(1),
      '{"i":9}',
    ]);
    expect(runs[0]?.steps).toBe(2);
    expect(bad.map(({ line }) => line)).toEqual([3, 5]);
  });

  test('the JSON line has exactly the promised shape', async () => {
    const { runs } = await judged('shape.jsonl', [header('one'), ...times(3, step)]);
    const parsed = JSON.parse(jsonLine(runs[0] as RunReport));
    expect(Object.keys(parsed)).toEqual(['run', 'steps', 'worst', 'findings']);
    expect(Object.keys(parsed.findings[0])).toEqual(['kind', 'step', 'severity', 'evidence']);
  });
});

describe('Claude Code', () => {
  const line = (type: string, second: number, message: object, more: object = {}) => ({
    type,
    uuid: `u${type}${second}`,
    sessionId: 's-1',
    timestamp: stamp(second),
    isSidechain: false,
    message,
    ...more,
  });
  const use = (index: number) => [
    line(
      'assistant',
      index * 3,
      { id: `m${index}`, content: [{ type: 'text', text: `try ${index}` }] },
      { uuid: `t${index}` },
    ),
    line('assistant', index * 3 + 1, {
      id: `m${index}`,
      content: [{ type: 'tool_use', id: `c${index}`, name: 'Bash', input: { command: 'make' } }],
      usage: { input_tokens: 100, cache_read_input_tokens: 400, output_tokens: 20 },
    }),
    line('user', index * 3 + 2, {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `c${index}`, content: 'Exit code 2', is_error: true }],
    }),
    {
      type: 'attachment',
      uuid: `a${index}`,
      sessionId: 's-1',
      timestamp: stamp(index * 3 + 2),
      attachment: { type: 'hook_additional_context', content: ['Holter: the same call failed again.'] },
    },
  ];

  test('calls with their results and thoughts; hook replies are not messages', async () => {
    const { runs } = await judged('claude.jsonl', [
      { type: 'queue-operation', sessionId: 's-1', operation: 'enqueue' },
      line('user', 0, { role: 'user', content: 'do it' }),
      ...times(5, use).flat(),
      line('assistant', 20, { id: 'end', content: [{ type: 'text', text: 'I give up.' }] }),
    ]);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      run: 's-1',
      agent: 'claude-code',
      steps: 7,
      worst: 'act',
      tokens: { in: 2_500, out: 100, cached: 2_000 },
    });
  });

  test('a resumed session that repeats its lines counts them once', async () => {
    const lines = times(2, use).flat();
    const { runs } = await judged('resumed.jsonl', [...lines, ...lines, ...lines]);
    expect(runs[0]).toMatchObject({ steps: 2, worst: 'none' });
  });

  test('helpers are runs of their own', async () => {
    const side = times(3, use)
      .flat()
      .map((each, index) => ({ ...each, isSidechain: true, agentId: 'h1', uuid: `side${index}` }));
    const { runs } = await judged('side.jsonl', [...use(9), ...side]);
    expect(runs.map(({ run }) => run).sort()).toEqual(['s-1', 's-1/h1']);
  });
});

test('Codex: the exit code is in the text, below a header that always differs', async () => {
  const item = (second: number, payload: object) => ({
    timestamp: stamp(second),
    type: 'response_item',
    payload,
  });
  const { runs } = await judged('rollout.jsonl', [
    { timestamp: stamp(0), type: 'session_meta', payload: { id: 'thread-1' } },
    item(0, {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '<environment_context>' }],
    }),
    ...times(5, (index) => [
      item(index * 2, {
        type: 'function_call',
        name: 'exec_command',
        arguments: '{"cmd":"make"}',
        call_id: `c${index}`,
      }),
      {
        timestamp: stamp(index * 2),
        type: 'event_msg',
        payload: {
          type: 'token_count',
          info: {
            total_token_usage: { input_tokens: 100 * (index + 1), cached_input_tokens: 40, output_tokens: 5 },
          },
        },
      },
      item(index * 2 + 1, {
        type: 'function_call_output',
        call_id: `c${index}`,
        output: `Chunk ID: 04${index}3c3\nWall time: 0.${index} seconds\nProcess exited with code 2\nOutput:\nno rule\n`,
      }),
    ]).flat(),
  ]);
  expect(runs[0]).toMatchObject({
    run: 'thread-1',
    agent: 'codex',
    steps: 6,
    worst: 'act',
    tokens: { in: 500, out: 5, cached: 40 },
  });
  expect(runs[0]?.findings.at(-1)?.evidence).toContain('with the same error');
});

test('Hive: verdicts make a streak of their own', async () => {
  const { runs } = await judged(
    'tool_logs.jsonl',
    times(11, (index) => ({
      step_index: index,
      execution_id: 'ex',
      llm_text: '',
      verdict: 'RETRY',
      input_tokens: 10,
      output_tokens: 1,
      tool_calls: [
        {
          tool_name: 'read',
          tool_input: { page: `p${'x'.repeat(index)}` },
          result: `content ${'y'.repeat(index)}`,
          is_error: false,
        },
      ],
    })),
  );
  expect(runs[0]?.findings.map(({ kind, severity }) => `${kind}:${severity}`)).toEqual([
    'verdict-streak:warn',
    'verdict-streak:act',
  ]);
});

test('a file of something else says so', async () => {
  const { runs, bad } = await judged('other.jsonl', [{ hello: 'world' }, 'plain text']);
  expect(runs).toEqual([]);
  expect(bad.map(({ because }) => because)).toContain('no known transcript format');
});

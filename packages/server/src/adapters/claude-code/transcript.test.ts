import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { MarkedSignal } from '../shared/hooks.ts';
import { TranscriptTail } from '../shared/transcript-tail.ts';
import { transcript } from './transcript.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-transcript-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SESSION = 'c64a3fea-d51f-4305-9248-db9d38df8039';
let uuids = 0;
const line = (type: string, message: object, more: object = {}) =>
  `${JSON.stringify({ type, sessionId: SESSION, uuid: `u${++uuids}`, message, ...more })}\n`;
const usage = { input_tokens: 18_993, output_tokens: 20 };
const model = 'claude-opus-4-8';
const says = (id: string, text: string, stop = 'tool_use') =>
  line('assistant', { id, model, usage, stop_reason: stop, content: [{ type: 'text', text }] });
const calls = (id: string, callId: string, command: string) =>
  line('assistant', {
    id,
    model,
    usage,
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', id: callId, name: 'Bash', input: { command } }],
  });
const returns = (callId: string, content: string, isError = false) =>
  line('user', {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: callId, content, is_error: isError }],
  });

function tailOf(name: string, told: readonly string[] = [], isQuiet = false) {
  const file = join(folder, name);
  writeFileSync(file, '', { flag: 'a' });
  const heard: MarkedSignal[] = [];
  const session = {
    sessionId: SESSION,
    hasTold: (callId: string) => told.includes(callId),
    tell: async (signal: MarkedSignal) => void heard.push(signal),
  };
  const tail = new TranscriptTail(session, {
    file,
    reader: transcript.open(SESSION),
    start: { position: 0, tokens: 0, costUsd: 0 },
    hooks: () => (isQuiet ? 'quiet' : 'coming'),
  });
  return { file, tail, heard };
}

test('tokens and cost are counted once per message, however many lines it takes', async () => {
  const { file, tail, heard } = tailOf('tokens.jsonl', ['t1']);
  appendFileSync(file, says('m1', 'Let me see.') + calls('m1', 't1', 'ls') + returns('t1', 'a b'));
  appendFileSync(file, calls('m2', 't2', 'pwd'));
  await tail.look();
  const meter = heard.filter(({ kind }) => kind === 'tokens');
  expect(meter).toHaveLength(1);
  expect(meter[0]).toMatchObject({ total: 2 * 19_013, contextUse: 18_993 / 1_000_000 });
  // As the CLI itself reckons it (its own telemetry says 0.095465 for one such request).
  expect(meter[0]).toHaveProperty('costUsd', expect.closeTo(2 * 0.095465, 6));
});

test('a call that no hook told of is told, with its words; one that a hook told of is not', async () => {
  const { file, tail, heard } = tailOf('calls.jsonl', ['t1']);
  appendFileSync(file, calls('m1', 't1', 'ls') + returns('t1', 'a'));
  appendFileSync(file, says('m2', 'Hm.') + calls('m2', 't2', 'cat x') + returns('t2', 'Exit code 1', true));
  await tail.look();
  expect(heard.filter(({ kind }) => kind === 'call-ended')).toMatchObject([
    {
      callId: 't2',
      tool: 'Bash',
      input: { command: 'cat x' },
      output: 'Exit code 1',
      isError: true,
      text: 'Hm.',
    },
  ]);
});

test("what hooks said stands in attachments and is never the agent's word; its own last word is", async () => {
  const { file, tail, heard } = tailOf('words.jsonl');
  const attachment = { type: 'hook_additional_context', content: ['Holter: the same call was made 5 times'] };
  appendFileSync(file, line('attachment', {}, { attachment }) + says('m1', 'All done.', 'end_turn'));
  appendFileSync(file, line('user', { role: 'user', content: 'next one' }, { promptId: 'p2' }));
  await tail.look();
  expect(JSON.stringify(heard)).not.toContain('Holter');
  expect(heard.map(({ kind }) => kind)).toEqual(['said', 'turn-begun', 'tokens']);
  expect(heard[1]).toMatchObject({ id: 'p2' });
});

test('positions rise from fact to fact, so a second reading of the file brings nothing new', async () => {
  const { file, tail, heard } = tailOf('marks.jsonl');
  for (let n = 0; n < 1_000; n++)
    appendFileSync(file, calls(`m${n}`, `t${n}`, `make ${n}`) + returns(`t${n}`, `${n}`));
  await tail.look();
  const marks = heard.map(({ seq }) => seq ?? 0);
  expect(heard).toHaveLength(1_001);
  expect(marks).toEqual([...marks].sort((a, b) => a - b));
  expect(new Set(marks).size).toBe(marks.length);
});

test('the end of a turn is taken from here only while hooks are silent', async () => {
  for (const isQuiet of [false, true]) {
    const { file, tail, heard } = tailOf(`end-${isQuiet}.jsonl`, [], isQuiet);
    appendFileSync(file, says('m1', 'Done.', 'end_turn'));
    await tail.look();
    expect(heard.some(({ kind }) => kind === 'turn-ended')).toBe(isQuiet);
  }
});

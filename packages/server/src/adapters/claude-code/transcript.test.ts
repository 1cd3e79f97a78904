import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { MarkedSignal } from '../shared/hooks.ts';
import type { MeterStart } from '../shared/model-meter.ts';
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

const fromBeginning: MeterStart & { readonly position: number } = { position: 0, tokens: 0, models: [] };

function tailOf(name: string, told: readonly string[] = [], isQuiet = false, start = fromBeginning) {
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
    start,
    hooks: () => (isQuiet ? 'quiet' : 'coming'),
  });
  return { file, tail, heard };
}

test('tokens are counted once per message, however many lines it takes', async () => {
  const { file, tail, heard } = tailOf('tokens.jsonl', ['t1']);
  appendFileSync(file, says('m1', 'Let me see.') + calls('m1', 't1', 'ls') + returns('t1', 'a b'));
  appendFileSync(file, calls('m2', 't2', 'pwd'));
  await tail.look();
  const meter = heard.filter(({ kind }) => kind === 'tokens');
  expect(meter).toHaveLength(2);
  expect(meter.at(-1)).toMatchObject({
    total: 2 * 19_013,
    models: [{ model, input: 2 * 18_993, output: 40 }],
    contextUse: 18_993 / 1_000_000,
  });
});

test('a message whose later lines know of more tokens is counted with all of them', async () => {
  const { file, tail, heard } = tailOf('growing.jsonl');
  const part = (output: number, block: object) =>
    line('assistant', { id: 'm1', model, usage: { ...usage, output_tokens: output }, content: [block] });
  appendFileSync(file, part(3, { type: 'text', text: 'Let me see.' }));
  appendFileSync(file, part(3, { type: 'tool_use', id: 't1', name: 'Bash', input: {} }));
  appendFileSync(file, part(250, { type: 'tool_use', id: 't2', name: 'Bash', input: {} }));
  await tail.look();
  expect(heard.filter(({ kind }) => kind === 'tokens').at(-1)).toMatchObject({ total: 18_993 + 250 });
});

test('the parts of a message that are priced differently are told apart', async () => {
  const { file, tail, heard } = tailOf('cache.jsonl');
  const cached = {
    input_tokens: 7,
    output_tokens: 11,
    cache_read_input_tokens: 1_000,
    cache_creation_input_tokens: 300,
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  };
  appendFileSync(file, line('assistant', { id: 'm1', model, usage: cached, content: [] }));
  await tail.look();
  expect(heard.filter(({ kind }) => kind === 'tokens')).toMatchObject([
    {
      total: 1_318,
      models: [{ model, input: 7, output: 11, cacheRead: 1_000, cacheWrite: 100, cacheWriteHour: 200 }],
    },
  ]);
});

test('a reader that goes on in the middle of a message counts no token twice', async () => {
  const { file, tail, heard } = tailOf('restart.jsonl');
  appendFileSync(file, says('m1', 'Let me see.'));
  await tail.look();
  const told = heard.find(({ kind }) => kind === 'tokens');
  const position = (told?.seq ?? 0) - 1;
  const later = tailOf('restart.jsonl', [], false, {
    position,
    tokens: 19_013,
    models: [{ model, input: 18_993, output: 20 }],
  });
  appendFileSync(file, calls('m1', 't1', 'ls') + says('m2', 'Done.'));
  await later.tail.look();
  expect(later.heard.filter(({ kind }) => kind === 'tokens')).toMatchObject([{ total: 2 * 19_013 }]);
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
  expect(heard.map(({ kind }) => kind)).toEqual(['tokens', 'said', 'turn-begun']);
  expect(heard[2]).toMatchObject({ id: 'p2' });
});

test('positions rise from fact to fact, so a second reading of the file brings nothing new', async () => {
  const { file, tail, heard } = tailOf('marks.jsonl');
  for (let n = 0; n < 1_000; n++)
    appendFileSync(file, calls(`m${n}`, `t${n}`, `make ${n}`) + returns(`t${n}`, `${n}`));
  await tail.look();
  const marks = heard.map(({ seq }) => seq ?? 0);
  expect(heard).toHaveLength(2_000);
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

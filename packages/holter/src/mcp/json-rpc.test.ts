import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { RpcError, serveLines } from './json-rpc.ts';
import { McpServer } from './protocol.ts';

/** What is answered to these chunks, in order. */
async function answersTo(
  chunks: readonly string[],
  handle: (method: string) => Promise<unknown> = async (method) => ({ method }),
): Promise<readonly Record<string, unknown>[]> {
  const written: string[] = [];
  const failed = (error: unknown): void => void written.push(JSON.stringify({ bug: String(error) }));
  await serveLines(Readable.from(chunks), { write: (line) => void written.push(line), handle, failed });
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const request = (id: number, method: string): string => `${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`;

it('answers each line, however the stream cuts it', async () => {
  const text = request(1, 'é') + request(2, 'two');
  const whole = await answersTo([text]);
  expect(whole).toEqual([
    { jsonrpc: '2.0', id: 1, result: { method: 'é' } },
    { jsonrpc: '2.0', id: 2, result: { method: 'two' } },
  ]);
  expect(await answersTo([...text])).toEqual(whole);
});

it.each<[string, string, object]>([
  ['no JSON', 'hello\n', { id: null, error: { code: -32_700 } }],
  ['a batch', '[]\n', { id: null, error: { code: -32_600 } }],
  ['another protocol', '{"id":1,"method":"x"}\n', { id: null, error: { code: -32_600 } }],
  ['a line without an end of 17 MB', `${'x'.repeat(17 * 1024 * 1024)}\n`, { error: { code: -32_600 } }],
])('refuses %s, and goes on', async (_what, line, refusal) => {
  expect(await answersTo([line, request(1, 'next')])).toMatchObject([refusal, { id: 1 }]);
});

it('does not answer notifications, answers and blank lines', async () => {
  const lines = [
    '{"jsonrpc":"2.0","method":"notifications/x"}\n',
    '{"jsonrpc":"2.0","id":1,"result":{}}\n',
    '\n',
  ];
  expect(await answersTo(lines)).toEqual([]);
});

it('does not answer a request that was cancelled', async () => {
  let finish: (value: unknown) => void = () => undefined;
  const slow = new Promise((resolve) => {
    finish = resolve;
  });
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n';
  const handle = (method: string): Promise<unknown> => {
    if (method === 'slow') return slow;
    finish('too late');
    return Promise.resolve('fast');
  };
  const answers = await answersTo([request(1, 'slow'), cancel, request(2, 'fast')], handle);
  expect(answers).toMatchObject([{ id: 2, result: 'fast' }]);
});

it('tells refusals with their code, and a bug without its details', async () => {
  const refuse = async (): Promise<never> => {
    throw new RpcError(-32_602, 'not so', { field: 'x' });
  };
  expect(await answersTo([request(1, 'x')], refuse)).toMatchObject([
    { id: 1, error: { code: -32_602, message: 'not so', data: { field: 'x' } } },
  ]);
  const bug = async (): Promise<never> => {
    throw new Error('secret');
  };
  const [told, answer] = await answersTo([request(1, 'x')], bug);
  expect(told).toEqual({ bug: 'Error: secret' });
  expect(JSON.stringify(answer)).not.toContain('secret');
});

it('offers the newest version to a client whose version it does not know', async () => {
  const server = new McpServer('1', async () => ({ instructions: 'none', tools: [] }));
  const versionFor = async (protocolVersion: string) =>
    ((await server.handle('initialize', { protocolVersion })) as { protocolVersion: string }).protocolVersion;
  expect(await versionFor('2024-11-05')).toBe('2024-11-05');
  expect(await versionFor('1999-01-01')).toBe('2025-11-25');
  const params = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } };
  await expect(server.handle('tools/list', params)).rejects.toMatchObject({
    code: -32_022,
    data: { supported: ['2026-07-28'], requested: '2099-01-01' },
  });
});

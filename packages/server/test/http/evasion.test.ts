import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHttp, type TestServer } from './kit.ts';

/** An agent that repeats one call and wants it to look like work. */
describe('a loop in disguise, over HTTP', () => {
  let server: TestServer;
  let token: string;
  beforeEach(async () => {
    server = await startHttp();
    token = (await server.operator.register({ agentId: 'ada', instanceId: 'i1' })).token;
  });
  afterEach(() => server.stop());

  const look = (command: string) => ({ tool: 'Bash', input: { command }, output: 'pending', isError: false });
  const write = (turn: number) => ({
    tool: 'Edit',
    input: { file_path: 'notes.md', old_string: `${turn}`, new_string: `${turn + 1}` },
    output: 'updated',
    isError: false,
  });

  async function found(calls: readonly object[]): Promise<readonly unknown[]> {
    const body = calls.map((call, index) => ({ kind: 'call-ended', callId: `c${index}`, ...call }));
    const told = await server.call('POST', '/v1/agents/ada/signals', { token, body });
    expect(told.status, told.text).toBeLessThan(300);
    const { json } = await server.call('GET', '/v1/agents/ada', { token: server.tokens.viewer });
    return (json.findings as { kind: string; severity: string }[]).map(({ kind, severity }) => [
      kind,
      severity,
    ]);
  }

  it('a comment that changes at each of forty repeats acts', async () => {
    const calls = Array.from({ length: 40 }, (_, turn) => look(`cat status.txt # look ${turn}`));
    expect(await found(calls)).toContainEqual(['repeated-call', 'act']);
  });

  it('an edit at every third of forty repeats warns', async () => {
    const calls = Array.from({ length: 40 }, (_, turn) =>
      turn % 3 === 2 ? write(turn) : look('cat status.txt'),
    );
    expect(await found(calls)).toContainEqual(['repeated-call', 'warn']);
  });
});

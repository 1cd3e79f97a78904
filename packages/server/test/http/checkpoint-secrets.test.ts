import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHttp, type TestServer } from './kit.ts';

// In parts, so that no scanner takes this file for a leak.
const secret = ['ghp_', 'aZ3kQ9xLmN7bV2cR8tYwaZ3kQ9xLmN7bV2cR'].join('');

describe('secrets of checkpoints', () => {
  let server: TestServer;
  let token: string;
  beforeEach(async () => {
    server = await startHttp();
    const enroll = server.client(server.tokens.enroll);
    ({ token } = await enroll.register({ agentId: 'ada', instanceId: 'i', group: 'web' }));
  });
  afterEach(() => server.stop());

  const content = { env: { GITHUB_TOKEN: secret }, next: `curl -H 'Authorization: token ${secret}' x` };

  it('in contents are shown to the agent itself and to operators only', async () => {
    await server.client(token).writeCheckpoint('ada', { checkpointId: 'c1', content });
    const read = async (by: string) =>
      (await server.client(by).checkpoints('ada')).checkpoints.map(
        ({ content: shown, isRedacted, isValid }) => ({
          shown,
          isRedacted,
          isValid,
        }),
      );
    for (const by of [token, server.tokens.operator])
      expect(await read(by)).toEqual([{ shown: content, isRedacted: false, isValid: true }]);
    const own = await server.operator.makeToken({ role: 'orchestrator', group: 'web' });
    for (const by of [server.tokens.viewer, server.tokens.orchestrator, own.token]) {
      const [seen] = await read(by);
      expect(seen).toMatchObject({ isRedacted: true, isValid: true });
      expect(JSON.stringify(seen)).not.toContain(secret);
      expect(seen?.shown).toMatchObject({ env: { GITHUB_TOKEN: '[redacted]' } });
    }
    await server.client(token).writeCheckpoint('ada', { checkpointId: 'c2', content: { done: 'parser' } });
    expect((await read(server.tokens.viewer))[0]).toEqual({
      shown: { done: 'parser' },
      isRedacted: false,
      isValid: true,
    });
  });

  it('in contents that are too long to be searched are not shown either', async () => {
    const long = { text: 'x'.repeat(2_000_000), secret };
    await server.client(token).writeCheckpoint('ada', { content: long });
    const [seen] = (await server.client(server.tokens.viewer).checkpoints('ada')).checkpoints;
    expect(seen).toMatchObject({ content: null, isRedacted: true, isValid: true });
    expect((await server.operator.checkpoints('ada')).checkpoints[0]?.content).toEqual(long);
  });

  it('in ids are refused, and shown nowhere', async () => {
    const post = (path: string, body: object) =>
      server.call('POST', `/v1/agents/ada/${path}`, { token, body });
    const replies = [
      await post('checkpoints', { checkpointId: secret, content: 1 }),
      await post('checkpoints', { taskId: secret, content: 1 }),
      await post('signals', { kind: 'checkpoint', checkpointId: secret, hash: '00' }),
      await post('signals', { kind: 'handoff-written', noteId: secret }),
      await post('signals', { kind: 'message-delivered', messageId: secret, priority: 'urgent' }),
    ];
    for (const { status, json } of replies)
      expect([status, json]).toMatchObject([400, { error: { code: 'secret_id' } }]);
    const shown = [
      ...['/v1/agents/ada', '/v1/agents/ada/checkpoints', '/v1/events?agentId=ada&limit=100'].map((path) =>
        server.call('GET', path, { token: server.tokens.viewer }),
      ),
    ];
    for (const { text } of [...replies, ...(await Promise.all(shown))]) expect(text).not.toContain(secret);
    // What only looks similar is an id like any other.
    const sha = '3f786850e387550fdab836ed7e6dc881de23001b';
    expect((await post('checkpoints', { checkpointId: sha, content: 1 })).status).toBe(201);
  });
});

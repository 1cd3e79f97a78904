import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CostPage } from '../../packages/server/src/http/types.ts';
import { bash, type Script } from './scripted-model.ts';
import { shortPolicy, World } from './world.ts';

/** Each message of the model has 1,000 tokens in and 20 out: 0.0055 dollars. */
const policy = `${shortPolicy}
prices: { scripted: { input: 5, output: 25 } }
budgets: { run: { usd: 0.03, warn_at: 0.5, at_limit: nudge } }
`;
const MICROS = 5_500;
const NUDGE = 'the budget for your work is used up';

describe('the cost of a real session', { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(policy);
  }, 200_000);
  afterAll(() => world?.stop());

  /** Messages of the model, as the CLI's own record has them. */
  function messagesOf(session: string): number {
    const ids = world
      .transcript(session)
      .split('\n')
      .filter((line) => line.includes('"usage"'))
      .map((line) => (JSON.parse(line) as { message: { id: string } }).message.id);
    return new Set(ids).size;
  }

  async function rowOf(agentId: string, isDone: (row: CostPage['rows'][number]) => boolean) {
    for (let tries = 0; tries < 100; tries += 1) {
      const row = (await world.get<CostPage>('/v1/cost')).rows.find(({ key }) => key === agentId);
      if (row && isDone(row)) return row;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return (await world.get<CostPage>('/v1/cost')).rows.find(({ key }) => key === agentId);
  }

  async function ran(script: Script) {
    const session = randomUUID();
    const model = await world.model(script);
    const { code, err } = await world.claude(model, ['--session-id', session]);
    expect(code, err).toBe(0);
    const messages = messagesOf(session);
    const agentId = `claude.shop.${session.slice(0, 8)}`;
    const row = await rowOf(agentId, ({ tokens }) => tokens >= messages * 1_020);
    return { agentId, messages, row, model };
  }

  it('is that of its messages, and a budget that is used up nudges it', async () => {
    const { agentId, messages, row, model } = await ran(({ text }, turn) =>
      text.includes(NUDGE) || turn > 20 ? { say: 'Finished.' } : bash(`echo part ${turn} > part-${turn}.txt`),
    );
    expect(model.requests.at(-1)?.text).toContain(NUDGE);
    expect(row).toMatchObject({
      tokens: messages * 1_020,
      input: messages * 1_000,
      output: messages * 20,
      costUsd: (messages * MICROS) / 1e6,
      unpricedTokens: 0,
    });
    const { out } = await world.holter(['cost', '--by', 'model']);
    expect(out).toMatch(/^scripted +\S+ .*\$0\.0\d/m);
    const types = (await world.events(agentId)).map(({ type }) => type);
    expect(types).toContain('NUDGE_SENT');
  });

  it('is counted once when the server is killed and comes back', async () => {
    const { messages, row } = await ran(async (_request, turn) => {
      if (turn === 3) {
        const port = Number(new URL(world.server.url).port);
        await world.server.end('SIGKILL');
        await world.startServer(port);
      }
      return turn <= 5 ? bash(`echo step ${turn} > step-${turn}.txt`) : { say: 'Finished.' };
    });
    expect(row).toMatchObject({ tokens: messages * 1_020, costUsd: (messages * MICROS) / 1e6 });
  });
});

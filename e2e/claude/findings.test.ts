import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../run/kit.ts';
import { bash, type ModelMove } from './scripted-model.ts';
import { type Event, World } from './world.ts';

describe.concurrent('what is found in a session, and when', { timeout: 120_000 }, () => {
  let world: World;
  let file = '';
  beforeAll(async () => {
    world = await World.start();
    mkdirSync(join(world.project, 'src'));
    file = join(world.project, 'src', 'pay.ts');
    writeFileSync(file, 'export const pay = () => 1;\n');
    writeFileSync(join(world.project, 'status.txt'), 'state: building\n');
  }, 200_000);
  afterAll(() => world?.stop());

  const call = (tool: string, input: object): ModelMove => ({ say: 'Let me see.', call: { tool, input } });

  /** Makes the calls and ends. Waits after the call whose result is expected to raise a finding. */
  async function session(moves: readonly ModelMove[], findingAfter = 0): Promise<readonly Event[]> {
    const sessionId = randomUUID();
    const agentId = `claude.shop.${sessionId.slice(0, 8)}`;
    const raised = async () => (await world.events(agentId)).filter(({ type }) => type === 'FINDING_RAISED');
    const model = await world.model(async (_request, turn) => {
      if (findingAfter > 0 && turn === findingAfter + 1)
        await until('a finding is raised', async () => (await raised()).length > 0);
      return moves[turn - 1] ?? { say: 'Finished.' };
    });
    const tools = ['--allowedTools', 'Bash', 'Grep', 'Read', 'Edit'];
    const ran = await world.claude(model, ['--session-id', sessionId, ...tools]);
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Finished.') });
    expect(model.requests).toHaveLength(moves.length + 1);
    // Warnings are for people: the model is told nothing.
    expect(model.requests.at(-1)?.text).not.toContain('Holter:');
    const types = (await world.events(agentId)).map(({ type }) => type);
    expect(types).toContain('AGENT_REGISTERED');
    expect(types).not.toContain('INCIDENT_OPENED');
    return raised();
  }

  it('a poll with `sleep 5`, three times the same answer: nothing', async () => {
    const poll = bash('sleep 5; cat status.txt');
    expect(await session([poll, poll, poll, bash('cat src/pay.ts')])).toEqual([]);
  });

  it('eight searches that find nothing: a dry spell, at the sixth', async () => {
    const words = ['refund', 'chargeback', 'payout', 'invoice', 'ledger', 'credit', 'debit', 'settle'];
    const searches = words.map((pattern) => call('Grep', { pattern, path: 'src' }));
    const evidence = expect.stringMatching(
      /^Calls found nothing or failed, 6 more than brought something new/,
    );
    expect(await session(searches, 6)).toMatchObject([
      { payload: { kind: 'dry-spell', severity: 'warn', evidence } },
    ]);
  });

  it('five edits rejected with other strings: the same error, at the fourth', async () => {
    const edit = (old_string: string) =>
      call('Edit', { file_path: file, old_string, new_string: 'export const pay = () => 2;' });
    const wrong = ['pay = ( )', 'let pay', 'function pay()', 'const pay =()', 'pay: () => 1'].map(edit);
    const evidence = expect.stringMatching(/^4 of the last 16 calls failed with the same kind of error/);
    expect(await session([call('Read', { file_path: file }), ...wrong], 5)).toMatchObject([
      { payload: { kind: 'same-error', severity: 'warn', evidence } },
    ]);
  });
});

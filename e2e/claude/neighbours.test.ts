import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../run/kit.ts';
import { bash } from './scripted-model.ts';
import { World } from './world.ts';

describe('two sessions in one project', { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  }, 200_000);
  afterAll(() => world?.stop());

  it('one loops, and only that one hears of it', async () => {
    const looper = await world.model(({ text }, turn) =>
      text.includes('Holter:') || turn > 30 ? { say: 'Changed.' } : bash('cat missing.txt'),
    );
    const worker = await world.model((_request, turn) =>
      turn > 12 ? { say: 'Worked.' } : bash(`echo step ${turn}; sleep 0.2`),
    );
    const [looped, worked] = await Promise.all([world.claude(looper), world.claude(worker)]);
    expect(looped.out).toContain('Changed.');
    expect(worked.out).toContain('Worked.');
    expect(looper.requests.at(-1)?.text).toContain('Holter:');
    expect(worker.requests.at(-1)?.text).not.toContain('Holter:');
    const agents = await world.agents();
    expect(agents).toHaveLength(2);
    expect(new Set(agents.map(({ group }) => group))).toEqual(new Set(['shop']));
    const nudged = (await world.events()).filter(({ type }) => type === 'NUDGE_SENT');
    expect(new Set(nudged.map(({ payload }) => payload.agentId)).size).toBe(1);
  });

  it('counts the tokens of a session by its transcript', async () => {
    const model = await world.model((_request, turn) =>
      turn > 3 ? { say: 'Worked.' } : bash(`echo ${turn}; sleep 0.3`),
    );
    await world.claude(model);
    const tokens = (await world.agents()).map((agent) => Number(agent.tokens));
    expect(Math.max(...tokens)).toBeGreaterThanOrEqual(3 * 1_020);
    expect(tokens.every((count) => count <= 14 * 1_020)).toBe(true);
  });

  it('killed in the middle of a call: not a normal stop, and the tool that it left is reported', async () => {
    const model = await world.model((_request, turn) =>
      turn === 1 ? bash('sleep 5') : bash('echo $$ > tool.pid; exec sleep 300'),
    );
    const sessionId = randomUUID();
    const agentId = `claude.shop.${sessionId.slice(0, 8)}`;
    const { child, ended } = world.startClaude(model, ['--session-id', sessionId]);
    const file = join(world.project, 'tool.pid');
    const tool = await until(
      'the tool runs',
      () => (existsSync(file) && Number(readFileSync(file, 'utf8'))) || null,
      60_000,
    );
    // The server looks every two seconds which processes a session has.
    const noted = Date.now() + 6_000;
    await until('the server has looked', () => Date.now() > noted);
    child.kill('SIGKILL');
    await ended;
    await expect
      .poll(() => world.agent(agentId), { timeout: 20_000 })
      .toMatchObject({ end: { how: 'crash', detail: 'the process is gone, in the middle of a call' } });
    const { notices } = await world.get<{ notices: { message: string }[] }>('/v1/incidents');
    expect(notices.map(({ message }) => message).join()).toMatch(
      new RegExp(`${agentId} was killed in the middle of its work and left .*\\b${tool}\\b`),
    );
    process.kill(tool, 'SIGKILL');
  });
});

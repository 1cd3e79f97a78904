import { afterAll, expect, it, vi } from 'vitest';
import { fixture, World } from './kit.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });
const world = new World();
afterAll(() => world.close());

it('a program with the client inside reports for the agent of the run', async () => {
  const run = world.run('--agent', 'frog', '--', process.execPath, fixture('client'));
  expect(await run.ended, run.err()).toBe(0);
  const status = JSON.parse(run.out().trimEnd().split('\n').at(-1) ?? '');
  expect(status).toEqual({ agentId: 'frog', state: 'connected', incarnation: 1, rejections: [] });
  const { agents } = await world.ask<{ agents: { agentId: string }[] }>('GET', '/v1/agents');
  expect(agents.map(({ agentId }) => agentId)).toEqual(['frog']);
  const frog = await world.agent('frog');
  expect(frog).toMatchObject({ incarnation: 1, phase: 'looking', end: { how: 'exit-0' } });
  const { checkpoints } = await world.ask<{ checkpoints: { content: unknown }[] }>(
    'GET',
    '/v1/agents/frog/checkpoints',
  );
  expect(checkpoints.map(({ content }) => content)).toEqual([{ looked: 3 }]);
});

it('a nudge is in the reply as well as in the nudge file, under one id', async () => {
  const run = world.run('--agent', 'toad', '--', process.execPath, fixture('nudged'));
  expect(await run.ended, run.err()).toBe(0);
  const { nudges, file } = JSON.parse(run.out().trimEnd().split('\n').at(-1) ?? '');
  expect(nudges[0]).toBe(file[0]);
  expect(new Set(nudges).size).toBe(nudges.length);
  await expect
    .poll(() => world.receipts('toad'))
    .toContainEqual(expect.objectContaining({ effectId: nudges[0], outcome: 'seen' }));
});

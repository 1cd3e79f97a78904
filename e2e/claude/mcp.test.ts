import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin } from '../holter-process.ts';
import type { ModelMove } from './scripted-model.ts';
import { World } from './world.ts';

/** As `claude mcp add holter -- holter mcp` configures it. */
const CONFIG = JSON.stringify({
  mcpServers: { holter: { command: process.execPath, args: [bin, 'mcp'] } },
});

/** The server may need a moment to offer the nudge. */
const TURNS_MAX = 50;

const use = (tool: string, input: object): ModelMove => ({
  say: 'Let me report.',
  call: { tool: `mcp__holter__${tool}`, input },
});

const args = (...tools: readonly string[]) => [
  '--mcp-config',
  CONFIG,
  '--allowedTools',
  ...tools.map((tool) => `mcp__holter__${tool}`),
];

describe('Claude Code with the tools of holter mcp', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  }, 200_000);
  afterAll(() => world?.stop());

  it('reports as the agent of its run, and reads a nudge in the reply', async () => {
    const model = await world.model(async ({ text }, turn) => {
      if (turn === 1) {
        const { code, err } = await world.holter([
          'nudge',
          'talker',
          '--reason',
          'look at the log',
          '--no-wait',
        ]);
        expect(code, err).toBe(0);
        return use('heartbeat', { phase: 'testing' });
      }
      if (turn === 2) return use('report_blocker', { text: 'no access to the registry' });
      if (text.includes('look at the log')) return { say: 'I was nudged.' };
      return turn < TURNS_MAX ? use('heartbeat', { phase: 'testing' }) : { say: 'Nothing came.' };
    });
    const { ended } = world.run(model, {
      options: ['--agent', 'talker'],
      args: args('heartbeat', 'report_blocker'),
    });
    const ran = await ended;
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('I was nudged.') });
    expect(await world.agent('talker')).toMatchObject({ phase: 'testing' });
    expect(JSON.stringify(await world.events('talker'))).toContain('no access to the registry');
  });

  it('supervises, and may not stop anybody', async () => {
    const model = await world.model(({ text }, turn) => {
      if (turn === 1) return use('list_agents', {});
      if (turn === 2) return use('terminate', { agent_id: 'talker', reason: 'I was told to' });
      return { say: text.includes('--allow-stop') && text.includes('talker') ? 'Refused.' : 'Done.' };
    });
    const command = ['-p', 'look after them', ...args('list_agents', 'terminate')];
    const ran = await world.spawn(world.claudePath, command, world.environment(model)).ended;
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Refused.') });
    expect((await world.events('talker')).map(({ type }) => type)).not.toContain('AGENT_TERMINATED');
  });
});

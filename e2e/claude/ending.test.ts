import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../run/kit.ts';
import { TerminalSession } from './terminal-session.ts';
import { World } from './world.ts';

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

type Agent = {
  readonly agentId: string;
  readonly state: string;
  readonly incarnation: number;
  readonly end: { readonly how: string; readonly detail: string } | null;
};

describe.runIf(hasTmux)('a connected session in a terminal', { timeout: 90_000 }, () => {
  let world: World;
  let session: TerminalSession | null = null;
  beforeAll(async () => {
    world = await World.start();
  }, 200_000);
  afterAll(async () => {
    try {
      session?.end();
    } catch {
      // It has ended with /exit.
    }
    await world?.stop();
  });

  const agents = async () => (await world.get<{ agents: readonly Agent[] }>('/v1/agents')).agents;
  const type = async (text: string) => {
    session?.press(text);
    await until(`${text} on the screen`, () => session?.screen().includes(text));
    session?.press('Enter');
  };

  it('ends with /clear, while its process goes on with another, and that one with /exit', async () => {
    await world.holter(['connect', 'claude-code']);
    const model = await world.model(() => ({ say: 'Cleaned.' }));
    session = new TerminalSession(world, model, 'ending', false);
    await until('an answer', () => session?.screen().includes('Cleaned.'));
    await until('an agent', async () => (await agents()).length === 1);
    const [first] = await agents();
    // Its files are looked at every two seconds.
    const lookedAt = async () => (await world.get<{ lastTickAt: number | null }>('/health')).lastTickAt ?? 0;
    const since = await lookedAt();
    await until('a look at its files', async () => (await lookedAt()) > since + 4_000);
    await type('/clear');
    await until('its end', async () => (await agents()).some(({ end }) => end !== null), 10_000);
    await type('once more');
    await until('the next', async () => (await agents()).some(({ end }) => end === null));
    const after = await agents();
    expect((await world.events(first?.agentId)).map(({ type: told }) => told)).toContain('STOP_ANNOUNCED');
    expect(after.find(({ agentId }) => agentId === first?.agentId)).toMatchObject({
      state: 'TERMINATED',
      end: { how: 'stopped', detail: 'session ended: clear' },
    });
    await type('/exit');
    await until('its end', async () => (await agents()).every(({ end }) => end !== null), 10_000);
    for (const { end, incarnation } of await agents())
      expect({ end, incarnation }).toMatchObject({ end: { how: 'stopped' }, incarnation: 1 });
  });
});

import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bash } from './scripted-model.ts';
import { shortPolicy, World } from './world.ts';

/** Whether it becomes true in this time. */
async function within(ms: number, isTrue: () => Promise<boolean>): Promise<boolean> {
  const endsAt = Date.now() + ms;
  for (;;) {
    if (await isTrue()) return true;
    if (Date.now() >= endsAt) return false;
    await setTimeout(200);
  }
}

describe('Holter itself dies and comes back', { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    // Only one nudge may be due in this time, neither by the clock nor by further repeats.
    const patient = shortPolicy.replace('nudge: { interval_seconds: 3 }', 'nudge: { interval_seconds: 600 }');
    world = await World.start(`${patient}  nudge_repeats_max: 100\n`);
  }, 200_000);
  afterAll(() => world?.stop());

  it('the agent notices nothing, what it did meanwhile counts, and nothing is said twice', async () => {
    const { port } = world.server;
    let nudgedAt = 0;
    const sent = async () => (await world.events()).filter(({ type }) => type === 'NUDGE_SENT');
    const model = await world.model(async ({ text }, turn) => {
      if (turn === 3) await world.server.end('SIGKILL');
      if (turn === 5) await world.startServer(port);
      if (nudgedAt === 0 && text.includes('Holter:')) {
        nudgedAt = turn;
        // A second crash, after it is known that the nudge was delivered, and perhaps before it is known that it was
        // seen. A reply whose delivery is not yet written when Holter dies is repeated: better twice than never.
        await expect.poll(sent).toHaveLength(1);
        await world.server.end('SIGKILL');
        await world.startServer(port);
      }
      const isOver = turn > 25 || (nudgedAt > 0 && turn >= nudgedAt + 3);
      return isOver ? { say: 'Over.' } : bash('cat missing.txt');
    });
    const ran = await world.claude(model);
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Over.') });
    expect(ran.err).toBe('');
    // Two calls before, two that are only in the transcript, and those until the transcript was read.
    expect(nudgedAt).toBeGreaterThan(0);
    expect(nudgedAt).toBeLessThanOrEqual(9);
    expect(model.requests.at(-1)?.text.split('Holter:')).toHaveLength(2);
    expect(await sent()).toHaveLength(1);
    expect(await world.agents()).toHaveLength(1);
  });

  it('and at another address: the silence of the hooks is reported, and calls are read from the transcript', async () => {
    // The session before may not be known to have ended: its server was killed a moment later.
    const others = (await world.agents()).map(({ agentId }) => agentId);
    const isSilent = async (): Promise<boolean> => {
      const agent = (await world.agents()).find(({ agentId }) => !others.includes(agentId));
      const { findings } = agent ? await world.agent(String(agent.agentId)) : { findings: [] };
      return (findings as { kind: string }[]).some(({ kind }) => kind === 'hooks-silent');
    };
    let wasSilent = false;
    const model = await world.model(async (_request, turn) => {
      if (turn === 2) {
        await world.server.end('SIGKILL');
        await world.startServer();
      }
      // A call that ends before the new server has found the session says nothing to it: the agent goes on meanwhile.
      if (turn > 2) wasSilent = await within(5_000, isSilent);
      return wasSilent || turn > 15 ? { say: 'Over.' } : bash(`echo ${turn}`);
    });
    const ran = await world.claude(model);
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Over.') });
    expect(wasSilent).toBe(true);
  });
});

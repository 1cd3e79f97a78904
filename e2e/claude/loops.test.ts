import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../run/kit.ts';
import { bash, type ModelMove, type ModelRequest, type Script } from './scripted-model.ts';
import { type Ran, World } from './world.ts';

const isNudged = ({ text }: ModelRequest): boolean => text.includes('Holter: the same');

/** What a test does while the model thinks, and just before the session ends. */
type Meanwhile = (isLast: boolean) => Promise<void>;

/** Repeats a failing call until a nudge arrives; then makes another call and ends. */
const stubborn =
  (wall: (turn: number) => ModelMove, meanwhile: Meanwhile = async () => undefined): Script =>
  async (request, turn) => {
    if (!isNudged(request)) return turn > 30 ? { say: 'I give up.' } : wall(turn);
    const done = request.text.split('new way').length;
    await meanwhile(done > 5);
    return done > 5 ? { say: 'Done.' } : bash(`echo new way ${done}`);
  };

const thoughts = [
  'Hmm.',
  'Once more, with feeling.',
  'Perhaps now?',
  'The file must be there.',
  'Odd. Again.',
];

describe('a loop is noticed, told, and left', { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  }, 200_000);
  afterAll(() => world?.stop());

  /** How many calls the model had made when the nudge reached it. */
  async function callsUntilNudge(wall: (turn: number) => ModelMove, meanwhile?: Meanwhile) {
    const model = await world.model(stubborn(wall, meanwhile));
    const ran = await world.claude(model);
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Done.') });
    return model.requests.findIndex(isNudged);
  }

  it('on a failing command: nudged by the fifth repeat, explained by `why`, closed', async () => {
    let why: Ran | null = null;
    let agentId = '';
    const calls = await callsUntilNudge(
      () => bash('cat missing.txt'),
      async (isLast) => {
        // Closed because the agent recovered, not because it ended.
        if (isLast)
          await until('the incident is closed', async () => (await world.agent(agentId)).incident === null);
        if (why) return;
        agentId = String((await world.agents()).find(({ state }) => state === 'STUCK')?.agentId);
        why = await world.holter(['why', agentId]);
      },
    );
    // Found at the fifth repeat; a busy machine may need one or two more until a reply carries the nudge.
    expect(calls).toBeGreaterThanOrEqual(5);
    expect(calls).toBeLessThanOrEqual(8);
    expect(agentId).toMatch(/^claude\.shop\.[0-9a-f]{8}$/);
    const lines = (why as Ran | null)?.out.trimEnd().split('\n') ?? [];
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/has been STUCK/);
    expect(lines[1]).toMatch(/same/);
    expect(lines[3]).toMatch(/^Ready: nudge through its hooks; Holter has no way to stop it; /);
    expect(lines[4]).toMatch(/^Nudges: 1 nudge, /);
    const events = await world.events(agentId);
    const types = events.map(({ type }) => type);
    const sent = events.filter(({ type }) => type === 'NUDGE_SENT');
    expect(sent).toHaveLength(1);
    expect(sent[0]?.payload.message).toContain('made 5 times');
    expect(types).toContain('INCIDENT_CLOSED');
    expect(types).not.toContain('ESCALATION_TRIGGERED');
  });

  it('whatever it thinks around the call', async () => {
    const calls = await callsUntilNudge((turn) => bash('cat gone.txt', `${thoughts[turn % 5]} (${turn})`));
    expect(calls).toBeLessThanOrEqual(8);
  });

  it('A-B-A-B', async () => {
    const calls = await callsUntilNudge((turn) => bash(turn % 2 === 0 ? 'cat a.txt' : 'cat b.txt'));
    expect(calls).toBeLessThanOrEqual(12);
  });
});

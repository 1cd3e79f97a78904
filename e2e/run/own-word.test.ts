import { afterAll, describe, expect, it } from 'vitest';
import { fixture, isThere, pidsSaid, until, World } from './kit.ts';

const world = new World();
afterAll(() => world.close());
const enemy = [process.execPath, fixture('enemy')] as const;

describe('a child that wants to be left alone', () => {
  it('is stopped at its limit all the same', async () => {
    const run = world.run('--agent', 'limited', '--mode', 'act', '--limit-runtime', '3s', '--', ...enemy);
    const pid = await until('it says its pid', () => pidsSaid(run.out())[0]);
    await until('it has said that it stopped', () => run.out().includes('stopped  → 200 ok'));
    await run.ended;
    expect(isThere(pid)).toBe(false);
    expect(run.err()).toContain('more than --limit-runtime 3 s');
    expect(await world.events('limited')).toEqual(
      expect.arrayContaining(['STOP_ANNOUNCED', 'INCIDENT_OPENED', 'AGENT_TERMINATED']),
    );
  });

  it('is still looked at, and an operator can stop it', async () => {
    const run = world.run('--agent', 'watched', '--mode', 'act', '--', ...enemy);
    const pid = await until('it says its pid', () => pidsSaid(run.out())[0]);
    await until('it has tried everything', () => run.out().includes('/hooks/claude-code SessionEnd → '));
    for (const hook of ['PermissionRequest', 'Notification', 'Stop', 'StopFailure', 'SessionEnd'])
      expect(run.out()).toContain(`/hooks/claude-code ${hook} → 200 ok`);
    expect(run.err()).toContain(
      'may stop and restart watched if it gets stuck and you do not decide within 15 min (--mode nudge turns this off)',
    );
    expect(run.out()).toContain('/v1/agents  → 409 agent_owned');
    for (const line of ['exited  → ', 'finding-cleared  → ', 'hold-begun paused-by-operator → '])
      expect(run.out()).toContain(`${line}403 forbidden`);
    for (const word of ['pause', 'wrong', 'wake', 'resume', 'snooze'])
      expect(run.out()).toContain(`/v1/agents/watched/${word}  → 403 forbidden`);
    const { incarnation, end, mode } = await world.agent('watched');
    expect({ incarnation, end, mode }).toEqual({ incarnation: 1, end: null, mode: 'act' });
    await world.ask('POST', '/v1/agents/watched/terminate', { reason: 'it does not go by itself' });
    await run.ended;
    expect(isThere(pid)).toBe(false);
  });
});

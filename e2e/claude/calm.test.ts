import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bash, type ModelMove } from './scripted-model.ts';
import { World } from './world.ts';

/** What must not happen to an agent that works: a nudge, a finding that reaches somebody, an end. */
const DISTURBING = [
  'NUDGE_SENT',
  'ESCALATION_TRIGGERED',
  'INCIDENT_OPENED',
  'ATTENTION_RAISED',
  'AGENT_TERMINATED',
];

describe('who works is left alone', { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  }, 200_000);
  afterAll(() => world?.stop());

  async function undisturbed(moves: readonly ModelMove[], more: Record<string, string> = {}) {
    const model = await world.model((_request, turn) => moves[turn - 1] ?? { say: 'Finished.' });
    const before = (await world.events()).length;
    const ran = await world.claude(model, [], more);
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Finished.') });
    const types = (await world.events()).slice(before).map(({ type }) => type);
    expect(types.filter((type) => DISTURBING.includes(type))).toEqual([]);
    expect(model.requests.at(-1)?.text).not.toContain('Holter:');
    return { model, types };
  }

  it('thirty different calls', async () => {
    await undisturbed(
      Array.from({ length: 30 }, (_, n) => bash(`echo part ${n} > part-${n}.txt; ls | wc -l`)),
    );
  });

  it('edit, test, edit: a loop that gets better', async () => {
    writeFileSync(join(world.project, 'failures'), '9');
    const test = bash('n=$(cat failures); echo "$n tests failed"; exit $n');
    const edit = (n: number) => bash(`echo ${n} > failures`);
    const rounds = Array.from({ length: 9 }, (_, n) => [test, edit(8 - n)]);
    await undisturbed([...rounds.flat(), test]);
  });

  it('a tool that runs for long', async () => {
    await undisturbed([bash('sleep 8; echo built'), bash('echo then')]);
  });

  it('a rate limit: held, neither nudged nor ended, and it goes on', async () => {
    let limited = 0;
    const model = await world.model((_request, turn) => {
      if (turn === 2 || turn === 3) limited += 1;
      if (turn === 2 || turn === 3) return { status: 429, error: 'rate_limit_error', retryAfterSeconds: 2 };
      return turn < 6 ? bash(`echo ${turn}`) : { say: 'Finished.' };
    });
    const before = (await world.events()).length;
    const ran = await world.claude(model);
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Finished.') });
    expect(limited).toBe(2);
    const types = (await world.events()).slice(before).map(({ type }) => type);
    expect(types.filter((type) => DISTURBING.includes(type))).toEqual([]);
  });

  it('a rate limit that does not pass: the turn ends on hold', async () => {
    const model = await world.model(() => ({ status: 429, error: 'rate_limit_error' }));
    const before = (await world.events()).length;
    await world.claude(model, [], { CLAUDE_CODE_MAX_RETRIES: '1' });
    const events = (await world.events()).slice(before);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'HOLD_BEGAN',
        payload: expect.objectContaining({ hold: 'rate-limited' }),
      }),
    );
    expect(events.filter(({ type }) => DISTURBING.includes(type))).toEqual([]);
  });
});

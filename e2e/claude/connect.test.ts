import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bash } from './scripted-model.ts';
import { World } from './world.ts';

describe('a session that a person starts, connected by its settings', { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  }, 200_000);
  afterAll(() => world?.stop());

  it.each([['--project'], ['--user']])(
    '%s: reports, is nudged, and is left alone when disconnected',
    async (where) => {
      const connected = await world.holter(['connect', 'claude-code', where]);
      expect(connected).toMatchObject({ code: 0, out: expect.stringContaining('connected:') });
      const model = await world.model(({ text }, turn) =>
        text.includes('Holter:') || turn > 20 ? { say: 'Changed.' } : bash('cat missing.txt'),
      );
      const before = (await world.agents()).length;
      const ran = await world.bare(model);
      expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Changed.') });
      expect(model.requests.at(-1)?.text).toContain('Holter:');
      expect(await world.agents()).toHaveLength(before + 1);
      const doctor = await world.holter(['doctor']);
      expect(doctor.out).toMatch(/ok +claude code +connected by/);

      expect((await world.holter(['connect', 'claude-code', where, '--remove'])).code).toBe(0);
      const quiet = await world.model(() => ({ say: 'Alone.' }));
      expect((await world.bare(quiet)).out).toContain('Alone.');
      expect(await world.agents()).toHaveLength(before + 1);
    },
  );
});

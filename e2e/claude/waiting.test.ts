import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../run/kit.ts';
import { bash, type ModelMove } from './scripted-model.ts';
import { TerminalSession } from './terminal-session.ts';
import { shortPolicy, World } from './world.ts';

const policy = `${shortPolicy}
channels:
  screen: { type: desktop, via: notify-send }
`.replace('health_monitoring:', 'health_monitoring:\n  alerting: { waiting_for_person: { after: 2s } }');

const question: ModelMove = {
  say: 'I need to know.',
  call: {
    tool: 'AskUserQuestion',
    input: {
      questions: [
        {
          question: 'Which colour?',
          header: 'Colour',
          multiSelect: false,
          options: [
            { label: 'Red', description: 'red' },
            { label: 'Blue', description: 'blue' },
          ],
        },
      ],
    },
  },
};

type Hold = { readonly kind: string; readonly since: number };
type Alerts = { readonly alerts: readonly { readonly about: readonly { readonly since: number }[] }[] };

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

describe.runIf(hasTmux)('Claude Code that waits for a person, in a terminal', { timeout: 90_000 }, () => {
  let world: World;
  let session: TerminalSession | null = null;
  beforeAll(async () => {
    world = await World.start(policy);
    // In place of the program that shows notifications: writes down what it is called with.
    writeFileSync(join(world.programs, 'notify-send'), `#!/bin/sh\necho "$4" >> ${world.folder}/shown\n`, {
      mode: 0o755,
    });
  }, 200_000);
  afterAll(async () => {
    session?.end();
    await world?.stop();
  });

  const shown = (): readonly string[] => {
    const file = join(world.folder, 'shown');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };
  const about = async () => (await world.get<Alerts>('/v1/alerts')).alerts.flatMap((alert) => alert.about);
  const shows = (text: string) =>
    until(`the screen shows ${text}`, () => session?.screen().includes(text) ?? false, 30_000);

  it('is told on the desktop after its time, once, and not again for the next prompt', async () => {
    const model = await world.model(async (_request, turn) => {
      if (turn === 1) return bash('rm -rf ../first');
      await until('the first prompt is over', async () => (await about()).length === 0, 30_000);
      return turn === 2 ? question : { say: 'Finished.' };
    });
    session = new TerminalSession(world, model, 'asks');
    await shows('Do you want to proceed?');
    const askedAt = await until('its hook has come', async () => {
      const { holds } = (await world.agent('asks')) as { holds: readonly Hold[] };
      return holds.find(({ kind }) => kind === 'waiting-for-permission')?.since;
    });
    await until('it is told', () => shown().length > 0, 30_000);
    expect(Date.now() - askedAt).toBeGreaterThanOrEqual(2_000);
    expect(shown()).toEqual(['asks is waiting for you']);
    expect((await world.holter(['status'])).out).toMatch(/^waiting for you \(1\): asks\n/);

    session.press('Enter');
    await shows('Which colour?');
    // The same alert is about the new prompt now, unless half a minute has passed and the first one was resolved.
    await until('the question is known', async () => ((await about())[0]?.since ?? 0) > askedAt, 30_000);
    expect(shown().join('\n')).not.toMatch(/^asks is waiting for you\nasks is waiting for you$/m);
    session.press('Enter');
    await shows('Finished.');
  });
});

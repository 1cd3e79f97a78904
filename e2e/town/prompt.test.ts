import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeacon } from '../../packages/holter/src/deacon/act.ts';
import type { Chain } from '../../packages/holter/src/deacon/context.ts';
import { writeHeartbeat } from '../../packages/holter/src/deacon/heartbeat.ts';
import { lookAtDeacon } from '../../packages/holter/src/deacon/look.ts';
import { until } from '../run/kit.ts';
import { TestTown } from './kit.ts';

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

const standIn = fileURLToPath(new URL('../tmux/fixtures/claude', import.meta.url));
const town = new TestTown('prompt', '{}');
const { world } = town;
const MINUTE = 60_000;

/** What the stand-in for an agent has been sent. */
const eventsOf = (name: string): readonly string[] => {
  const file = world.path(`${name}.log`);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return lines.map((line) => JSON.parse(line).event as string);
};

describe.runIf(hasTmux)('Boot at the prompt of a Deacon that is an agent', () => {
  let plain: Chain;

  beforeAll(async () => {
    expect((await world.holter('up', '--detach')).code).toBe(0);
    expect((await world.holter('town', 'init', town.path)).code).toBe(0);
    plain = await town.chain();
  });

  afterAll(() => town.close('hq-deacon'));

  /** A Deacon that begins like this, and how it is after each message that it is sent. */
  const deacon = async (name: string, begins: string, then: string): Promise<Chain> => {
    town.laterMs = 0;
    const env = {
      ...plain.env,
      STAND_IN: begins,
      STAND_IN_THEN: then,
      STAND_IN_LOG: world.path(`${name}.log`),
      STAND_IN_SESSION: '10000000-0000-4000-8000-000000000000',
    };
    const chain = { ...plain, command: [process.execPath, standIn], env };
    expect(await startDeacon(chain)).toMatchObject({ outcome: 'done' });
    await until('it is there', () => eventsOf(name).includes('started'));
    const { run } = await lookAtDeacon(chain);
    const cycle = {
      cycle: 1,
      cycleOfRun: 1,
      lastAction: 'health-check',
      healthyAgents: 0,
      unhealthyAgents: 0,
    };
    await writeHeartbeat(chain.town, cycle, chain.now(), run?.incarnation ?? '');
    return chain;
  };

  const isIdle = (): Promise<boolean> =>
    until('it is at its prompt', () =>
      town.tmux('capture-pane', '-p', '-t', '=hq-deacon:').includes('? for shortcuts'),
    );

  const end = async (chain: Chain): Promise<void> => {
    expect((await world.holter('session', 'kill', 'hq-deacon', '--town', town.path)).code).toBe(0);
    expect((await lookAtDeacon(chain)).session).toBe('dead');
  };

  it('stale with mail: the check-in is typed; very stale: the WAKE; then it asks: the overseer', async () => {
    const chain = await deacon('idle', 'idle', 'idle,idle,asking');
    const sent = await world.holter('mail', 'send', 'hq-deacon', '-s', 'Question', '-m', 'Are you there?');
    expect(sent).toMatchObject({ code: 0, err: '' });
    town.later(6 * MINUTE);
    expect(await town.triage(chain, false)).toMatchObject({
      action: 'NUDGE',
      result: expect.stringContaining('delivered'),
    });
    expect(eventsOf('idle')).toEqual(['started', 'sent: Boot check-in: pending work']);
    await isIdle();
    town.later(14 * MINUTE);
    for (const _ of ['the first', 'the second']) {
      expect(await town.triage(chain, false)).toMatchObject({
        action: 'WAKE',
        result: expect.stringContaining('delivered'),
      });
      town.later(3 * MINUTE);
      if (eventsOf('idle').length < 4) await isIdle();
    }
    const events = [
      'sent: Boot check-in: pending work',
      ...Array(2).fill('sent: Boot wake: check your inbox'),
    ];
    expect(eventsOf('idle')).toEqual(['started', ...events]);
    await until('it asks', () =>
      town.tmux('capture-pane', '-p', '-t', '=hq-deacon:').includes('Do you want to proceed?'),
    );
    expect(await town.triage(chain, false)).toMatchObject({
      action: 'ESCALATE',
      reason: expect.stringContaining('it waits for a person'),
      result: 'the overseer was told',
    });
    expect(eventsOf('idle')).toEqual(['started', ...events]);
    const letter = { from: 'boot', subject: 'The Deacon needs attention' };
    expect(await town.box('overseer')).toContainEqual(expect.objectContaining(letter));
    await end(chain);
  });

  it('one that asks is sent no key: it can not be woken, and the overseer is told', async () => {
    const chain = await deacon('asking', 'asking', 'idle');
    town.later(20 * MINUTE);
    for (const _ of ['the first', 'the second']) {
      expect(await town.triage(chain, false)).toMatchObject({
        action: 'WAKE',
        result: expect.stringContaining('not sent: '),
      });
      town.later(3 * MINUTE);
    }
    expect(await town.triage(chain, false)).toMatchObject({
      action: 'ESCALATE',
      result: 'the overseer was told',
    });
    expect(eventsOf('asking')).toEqual(['started']);
    await end(chain);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LinkLook } from '@holter/core';
import { acquireLock } from '@holter/server/own-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Hand } from '../../packages/holter/src/daemon/daemon.ts';
import { deaconHand } from '../../packages/holter/src/daemon/deacon-hand.ts';
import { memberHand } from '../../packages/holter/src/daemon/member-hand.ts';
import { type EndOf, endOfAgents } from '../../packages/holter/src/daemon/told-end.ts';
import type { Chain } from '../../packages/holter/src/deacon/context.ts';
import { isThere, until } from '../run/kit.ts';
import { TestTown } from './kit.ts';

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

const NAME = 'gt-alpha-witness';
const town = new TestTown('ends', `{ ${NAME}: { command: [sleep, '1000'], group: alpha } }`);
const { world } = town;

describe.runIf(hasTmux)('how an agent of the town has ended', () => {
  let chain: Chain;
  let endOf: EndOf;
  let hand: Hand;

  const pidIn = ({ process: identity }: LinkLook): number => JSON.parse(identity ?? '{}').pid;

  /** Started, and known to the server. */
  const running = async (agent: string, of: Hand): Promise<LinkLook> => {
    const before = await world.agent(agent).catch(() => null);
    await of.start();
    const seen = await of.look(null);
    expect(seen.state).toBe('running');
    await world.untilAgent(agent, 'it is registered', ({ incarnation, liveness }) =>
      before ? incarnation > before.incarnation : liveness === 'alive',
    );
    return seen;
  };

  /** What a run in a pane has started: its command, and who gives the terminal back. */
  const below = (seen: LinkLook): Promise<readonly number[]> =>
    until('its command has started', () => {
      const pids = chain.table.childPids(pidIn(seen));
      return pids.length > 1 ? pids : null;
    });

  const ended = (of: Hand, seen: LinkLook): Promise<LinkLook> =>
    until('it has ended', async () => {
      const look = await of.look(seen);
      return look.state === 'running' || look.state === 'unknown' ? null : look;
    });

  beforeAll(async () => {
    expect((await world.holter('up', '--detach')).code).toBe(0);
    expect((await world.holter('town', 'init', town.path)).code).toBe(0);
    chain = await town.chain();
    endOf = endOfAgents(town.mail(), chain.clock, chain.now);
    hand = memberHand(chain, NAME, endOf);
  });

  afterAll(() => town.close(NAME, 'hq-deacon'));

  it('holter terminate: it was ended by order, and who gave it is known', async () => {
    const seen = await running(NAME, hand);
    const done = await world.holter('terminate', NAME, '--reason', 'enough');
    expect(done.code).toBe(0);
    expect(await ended(hand, seen)).toMatchObject({
      state: 'ended',
      process: seen.process,
      order: { reason: 'enough', by: expect.any(String) },
    });
  });

  it('holter session kill: it was stopped on purpose, also if no server has noticed', async () => {
    const seen = await running(NAME, hand);
    expect((await world.holter('session', 'kill', NAME, '--town', town.path)).code).toBe(0);
    expect(await ended(memberHand(chain, NAME), seen)).toMatchObject({ state: 'ended' });
    expect(await ended(hand, seen)).not.toHaveProperty('order');
    const another = JSON.stringify({ ...JSON.parse(seen.process ?? ''), startedAt: '1' });
    expect(await memberHand(chain, NAME).look({ ...seen, process: another })).toMatchObject({
      state: 'gone',
    });
  });

  it.each([
    ['ended', 0],
    ['gone', 3],
  ])('%s: a Deacon of another program whose exit code is %i', async (state, code) => {
    const agent = [...chain.members.values()][0]?.slice(0, 3) ?? [];
    const options = ['--agent', 'deacon', '--group', 'town', '--mode', 'observe', '--data', chain.data];
    const command = [...agent, ...options, '--', 'sh', '-c', `sleep 2; exit ${code}`];
    const deacon = deaconHand({ ...chain, command }, endOf);
    const seen = await running('deacon', deacon);
    expect(await ended(deacon, seen)).toMatchObject({ state });
  });

  it('what a zombie session shows is kept, and it is left alone while another process acts', async () => {
    await chain.sessions.start({
      ...{ name: NAME, folder: town.path, env: { ENV: '' } },
      command: ['sh', '-i'],
    });
    town.tmux('send-keys', '-t', `=${NAME}:`, 'echo last $((40 + 2)) words', 'Enter');
    await until('only a shell is left', async () => (await hand.look(null)).state === 'gone');
    await until('its pane shows it', () =>
      town.tmux('capture-pane', '-p', '-t', `=${NAME}:`).includes('last 42 words'),
    );
    const lock = await acquireLock(chain.town.deaconLockFile);
    expect(await hand.start()).toContain('left alone: another process is starting or stopping it');
    lock?.release();
    expect(await hand.look(null)).toMatchObject({ state: 'gone' });
    const seen = await running(NAME, hand);
    const file = join(chain.town.daemonFolder, `last-session-${NAME}.txt`);
    expect(existsSync(file) && readFileSync(file, 'utf8')).toContain('last 42 words');
    expect(await hand.stop(seen.process ?? '', true)).toBeNull();
  });

  it('without tmux it is started as a process of its own, found by it, and ended by order', async () => {
    const degraded = memberHand(
      await town.chain({ ...world.env, PATH: town.pathWithoutTmux() }),
      NAME,
      endOf,
    );
    const seen = await running(NAME, degraded);
    // Whoever has tmux sees the same one, and starts no second.
    expect((await hand.look(null)).process).toBe(seen.process);
    expect(await hand.start()).toContain('it runs again');
    expect(await degraded.stop(seen.process ?? '', true)).toBeNull();
    expect(isThere(pidIn(seen))).toBe(false);
  });

  it('killed: it has crashed, and its successor is not kept out', async () => {
    const seen = await running(NAME, hand);
    for (const pid of [pidIn(seen), ...(await below(seen))]) process.kill(pid, 'SIGKILL');
    expect(await ended(hand, seen)).toMatchObject({ state: 'gone' });
    const next = await running(NAME, hand);
    expect(await hand.stop(next.process ?? '', true)).toBeNull();
  });
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { daemonDefaults, instant } from '@holter/core';
import { acquireLock } from '@holter/server/own-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainBook } from '../../packages/holter/src/daemon/chain-book.ts';
import { openBook, withChainPolicy } from '../../packages/holter/src/daemon/open-book.ts';
import { unknownLook } from '../../packages/holter/src/daemon/server-link.ts';
import type { Chain } from '../../packages/holter/src/deacon/context.ts';
import { lookAtDeacon } from '../../packages/holter/src/deacon/look.ts';
import { isThere, until } from '../run/kit.ts';
import { TestTown } from './kit.ts';

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

const MINUTE = 60_000;
const town = new TestTown('act', '{}');
const { world } = town;

describe.runIf(hasTmux)('holter boot triage --act', () => {
  let chain: Chain;

  beforeAll(async () => {
    expect((await world.holter('up', '--detach')).code).toBe(0);
    const next = `next: holter daemon --socket ${town.socket}\n`;
    expect(await world.holter('town', 'init', town.path, '--socket', town.socket)).toMatchObject({
      code: 0,
      out: expect.stringContaining(next),
    });
    chain = await town.chain();
  });

  afterAll(async () => {
    const pid = (await lookAtDeacon(chain)).run?.process.pid;
    if (pid) process.kill(pid, 'SIGKILL');
    await town.close('hq-deacon');
  });

  const act = async () =>
    JSON.parse((await world.holter('boot', 'triage', '--act', '--json', '--town', town.path)).out);

  const inBook = async <T>(work: (book: ChainBook) => Promise<T> | T): Promise<T> => {
    const place = { town: chain.town, data: chain.data, say: () => undefined };
    const book = await openBook(place, withChainPolicy(daemonDefaults));
    try {
      return await work(book);
    } finally {
      await book.close();
    }
  };

  const events = (): Promise<string[]> =>
    inBook(async (book) =>
      (await book.unreported()).flatMap(({ agentId, event }) =>
        agentId === 'deacon' && /INCIDENT_OPENED|RECOVERY_INITIATED|TERMINATED/.test(event.type)
          ? [event.type]
          : [],
      ),
    );

  /** Kills the Deacon, and waits until that is seen. */
  const kill = async (): Promise<void> => {
    const pid = (await lookAtDeacon(chain)).run?.process.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await until('it is gone', () => !isThere(pid));
    await until('its session has ended', () =>
      lookAtDeacon(chain).then(
        ({ session }) => session === 'dead',
        () => false,
      ),
    );
  };

  it('leaves it to the daemon where one runs', async () => {
    mkdirSync(chain.town.daemonFolder, { recursive: true });
    const lock = await acquireLock(chain.town.daemonLockFile);
    expect(await act()).toMatchObject({
      action: 'START',
      result: `left to the daemon, which runs (pid ${process.pid})`,
    });
    lock?.release();
    expect((await lookAtDeacon(chain)).session).toBe('dead');
  });

  it('starts one that was killed as an incident in the records of the daemon, within its budget', async () => {
    expect(await act()).toMatchObject({
      action: 'START',
      result: expect.stringContaining('started in hq-deacon'),
    });
    expect(await events()).toEqual([]);
    await kill();
    expect(await act()).toMatchObject({
      action: 'START',
      result: expect.stringContaining('started in hq-deacon'),
    });
    expect(await events()).toEqual(['INCIDENT_OPENED', 'RECOVERY_INITIATED']);
    await kill();
    expect(await act()).toMatchObject({
      action: 'START',
      result: expect.stringContaining('it may be started again in'),
    });
    expect((await lookAtDeacon(chain)).session).toBe('dead');
  });

  it('is latched by a crash loop, as the daemon is', async () => {
    // tmux lets the command of a pane go on when it is stopped, but not what that has started.
    chain = { ...chain, command: ['sh', '-c', '"$@"; true', 'sh', ...chain.command] };
    for (let crashes = 2; crashes < 5; crashes++) {
      // As long as its budget makes it wait.
      for (let n = 0; n < 12 && (await lookAtDeacon(chain)).session === 'dead'; n++) {
        town.later(MINUTE / 2);
        await town.triage(chain);
      }
      await kill();
    }
    expect(await town.triage(chain)).toMatchObject({
      action: 'START',
      result: expect.stringContaining('crash loop: 5 crashes within 15 min'),
    });
    town.later(10 * MINUTE);
    expect((await town.triage(chain)).result).toContain('it may be started again in');
    expect((await lookAtDeacon(chain)).session).toBe('dead');
    town.later(21 * MINUTE);
    expect((await town.triage(chain)).result).toContain('started in hq-deacon');
  });

  it('a Deacon that stands still is ended and started again, as an incident', async () => {
    const { run } = await lookAtDeacon(chain);
    const before = (await events()).length;
    const patrol = await until('it patrols', () => chain.table.childPids(run?.process.pid ?? 0)[0] ?? null);
    // Before its first heartbeat it would have the time since its start.
    await until('it has written a heartbeat', () =>
      readFileSync(chain.town.heartbeatFile, 'utf8').includes(String(run?.incarnation)),
    );
    process.kill(patrol, 'SIGSTOP');
    for (let n = 0; n < 8 && (await lookAtDeacon(chain)).run?.incarnation === run?.incarnation; n++) {
      town.later(n === 0 ? 20 * MINUTE : 3 * MINUTE);
      await town.triage(chain);
    }
    const next = (await lookAtDeacon(chain)).run;
    expect(next?.incarnation).not.toBe(run?.incarnation);
    expect(isThere(patrol)).toBe(false);
    expect((await events()).slice(before)).toContain('AGENT_TERMINATED');
    town.laterMs = 0;
  });

  it('leaves one alone that was shut down on purpose, and so does the triage without --act', async () => {
    const { run } = await lookAtDeacon(chain);
    await inBook(async (book) => {
      const at = instant(chain.clock.now());
      const unseen = unknownLook(at, null);
      const process_ = JSON.stringify(run?.process);
      const request = { action: 'shutdown', name: 'deacon', by: 'ada', reason: 'a rest' } as const;
      await book.tick({
        ...{ at, isHeld: false, server: unseen, boot: unseen, isBootRunning: true },
        deacon: { ...unseen, process: process_, state: 'running' },
        ...{ triage: null, silence: null, members: [] },
        lifecycle: [{ ...request, process: process_, at }],
      });
    });
    await kill();
    const nothing = {
      action: 'NOTHING',
      reason: 'its session has ended; it was shut down by ada: a rest',
    };
    expect(await town.triage(chain)).toMatchObject(nothing);
    expect((await lookAtDeacon(chain)).session).toBe('dead');
    const links = { deacon: { state: 'ended', shut_down_by: 'ada', reason: 'a rest' } };
    const at = new Date(Date.now() - 1_000).toISOString();
    writeFileSync(chain.town.daemonStateFile, JSON.stringify({ at, links }));
    const { out } = await world.holter('boot', 'triage', '--json', '--town', town.path);
    expect(JSON.parse(out)).toMatchObject(nothing);
  });
});

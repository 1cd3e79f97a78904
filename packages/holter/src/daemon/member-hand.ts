import type { LinkLook } from '@holter/core';
import { identityOf, type ProcessIdentity } from '@holter/server/process';
import { killSession } from '../deacon/act.ts';
import type { Chain } from '../deacon/context.ts';
import { livingPane } from '../deacon/look.ts';
import { incarnationOf } from '../town/incarnation.ts';
import type { Hand } from './daemon.ts';
import { unknownLook } from './server-link.ts';
import { type LimitOf, noLimit, withLimit } from './usage-limit.ts';

/**
 * A session of the town that the daemon keeps running: a witness, a refinery, or any other agent. Whether one that runs
 * gets anywhere is up to the server, which watches it by `holter run` as a member of its group.
 */
export function memberHand(chain: Chain, name: string, limitOf: LimitOf = noLimit): Hand {
  const { sessions, table, clock, town, members, env } = chain;

  /** Null if nothing runs in it, undefined if what runs in it could not be looked at. */
  const processIn = (found: Found): ProcessIdentity | null | undefined => {
    const pane = found.kind === 'found' ? livingPane(found.session, table) : null;
    const row = pane && table.row(pane.row.pid);
    return row ? identityOf(table, row) : pane && undefined;
  };

  return {
    look: async (before) => {
      const found = await sessions.find(name);
      const at = clock.now();
      const process = processIn(found);
      if (found.kind === 'no-tmux' || found.kind === 'unknown' || process === undefined)
        return unknownLook(at, before);
      const unseen = { at, cpuMs: null, tick: null } as const;
      if (!process)
        return withLimit({ ...unseen, process: before?.process ?? null, state: 'gone' }, name, limitOf);
      const state: LinkLook['state'] = table.row(process.pid)?.state === 'stopped' ? 'stopped' : 'running';
      return { ...unseen, process: JSON.stringify(process), state };
    },
    stop: async (process, isOrdered) => {
      if (!isOrdered) return 'only an order ends it';
      const found = await sessions.find(name);
      if (found.kind === 'unknown') return found.because;
      const running = processIn(found);
      if (found.kind !== 'found' || !running) return null;
      if (JSON.stringify(running) !== process) return 'left alone: another one runs now';
      const { outcome, detail } = await killSession(chain, found.session, false);
      return outcome === 'done' ? null : `${outcome}: ${detail}`;
    },
    /** Ensure means: end exactly the zombie session, then start. */
    start: async () => {
      const command = members.get(name);
      const found = await sessions.find(name);
      if (!command) throw new Error('it is not named in holter.yaml');
      if (found.kind === 'no-tmux') throw new Error('tmux is not installed');
      if (found.kind === 'unknown') throw new Error(found.because);
      if (processIn(found) !== null) return;
      if (found.kind === 'found') {
        if (!sessions.isOwn(found.session))
          throw new Error(`the session ${name} is in the way, and was not started by the chain`);
        await sessions.kill(found.session);
      }
      await sessions.start({ name, folder: town.path, command, env });
    },
  };
}

type Found = Awaited<ReturnType<Chain['sessions']['find']>>;

/** Which run a look has seen; null if none. */
export const incarnationIn = ({ process, state }: LinkLook): string | null =>
  process !== null && (state === 'running' || state === 'stopped')
    ? incarnationOf(JSON.parse(process) as ProcessIdentity)
    : null;

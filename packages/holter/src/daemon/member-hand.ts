import type { LinkLook } from '@holter/core';
import { findProcess, type ProcessIdentity } from '@holter/server/process';
import { type Kept, startKept, stopKept } from '../deacon/act.ts';
import type { Chain } from '../deacon/context.ts';
import { hasBeenEnded } from '../deacon/ended.ts';
import { lookAtKept } from '../deacon/look.ts';
import { incarnationOf } from '../town/incarnation.ts';
import type { Hand } from './daemon.ts';
import { knownProcess, unknownLook } from './server-link.ts';
import { type EndOf, noEnd, withEnd } from './told-end.ts';

/**
 * An agent of the town that the daemon keeps running: a witness, a refinery, or any other. Whether one that runs gets
 * anywhere is up to the server, which watches it by `holter run` as a member of its group.
 */
export function memberHand(chain: Chain, name: string, endOf: EndOf = noEnd): Hand {
  const { table, clock, town, members, memberFile, now } = chain;
  const kept: Kept = {
    ...{ session: name, folder: town.path, command: members.get(name) ?? [] },
    ...{ processFile: memberFile(name), logFile: town.memberLogFile(name) },
  };
  return {
    look: async (before) => {
      const { session, run } = await lookAtKept(chain, kept);
      const at = clock.now();
      const unseen = { at, cpuMs: null, tick: null } as const;
      if (session === 'dead') {
        const known = knownProcess(before);
        const file = town.memberEndFile(name);
        const isMeant = known !== null && (await hasBeenEnded({ file, now }, incarnationOf(known)));
        const state = isMeant ? 'ended' : 'gone';
        return withEnd({ ...unseen, process: before?.process ?? null, state }, name, endOf);
      }
      const row = run && findProcess(table, run.process);
      if (!run || !row) return unknownLook(at, before);
      const state: LinkLook['state'] = row.state === 'stopped' ? 'stopped' : 'running';
      return { ...unseen, process: JSON.stringify(run.process), state };
    },
    stop: async (process, isOrdered) => {
      if (!isOrdered) return 'only an order ends it';
      const incarnation = incarnationOf(JSON.parse(process) as ProcessIdentity);
      const { outcome, detail } = await stopKept(chain, kept, incarnation);
      return outcome === 'done' ? null : `${outcome}: ${detail}`;
    },
    start: async () => {
      if (kept.command.length === 0) throw new Error('it is not named in holter.yaml');
      const { outcome, detail } = await startKept(chain, kept);
      if (outcome === 'done') return detail;
      if (outcome !== 'left alone') throw new Error(`${outcome}: ${detail}`);
      return `${outcome}: ${detail}`;
    },
  };
}

/** Which run a look has seen; null if none. */
export const incarnationIn = ({ process, state }: LinkLook): string | null =>
  process !== null && (state === 'running' || state === 'stopped')
    ? incarnationOf(JSON.parse(process) as ProcessIdentity)
    : null;

import type { LinkLook } from '@holter/core';
import type { SampleAt } from '@holter/core/chain';
import { findProcess, type ProcessIdentity } from '@holter/server/process';
import { readBootStatus } from '../boot/status-file.ts';
import { deaconOf, restartDeacon, startDeacon, stopKept } from '../deacon/act.ts';
import type { Chain } from '../deacon/context.ts';
import { hasEndedOnPurpose } from '../deacon/ended.ts';
import { heartbeatReading } from '../deacon/heartbeat.ts';
import { type DeaconRun, lookAtDeacon } from '../deacon/look.ts';
import { whyNotStuck } from '../deacon/still-stuck.ts';
import { incarnationOf } from '../town/incarnation.ts';
import { DEACON } from '../town/town.ts';
import type { Hand } from './daemon.ts';
import { knownProcess, unknownLook } from './server-link.ts';
import { type EndOf, noEnd, withEnd } from './told-end.ts';

/**
 * The Deacon, as one link of the chain. Whether one that runs is stuck is Boot's to say, so its CPU time is no evidence
 * here; but where Boot wants a restart, its process and its prompt are looked at again.
 */
export function deaconHand(chain: Chain, endOf: EndOf = noEnd): Hand {
  const { table, clock } = chain;
  return {
    look: async (before) => {
      const { session, run } = await lookAtDeacon(chain);
      const at = clock.now();
      if (session === 'dead') {
        const known = knownProcess(before);
        // Its successor is started at the next tick, without an incident.
        const isMeant = known !== null && (await hasEndedOnPurpose(chain, incarnationOf(known)));
        const state = isMeant ? 'ended' : 'gone';
        const look = { at, process: before?.process ?? null, state, cpuMs: null, tick: null } as const;
        return withEnd(look, DEACON, endOf);
      }
      const row = run && findProcess(table, run.process);
      if (!run || !row) return unknownLook(at, before);
      const state = row.state === 'stopped' ? 'stopped' : 'running';
      const doubt = await doubtAbout(chain, run);
      return {
        ...{ at, process: JSON.stringify(run.process), state, cpuMs: null, tick: await tickOf(chain, run) },
        ...(doubt !== null && { doubt }),
      };
    },
    stop: async (process, isOrdered) => {
      const incarnation = incarnationOf(identityIn(process));
      const { outcome, detail } = isOrdered
        ? await stopKept(chain, deaconOf(chain), incarnation)
        : await restartDeacon(chain, incarnation, await sampleOfBoot(chain, incarnation));
      return outcome === 'done' ? null : `${outcome}: ${detail}`;
    },
    start: async () => {
      const { outcome, detail } = await startDeacon(chain);
      if (outcome === 'done') return detail;
      if (outcome !== 'left alone') throw new Error(`${outcome}: ${detail}`);
      return `${outcome}: ${detail}`;
    },
  };
}

/** What Boot has seen of the processes of this run when it decided that it is to be restarted. */
async function sampleOfBoot({ town, now }: Chain, incarnation: string): Promise<SampleAt | null> {
  const status = await readBootStatus(town, now);
  const isAboutIt = status?.action === 'RESTART' && status.memory?.incarnation === incarnation;
  return isAboutIt && status.memory ? { ...status.memory, at: status.at } : null;
}

async function doubtAbout(chain: Chain, run: DeaconRun): Promise<string | null> {
  const decidedBy = await sampleOfBoot(chain, run.incarnation);
  return decidedBy ? whyNotStuck(chain, run, decidedBy) : 'Boot does not want it to be restarted';
}

/** Its heartbeat, if this very run has written it. */
async function tickOf({ town, now }: Chain, { incarnation }: DeaconRun): Promise<LinkLook['tick']> {
  const reading = await heartbeatReading(town, now);
  return reading.kind === 'read' && reading.heartbeat.incarnation === incarnation
    ? reading.heartbeat.at
    : null;
}

const identityIn = (process: string): ProcessIdentity => JSON.parse(process) as ProcessIdentity;

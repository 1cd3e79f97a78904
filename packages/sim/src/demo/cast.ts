import {
  type AgentProfile,
  criticalProfile,
  ownedProfile,
  remoteProfile,
  standbyProfile,
} from '../agents/agent-profile.ts';
import type { Behaviour } from '../agents/behaviour.ts';
import { burstyThinker } from '../agents/bursty-thinker.ts';
import { corruptCheckpoint } from '../agents/corrupt-checkpoint.ts';
import { crasher } from '../agents/crasher.ts';
import { curedByNudge } from '../agents/cured-by-nudge.ts';
import { deaf } from '../agents/deaf.ts';
import { errorSpiral } from '../agents/error-spiral.ts';
import { freezer } from '../agents/freezer.ts';
import { idle } from '../agents/idle.ts';
import { longTool } from '../agents/long-tool.ts';
import { looper } from '../agents/looper.ts';
import { startFastLoop } from '../agents/looping.ts';
import { partitioned } from '../agents/partitioned.ts';
import { pausingLooper } from '../agents/pausing-looper.ts';
import { quietCommand } from '../agents/quiet-command.ts';
import { rateLimited } from '../agents/rate-limited.ts';
import { relapser } from '../agents/relapser.ts';
import { selfRestarter } from '../agents/self-restarter.ts';
import { slowStarter } from '../agents/slow-starter.ts';
import { steadyWorker } from '../agents/steady-worker.ts';
import { waitingForInput } from '../agents/waiting-for-input.ts';
import { zombie } from '../agents/zombie.ts';

const minutes = (count: number): number => count * 60_000;

type Part = {
  readonly behaviour: Behaviour;
  readonly profile?: AgentProfile;
  /** When its first trouble comes after its start, in its own time; later ones come by chance. */
  readonly troubleAfterMs?: number;
  /** Calls through a breaker that now and then has a bad quarter of an hour. */
  readonly hasBreaker?: true;
};

/** Some hang or loop slowly; the newcomer is shown loops that are found soon. */
const curedOfLoop: Behaviour = { ...curedByNudge, trouble: startFastLoop };
const deafInLoop: Behaviour = { ...deaf, trouble: startFastLoop };

const part = (behaviour: Behaviour, profile?: AgentProfile, troubleMinutes?: number): Part => ({
  behaviour,
  ...(profile && { profile }),
  ...(troubleMinutes !== undefined && { troubleAfterMs: minutes(troubleMinutes) }),
});

/**
 * Who plays. The first troubles are arranged so that two minutes show a loop found, nudged and cured, a crash
 * and its recovery, a breaker that trips and closes, and somebody who needs a decision; the rest is chance.
 */
export const CAST: readonly Part[] = [
  { ...part(steadyWorker, ownedProfile), hasBreaker: true },
  part(curedOfLoop, ownedProfile, 2),
  part(crasher, ownedProfile, 3),
  part(deafInLoop, ownedProfile, 1),
  part(steadyWorker, criticalProfile),
  part(burstyThinker, ownedProfile),
  part(looper, ownedProfile, 35),
  part(freezer, ownedProfile, 25),
  part(partitioned, remoteProfile, 6),
  part(waitingForInput, ownedProfile, 8),
  part(longTool, ownedProfile, 5),
  part(idle, standbyProfile),
  { ...part(burstyThinker, remoteProfile), hasBreaker: true },
  part(steadyWorker, remoteProfile),
  part(zombie, ownedProfile, 60),
  part(relapser, ownedProfile, 11),
  part(rateLimited, ownedProfile, 12),
  part(slowStarter, ownedProfile),
  part(errorSpiral, ownedProfile, 16),
  part(pausingLooper, ownedProfile, 45),
  part(corruptCheckpoint, ownedProfile, 22),
  part(selfRestarter, ownedProfile, 16),
  part(quietCommand),
  part(steadyWorker, ownedProfile),
  part(burstyThinker, criticalProfile),
];

export const GROUPS = ['checkout', 'search', 'platform'] as const;

import type { Capability, DurationMs, Mode, Promises } from '@holter/core';
import { parameters } from './parameters.ts';

/** How an agent is connected to Holter: what it promised, and what can be done for it. */
export type AgentProfile = {
  readonly role: string;
  readonly intervalMs: number;
  readonly mode: Mode;
  readonly promises: Promises;
  readonly can: readonly Capability[];
  /** Whether an executor sits on its host: it sees the process and claims effects. */
  readonly isLocal: boolean;
};

const ms = (value: number): DurationMs => value as DurationMs;
const calls = { modelTimeoutMs: ms(parameters.modelTimeoutMs) };

/** Started by Holter on a host of its own: everything can be seen and done. */
export const ownedProfile: AgentProfile = {
  role: 'active-development',
  intervalMs: 60_000,
  mode: 'act',
  promises: { beatEveryMs: ms(60_000), calls, tasks: true, checkpoints: true, process: true },
  can: ['nudge', 'deny-call', 'terminate', 'spawn'],
  isLocal: true,
};

/** Its operator counts its tokens, and has said what happens when there are too many: it is stopped. */
export const meteredProfile: AgentProfile = { ...ownedProfile, role: 'metered' };

/** Its operator has set how much memory it may take, and wants to be asked, and nothing done before that is read. */
export const leanProfile: AgentProfile = { ...ownedProfile, role: 'lean' };

/** Started by Holter too, but on a machine where processes are not looked at. */
export const farProfile: AgentProfile = {
  role: 'active-development',
  intervalMs: 60_000,
  mode: 'act',
  promises: { beatEveryMs: ms(60_000), calls, tasks: true },
  can: ['nudge', 'terminate', 'spawn'],
  isLocal: false,
};

/** Connected itself: may be told and nudged, never touched. */
export const remoteProfile: AgentProfile = {
  role: 'background',
  intervalMs: 300_000,
  mode: 'nudge',
  promises: { beatEveryMs: ms(300_000), calls, tasks: true },
  can: ['nudge'],
  isLocal: false,
};

export const criticalProfile: AgentProfile = {
  role: 'critical-infrastructure',
  intervalMs: 30_000,
  mode: 'act',
  promises: { beatEveryMs: ms(30_000), calls, tasks: true, checkpoints: true, process: true },
  can: ['nudge', 'deny-call', 'terminate', 'spawn'],
  isLocal: true,
};

/** Only watched: nothing can be said to it, and nothing done. */
export const watchedProfile: AgentProfile = {
  role: 'background',
  intervalMs: 300_000,
  mode: 'observe',
  promises: { beatEveryMs: ms(300_000), calls, tasks: true },
  can: [],
  isLocal: false,
};

/** The same, of an agent that promised to save its work. */
export const watchedSavingProfile: AgentProfile = {
  ...watchedProfile,
  promises: { ...watchedProfile.promises, checkpoints: true },
};

/** The same, of one that never beats by itself and answers when it is asked. */
export const pingedProfile: AgentProfile = {
  ...remoteProfile,
  promises: { pongs: true, calls, tasks: true },
};

/** Connected itself and beats often: seed 001's critical infrastructure, elsewhere. */
export const remoteCriticalProfile: AgentProfile = {
  role: 'critical-infrastructure',
  intervalMs: 30_000,
  mode: 'nudge',
  promises: { beatEveryMs: ms(30_000), calls, tasks: true },
  can: ['nudge'],
  isLocal: false,
};

export const standbyProfile: AgentProfile = {
  role: 'standby',
  intervalMs: 900_000,
  mode: 'nudge',
  promises: { beatEveryMs: ms(900_000), calls, tasks: true },
  can: ['nudge'],
  isLocal: false,
};

/** `holter run -- CMD` with a command that knows nothing of Holter. */
export const genericProfile: AgentProfile = {
  role: 'active-development',
  intervalMs: 60_000,
  mode: 'act',
  promises: { process: true },
  can: ['terminate', 'spawn'],
  isLocal: true,
};

export const inProcessProfile: AgentProfile = {
  role: 'in-process',
  intervalMs: 2_000,
  mode: 'nudge',
  promises: { beatEveryMs: ms(2_000), tasks: true },
  can: [],
  isLocal: true,
};

/** Signs of life of its own, and regular ones. */
export const hasPulse = ({ promises }: AgentProfile): boolean =>
  promises.beatEveryMs !== undefined || promises.pongs === true;

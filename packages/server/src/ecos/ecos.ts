import { dirname, resolve } from 'node:path';
import { type Agent, type EventType, failureOf, type HolterEvent } from '@holter/core';
import type { Config } from '../config/load.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { policyOfAgent } from '../policy/index.ts';
import type { Store } from '../store/store.ts';
import { heartbeatConfig, taskTracking } from './ecos-content.ts';
import { EcosFiles, sealed } from './ecos-files.ts';
import { IncidentLog } from './incident-log.ts';

const WRITE_MS = 1_000;
/** Beats and misses change nothing that is followed: they are looked at this often. */
const LOOK_MS = 5_000;
const AGENTS_AT_ONCE = 500;
/** The files are for people and small scripts; a large fleet has an API. */
const AGENTS_MAX = 1_000;
const EVENTS_MAX = 2_000;

const TOLD: readonly EventType[] = [
  'FINDING_RAISED',
  'INCIDENT_OPENED',
  'INCIDENT_REOPENED',
  'INCIDENT_STEP',
  'ESCALATION_TRIGGERED',
  'DECISION_MADE',
  'RECOVERY_COMPLETED',
  'RECOVERY_FAILED',
  'INCIDENT_CLOSED',
];

export type EcosContext = {
  readonly engine: Pick<Engine, 'onFollowed' | 'freshen' | 'currentPolicies' | 'stalls'>;
  readonly store: Pick<Store, 'listAgents' | 'readEvents'>;
  readonly clock: Clock;
  readonly folder: string;
  readonly warn: (message: string) => void;
};

/** As the configuration says; a relative path begins at its file. */
export function ecosFolderOf({ policies, files }: Pick<Config, 'policies' | 'files'>): string | null {
  const { ecosFolder } = policies.operations;
  const [file] = files;
  return ecosFolder === null ? null : resolve(file === undefined ? '.' : dirname(file), ecosFolder);
}

export type Ecos = {
  readonly folder: string;
  /** Why its files are not up to date; null while they are. */
  readonly trouble: () => string | null;
  readonly stop: () => Promise<void>;
};

/** Keeps the files of seed 001 in a project up to date. */
export async function startEcos(context: EcosContext): Promise<Ecos> {
  const { engine, store, clock, folder, warn } = context;
  const files = await EcosFiles.open(folder, { warn, now: () => clock.now() });
  const agents = new Map<string, Agent>();
  const log = new IncidentLog();
  let missed: HolterEvent[] | null = [];
  let isChanged = true;
  let isFull = false;
  let lookedAt = 0;
  let isStopped = false;
  let writing: Promise<void> = Promise.resolve();
  let cancel: () => void = () => undefined;

  const keep = (agent: Agent): void => {
    const { agentId } = agent.hard;
    if (agents.has(agentId) || agents.size < AGENTS_MAX) agents.set(agentId, agent);
    else if (!isFull) {
      isFull = true;
      warn(`only the first ${AGENTS_MAX} agents are in ${folder}`);
    }
  };
  const unfollow = engine.onFollowed(({ stored, events }) => {
    isChanged = true;
    if (stored) keep(stored.agent);
    if (missed) missed.push(...events);
    else for (const event of events) log.note(event);
  });

  const load = async (): Promise<void> => {
    let cursor: string | null = '';
    while (cursor !== null && agents.size < AGENTS_MAX) {
      const page: Awaited<ReturnType<Store['listAgents']>> = await store.listAgents({
        limit: AGENTS_AT_ONCE,
        ...(cursor !== '' && { cursor }),
      });
      for (const { agent } of page.items) if (!agents.has(agent.hard.agentId)) keep(agent);
      cursor = page.nextCursor;
    }
    const newest = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: EVENTS_MAX, types: TOLD };
    const events = [...(await store.readEvents(newest))].reverse().map(({ event }) => event);
    for (const event of [...events, ...(missed ?? [])]) log.note(event);
    missed = null;
  };

  const write = async (): Promise<void> => {
    const at = clock.now();
    isChanged = false;
    lookedAt = at;
    const known = [...agents.values()].map((agent) => engine.freshen(agent));
    const awaited = known.filter(({ hard }) => !hard.end || hard.end.how === 'crash');
    const around = { policies: engine.currentPolicies, stalls: engine.stalls, at };
    for (const agent of known) {
      const { hard } = agent;
      const failure = hard.incident && failureOf(agent, policyOfAgent(around.policies, hard), at);
      if (failure) log.classify(hard.agentId, failure);
    }
    await files.put('heartbeat-config.json', sealed(heartbeatConfig(awaited, around)));
    await files.put('task-tracking.json', sealed(taskTracking(known)));
    await files.put('incident-log.jsonl', log.text());
  };
  const failed = (error: unknown): void => warn(`the files in ${folder} were not written: ${String(error)}`);
  const schedule = (): void => {
    if (isStopped) return;
    cancel = clock.after(WRITE_MS, () => {
      const isDue = isChanged || clock.now() - lookedAt >= LOOK_MS;
      writing = (isDue ? write() : Promise.resolve()).catch(failed).finally(schedule);
    });
  };

  await load();
  await write().catch(failed);
  schedule();
  return {
    folder,
    trouble: () => files.trouble,
    stop: async () => {
      isStopped = true;
      cancel();
      unfollow();
      await writing;
    },
  };
}

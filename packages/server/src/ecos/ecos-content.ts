import {
  type Agent,
  type EndedTask,
  type Instant,
  missesAt,
  openTasks,
  type StallLog,
  type Task,
} from '@holter/core';
import { type PolicySet, policyOfAgent } from '../policy/index.ts';
import { lastHeardOf } from '../post/index.ts';

/** In jq null sorts before any string, so a time that is not known has to be one that never comes. */
const FAR_OFF = '9999-12-31T23:59:59Z';
const FAR_OFF_MS = Date.parse(FAR_OFF);

/** As seed 001 writes a time: in whole seconds, so that texts sort like times. */
export const ecosTime = (at: Instant | undefined): string =>
  at === undefined || at >= FAR_OFF_MS ? FAR_OFF : `${new Date(at).toISOString().slice(0, 19)}Z`;

type Surroundings = {
  readonly policies: PolicySet;
  readonly stalls: StallLog;
  readonly at: Instant;
};

/** Seed 001 §1.3.2: `heartbeat-config.json`. */
export function heartbeatConfig(agents: readonly Agent[], around: Surroundings): object {
  return {
    agents: Object.fromEntries(agents.map((agent) => [agent.hard.agentId, heartbeatOf(agent, around)])),
  };
}

function heartbeatOf(agent: Agent, { policies, stalls, at }: Surroundings): object {
  const { hard } = agent;
  const { role, promises } = hard;
  const policy = policyOfAgent(policies, hard);
  const isJudged = policy.watch === 'all' && !hard.end;
  return {
    role,
    interval_seconds: (promises.beatEveryMs ?? policy.beat.intervalMs) / 1_000,
    missed_threshold: policy.beat.missedMax,
    last_heartbeat: ecosTime(lastHeardOf(agent) ?? undefined),
    consecutive_missed: isJudged ? missesAt(agent, at, policy, stalls).count : 0,
  };
}

/** Seed 001 §1.5.1: `task-tracking.json`. */
export function taskTracking(agents: readonly Agent[]): object {
  return {
    tasks: agents.flatMap(({ hard }) => [
      ...openTasks(hard).map((task) => taskOf(hard.agentId, task, task.updated.at, 'in_progress')),
      ...(hard.endedTasks ?? []).map((task) =>
        taskOf(hard.agentId, task, task.updatedAt, STATUSES[task.outcome]),
      ),
    ]),
  };
}

const STATUSES: Readonly<Record<EndedTask['outcome'], string>> = {
  done: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

function taskOf(agent: string, task: Task | EndedTask, updatedAt: Instant, status: string): object {
  return {
    task_id: task.id,
    agent,
    description: task.description ?? '',
    assigned_at: ecosTime(task.assignedAt),
    expected_completion: ecosTime(task.expectedAt),
    last_progress_update: ecosTime(updatedAt),
    progress_percentage: task.percent ?? 0,
    status,
  };
}

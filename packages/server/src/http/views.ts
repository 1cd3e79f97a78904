import {
  type Agent,
  type ExecutorState,
  findingsOf,
  type HolterEvent,
  type Instant,
  likelyCause,
  livenessOf,
  type Policy,
  presenceOf,
  readyOf,
} from '@holter/core';
import { lastHeardOf } from '../post/index.ts';
import type { Rollup, StoredEvent, StoredToken } from '../store/store.ts';
import { keyUseOf } from './accounts.ts';
import { decisionsView } from './decisions-view.ts';
import { endView } from './end-view.ts';
import { failureView } from './failure-view.ts';
import { findingView } from './finding-view.ts';
import { userOfToken } from './hook-token.ts';
import { incidentView } from './incident-view.ts';
import { needsYouSince } from './needs-you.ts';
import { personOfToken } from './person-token.ts';
import { recommendationOf } from './recommendation.ts';
import { taskView } from './task-view.ts';
import type { AgentView, EventView, FinalStatePage, RollupView, TokenView } from './types.ts';

/** What an agent's view shows besides its record. */
type AgentSurroundings = {
  readonly executor: ExecutorState;
  /** The newest that a successor could start from; null where they were not read. */
  readonly checkpoints: NonNullable<AgentView['ready']>['checkpoints'];
  /** The executor that could start it again does not run any more. */
  readonly isStarterGone: boolean;
  /** What the holter.yaml of its working directory changes. */
  readonly inForce: Readonly<Record<string, unknown>>;
  readonly clockSkewMs: number | null;
};

/** Holter's records as the API shows them: flat, camelCase, null where there is nothing. */
export function agentView(
  agent: Agent,
  policy: Policy,
  at: Instant,
  { isStarterGone, inForce, executor: executorState, checkpoints, clockSkewMs }: AgentSurroundings,
): AgentView {
  const { soft, hard } = agent;
  const { agentId, incarnation, role, group, mode, can, executor, promises, startedAt } = hard;
  const liveness = livenessOf(hard);
  const isWorking = hard.work !== undefined;
  const decisions = decisionsView(agent, policy, at, isStarterGone);
  return {
    agentId,
    incarnation,
    role,
    group,
    mode,
    can: [...can],
    executor,
    patience: hard.patience ? { file: hard.patience.file, settings: { ...inForce } } : null,
    promises: promisesView(promises),
    inferred: inferredView(hard, policy),
    startedAt,
    state: hard.health,
    stateSince: hard.healthSince,
    liveness,
    cause: liveness === 'alive' ? null : likelyCause(agent),
    presence: presenceOf(hard, at, isWorking),
    isWorking,
    needsYouSince: needsYouSince(hard, at),
    lastBeatAt: soft.beatAt || null,
    lastSignAt: lastHeardOf(agent),
    lastProgressAt: hard.progress?.at ?? null,
    clockSkewMs,
    phase: hard.phase ?? null,
    tokens: soft.tokens || null,
    costUsd: soft.costUsd || null,
    errorCount: hard.errorCount ?? null,
    ...workView(hard),
    findings: findingsOf(hard).map(findingView),
    incident: hard.incident
      ? incidentView(agent, hard.incident, { policy, at, executor: executorState, checkpoints })
      : null,
    ...troubleView(hard, at),
    failure: failureView(agent, policy, at),
    ready: needsNothing(hard) ? null : { ...readyOf({ hard, policy, at }, executorState), checkpoints },
    decisions,
    recommended: recommendationOf(agent, decisions),
    at,
  };
}

export const needsNothing = ({ health }: Agent['hard']): boolean =>
  health === 'HEALTHY' || health === 'TERMINATED';

function workView(
  hard: Agent['hard'],
): Pick<AgentView, 'job' | 'task' | 'otherTasks' | 'holds' | 'limitedUntil' | 'checkpoint'> {
  const { job, task, holds, checkpoint, turnSince } = hard;
  return {
    job:
      job || hard.promises.job
        ? {
            runningSince: turnSince ?? null,
            endedAt: job?.endedAt ?? null,
            outcome: job?.outcome ?? null,
            code: job?.code ?? null,
            durationMs: job?.durationMs ?? null,
          }
        : null,
    task: task ? taskView(task) : null,
    otherTasks: (hard.otherTasks ?? []).map(taskView),
    holds: holds.map(({ kind, since, until, mcp }) => ({
      kind,
      since,
      until: until ?? null,
      mcpServer: mcp?.[0]?.server ?? null,
    })),
    limitedUntil: hard.limitedUntil ?? holds.find(({ isOnRecord }) => isOnRecord)?.until ?? null,
    checkpoint: checkpoint ? { checkpointId: checkpoint.id, at: checkpoint.mark.at } : null,
  };
}

/** What was known of an earlier incarnation when it ended. */
export function finalStateView(hard: Agent['hard']): FinalStatePage['finalStates'][number] {
  const { incarnation, startedAt, end } = hard;
  const { task, checkpoint } = workView(hard);
  return {
    incarnation,
    startedAt,
    state: hard.health,
    stateSince: hard.healthSince,
    end: end ? endView(end) : null,
    task,
    phase: hard.phase ?? null,
    checkpoint,
    errorCount: hard.errorCount ?? null,
    findings: findingsOf(hard).map(findingView),
    incidentId: hard.incident?.id ?? null,
  };
}

function troubleView(
  { quiet, quietFindings = [], recovery, probation, end }: Agent['hard'],
  at: Instant,
): Pick<AgentView, 'quiet' | 'quietFindings' | 'recovery' | 'probation' | 'end'> {
  return {
    quiet: quiet && quiet.until > at ? { ...quiet } : null,
    quietFindings: quietFindings.filter(({ until }) => until > at).map((each) => ({ ...each })),
    recovery: recovery ? { ...recovery, startedAt: [...recovery.startedAt] } : null,
    probation: probation ? { ...probation } : null,
    end: end ? endView(end) : null,
  };
}

/** In seconds, as they were given. */
function promisesView(promises: Agent['hard']['promises']): AgentView['promises'] {
  const { beatEveryMs, calls, job, ...flags } = promises;
  return {
    ...(job && { job: { everySeconds: job.everyMs / 1_000, graceSeconds: job.graceMs / 1_000 } }),
    ...(beatEveryMs !== undefined && { beatEverySeconds: beatEveryMs / 1_000 }),
    ...(calls && { calls: { modelTimeoutSeconds: calls.modelTimeoutMs / 1_000 } }),
    ...flags,
  };
}

/** `lastCalls` replaces `calls`: it says more. */
function inferredView({ inferred, role }: Agent['hard'], policy: Policy): AgentView['inferred'] {
  const { beats, calls, lastCalls, turns, tasks, checkpoints } = inferred ?? {};
  const rows = [
    {
      promise: 'beats',
      since: beats,
      from: `its role, ${role}`,
      everySeconds: policy.beat.intervalMs / 1_000,
    },
    {
      promise: 'calls',
      since: lastCalls ?? calls,
      from: lastCalls === undefined ? 'its first call' : 'last_tool_call in its beats',
    },
    { promise: 'turns', since: turns, from: 'its first turn' },
    { promise: 'tasks', since: tasks, from: 'its first task' },
    { promise: 'checkpoints', since: checkpoints, from: 'its first checkpoint' },
  ] as const;
  return rows.flatMap(({ since, ...row }) =>
    since === undefined ? [] : [{ everySeconds: null, ...row, since }],
  );
}

export function eventView({ cursor, correlationId, agentId, event }: StoredEvent): EventView {
  return { ...streamedView(event, agentId), cursor, correlationId };
}

/** An event that is told but not kept has no cursor. */
export function streamedView(event: HolterEvent, agentId: string): EventView {
  const { at, type, incarnation, payload, folded } = event;
  const shown = folded === undefined ? { ...payload } : { ...payload, folded };
  return { cursor: null, at, type, agentId, incarnation, payload: shown, correlationId: null };
}

export const rollupView = ({ stateMs, ...rest }: Rollup): RollupView => ({
  ...rest,
  stateMs: { ...stateMs },
});

export function tokenView({ id, role, agentId, group, createdAt, revokedAt }: StoredToken): TokenView {
  const shown = keyUseOf(id) ?? role;
  return {
    tokenId: id,
    role: shown,
    agentId,
    group,
    user: userOfToken(id),
    name: personOfToken(id),
    createdAt,
    revokedAt,
  };
}

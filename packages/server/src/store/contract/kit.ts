import type {
  Agent,
  Effect,
  Hard,
  HealthState,
  HolterEvent,
  Incident,
  Instant,
  Spending,
} from '@holter/core';
import { emptyMeter, instant, later, NEVER } from '@holter/core';
import type { LetterPut, NewLetter } from '../letters.ts';
import type { Commit, Cutoffs, Store, StoredCheckpoint } from '../store.ts';

/** A store under test. `reopen` closes it and opens the same data again; `second` is another writer on it. */
export type Opened = {
  readonly store: Store;
  readonly second: () => Promise<Store>;
  readonly reopen: () => Promise<Store>;
  readonly dispose: () => Promise<void>;
};

export type OpenStore = () => Promise<Opened>;

/** A plausible moment, at the full hour. */
const START = instant(1_700_000_000_000 - (1_700_000_000_000 % 3_600_000));

export const at = (ms: number): Instant => later(START, ms);

export const softOf = (soft: Partial<Agent['soft']> = {}): Agent['soft'] => ({
  beatAt: instant(0),
  pongAt: instant(0),
  activityAt: instant(0),
  tokens: 0,
  costUsd: 0,
  probedAt: instant(0),
  cpuMs: 0,
  ioBytes: 0,
  ...soft,
});

export const hardOf = (agentId: string, hard: Partial<Hard> = {}): Hard => ({
  agentId,
  incarnation: 1,
  instanceHash: 1,
  role: 'default',
  group: 'default',
  mode: 'nudge',
  promises: {},
  can: [],
  executor: null,
  startedAt: START,
  at: START,
  wakeAt: NEVER,
  health: 'HEALTHY',
  healthSince: START,
  holds: [],
  heldBefore: { anyMs: 0, outsideToolMs: 0 },
  points: [],
  derived: [],
  incidentCount: 0,
  seen: [],
  ...hard,
});

export const agentOf = (
  agentId: string,
  hard: Partial<Hard> = {},
  soft: Partial<Agent['soft']> = {},
): Agent => ({
  soft: softOf(soft),
  hard: hardOf(agentId, hard),
});

export const commitOf = (agent: Agent, expectedVersion: number, rest: Partial<Commit> = {}): Commit => ({
  agent,
  expectedVersion,
  events: [],
  effects: [],
  correlationId: 'c1',
  ...rest,
});

/** One commit that must be accepted; returns the version that it made. */
export async function committed(store: Store, commit: Commit): Promise<number> {
  const [verdict] = await store.commit([commit]);
  if (verdict?.kind !== 'ok') throw new Error(`expected ok, got ${JSON.stringify(verdict)}`);
  return verdict.version;
}

/** Lists due agents without claiming them. */
export async function dueIds(store: Store, moment: number, limit = 10): Promise<readonly string[]> {
  const due = await store.claimDue({ at: at(moment), leaseMs: 0, limit });
  return due.map(({ agentId }) => agentId);
}

export const nudge = (id: string, agentId: string, rest: Partial<Effect> = {}): Effect =>
  ({
    id,
    agentId,
    incarnation: 1,
    executor: null,
    livesBy: `incident:${agentId}/1`,
    kind: 'nudge',
    attempt: 1,
    about: 'silent',
    message: 'Holter: 5 min of silence',
    ...rest,
  }) as Effect;

export const taskChanged = (agentId: string, moment: Instant, status: string): HolterEvent => ({
  at: moment,
  incarnation: 1,
  type: 'TASK_CHANGED',
  payload: { agentId, taskId: 't1', status },
});

export const healthChanged = (
  agentId: string,
  moment: Instant,
  from: HealthState,
  to: HealthState,
): HolterEvent => ({
  at: moment,
  incarnation: 1,
  type: 'HEALTH_STATE_CHANGED',
  payload: { agentId, from, to, reason: 'because', evidence: '' },
});

export const beat = (agentId: string, moment: Instant): HolterEvent => ({
  at: moment,
  incarnation: 1,
  type: 'AGENT_HEARTBEAT',
  payload: { agentId },
});

export const nudgeSent = (agentId: string, moment: Instant): HolterEvent => ({
  at: moment,
  incarnation: 1,
  type: 'NUDGE_SENT',
  payload: { agentId, attempt: 1, message: 'Holter: facts' },
});

export const incidentOf = (id: string): Incident => ({
  id,
  cause: 'silent',
  openedAt: START,
  step: 'nudge',
  attempt: 1,
  phase: 'due',
});

export const checkpointOf = (
  checkpointId: string,
  rest: Partial<StoredCheckpoint> = {},
): StoredCheckpoint => ({
  agentId: 'ada',
  checkpointId,
  parentId: null,
  taskId: null,
  incarnation: 1,
  at: at(1),
  hash: 'h',
  content: '{}',
  ...rest,
});

/** Everything older than this moment, but no roll-ups. */
export const before = (second: number): Cutoffs => {
  const moment = at(second);
  return {
    events: moment,
    checkpoints: moment,
    effects: moment,
    tokens: moment,
    letters: moment,
    rollups: at(0),
    agents: at(0),
  };
};

export const spendingOf = (fields: Partial<Spending> = {}): Spending => ({
  ...emptyMeter,
  at: at(0),
  agentId: 'ada',
  group: 'crew',
  taskId: null,
  model: 'big-1',
  tokens: 10,
  ...fields,
});

export const letterOf = (letterId: string, rest: Partial<NewLetter> = {}): NewLetter => ({
  letterId,
  from: 'ada',
  to: 'bob',
  clientId: null,
  subject: 'about it',
  priority: 'normal',
  inReplyTo: null,
  passed: [],
  isVerified: true,
  sentAt: at(1),
  content: '{"type":"request","message":"please"}',
  ...rest,
});

export const putLetter = (
  store: Store,
  letterId: string,
  rest: Partial<NewLetter> = {},
  how: Partial<Omit<LetterPut, 'letter'>> = {},
) => store.putLetter({ letter: letterOf(letterId, rest), acknowledges: null, boxMax: 100, ...how });

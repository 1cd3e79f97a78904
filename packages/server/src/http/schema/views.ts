import { z } from 'zod';
import { TROUBLES } from '../../upkeep/index.ts';
import { nextStep } from './next-step.ts';
import { healthState, holdKind, ladderStep, mode, time } from './parts.ts';
import { readiness } from './readiness.ts';
import { task } from './tasks.ts';

/** What the calls answer. Times are milliseconds since 1970; null is "never" or "none". */
const maybeTime = time.nullable();
const word = z.string();

export const finding = z.strictObject({
  kind: word,
  severity: z.enum(['warn', 'act']),
  source: z.enum(['agent-reports', 'operating-system', 'screen', 'delivery-receipts', 'judge']),
  since: time,
  evidence: word,
  threshold: word,
  count: z.number().nullable(),
  progress: word.meta({ description: 'What would count as progress.' }),
  namesProgress: z.boolean().meta({ description: 'The evidence says so already.' }),
});

export const incident = z.strictObject({
  incidentId: word,
  agentId: word,
  group: word,
  incarnation: z.number(),
  state: healthState,
  cause: word,
  openedAt: time,
  step: ladderStep,
  attempt: z.number(),
  phase: z.enum(['due', 'asked', 'acting', 'waiting']),
  orderedBy: word.nullable(),
  orderReason: word.nullable().meta({ description: 'In the words of the person who gave the order.' }),
  acknowledged: z.strictObject({ by: word, at: time, reason: word }).nullable(),
  nudges: z
    .strictObject({
      decided: z.number(),
      delivered: z.number(),
      newest: z.enum(['decided', 'offered', 'delivered', 'seen', 'ignored', 'lost']),
    })
    .nullable()
    .meta({
      description:
        'The nudges of this incident, and what became of the newest. Offered: not fetched by the agent yet. Ignored: seen, and the trouble went on.',
    }),
  noticedAt: maybeTime.meta({
    description:
      'When the notice of this step was first shown to somebody who may decide; null if it asks nobody, or nobody has seen it yet.',
  }),
  told: z
    .array(z.strictObject({ channel: word, at: time }))
    .meta({ description: 'When each channel first accepted an alert about it.' }),
  next: nextStep,
  findings: z.array(finding),
  checkpointId: word.nullable(),
  ready: readiness.meta({ description: 'What can be done about it, and who can do it.' }),
});

const hold = z.strictObject({
  kind: holdKind,
  since: time,
  until: maybeTime,
  mcpServer: word.nullable().meta({ description: 'The MCP server that an open call waits for.' }),
});
const job = z.strictObject({
  runningSince: maybeTime,
  endedAt: maybeTime,
  outcome: z.enum(['done', 'failed']).nullable(),
  code: z.number().nullable().meta({ description: 'The exit code of the last run, if it was reported.' }),
  durationMs: z.number().nullable().meta({ description: 'Of the last run, if its start was reported.' }),
});

const quiet = { until: time, by: word, reason: word };

const obstacle = word.nullable();
const decisions = z.strictObject({
  nudge: obstacle,
  allow_more_time: obstacle,
  wake: obstacle,
  acknowledge: obstacle,
  wrong: obstacle,
  leave_down: obstacle,
  pause: obstacle,
  resume: obstacle,
  force_handoff: obstacle,
  terminate_and_recover: obstacle,
  terminate: obstacle,
  recover: obstacle,
  replace: obstacle,
});

export const recommendation = z.strictObject({
  decision: z.enum(Object.keys(decisions.shape) as [keyof typeof decisions.shape]),
  why: word,
});

const end = z.strictObject({
  how: z.enum(['exit-0', 'stopped', 'crash']),
  at: time,
  detail: word,
  exitCode: z.number().nullable(),
  signal: word.nullable(),
  byHolter: z.boolean(),
});

const inferredPromise = z.strictObject({
  promise: z.enum(['beats', 'calls', 'turns', 'tasks', 'checkpoints']),
  /** For beats. */
  everySeconds: z.number().nullable(),
  since: time,
  /** What it was inferred from, in words. */
  from: word,
});

export const agent = z.strictObject({
  agentId: word,
  incarnation: z.number(),
  role: word,
  group: word,
  mode,
  can: z.array(word),
  executor: word.nullable(),
  patience: z
    .strictObject({ file: word, settings: z.record(z.string(), z.unknown()) })
    .nullable()
    .meta({
      description: 'Limits that are longer because of a holter.yaml in the working directory of its run.',
    }),
  promises: z.record(z.string(), z.unknown()),
  inferred: z.array(inferredPromise).meta({
    description:
      'What it did not promise but has shown: it is warned about by these, and nothing else follows.',
  }),
  startedAt: time,
  state: healthState,
  stateSince: time,
  liveness: z.enum(['alive', 'gone', 'unknown']),
  cause: word.nullable(),
  presence: z.enum(['online', 'idle', 'busy', 'offline']),
  isWorking: z.boolean(),
  needsYouSince: maybeTime.meta({
    description: 'Since when it waits for a decision, a permission or an answer that nobody has taken up.',
  }),
  lastBeatAt: maybeTime,
  lastSignAt: maybeTime,
  lastProgressAt: maybeTime,
  clockSkewMs: z.number().nullable().meta({
    description:
      'How far the clock of the agent is ahead of the server, by the timestamp of its beats; negative when it is behind, null when unknown.',
  }),
  phase: word.nullable(),
  tokens: z.number().nullable().meta({ description: 'Null until some were reported.' }),
  costUsd: z.number().nullable().meta({ description: 'Null until a cost was reported.' }),
  errorCount: z.number().nullable(),
  job: job.nullable().meta({ description: 'How the runs of a scheduled job that reports by pings went.' }),
  task: task.nullable().meta({ description: 'The one that it works on.' }),
  otherTasks: z.array(task).meta({ description: 'Its other open tasks.' }),
  holds: z.array(hold),
  limitedUntil: maybeTime.meta({
    description:
      'When the usage limit of its model resets at which it waits or has ended, as its program has said.',
  }),
  checkpoint: z.strictObject({ checkpointId: word, at: time }).nullable(),
  findings: z.array(finding),
  incident: incident.nullable(),
  quiet: z.strictObject(quiet).nullable(),
  quietFindings: z.array(z.strictObject({ kind: word, ...quiet })),
  recovery: z
    .strictObject({ taskId: word.nullable(), attempts: z.number(), startedAt: z.array(time) })
    .nullable(),
  probation: z.strictObject({ until: time, incidentId: word }).nullable(),
  end: end.nullable(),
  failure: z
    .strictObject({
      kind: z.enum(['transient', 'recoverable', 'terminal']),
      because: word,
      strategy: z.enum(['wait', 'wake', 'soft-restart', 'hard-restart', 'replace']),
      by: z.enum(['holter', 'person']),
      text: word,
    })
    .nullable()
    .meta({
      description: 'What kind of failure it is and the least invasive strategy, if it has failed.',
    }),
  ready: readiness.nullable().meta({
    description: 'What can be done about it, and who can do it; null while it is HEALTHY or TERMINATED.',
  }),
  decisions: decisions.meta({ description: 'What may be decided now: null, or the reason why not.' }),
  recommended: recommendation
    .nullable()
    .optional()
    .meta({ description: 'The decision that Holter would take; null while nobody has to decide.' }),
  at: time.meta({
    description: "When this was so, by the server's clock; the other times are to be compared with it.",
  }),
});

export const finalStatePage = z.strictObject({
  finalStates: z.array(
    z.strictObject({
      incarnation: z.number(),
      startedAt: time,
      state: healthState,
      stateSince: time,
      end: end.nullable().meta({ description: 'Null: it was replaced before its end was known.' }),
      task: task.nullable(),
      phase: word.nullable(),
      checkpoint: z.strictObject({ checkpointId: word, at: time }).nullable(),
      errorCount: z.number().nullable(),
      findings: z.array(finding),
      incidentId: word.nullable(),
    }),
  ),
});

export const agentPage = z.strictObject({ agents: z.array(agent), nextCursor: word.nullable() });

export const notice = z.strictObject({
  noticeId: word,
  agentId: word,
  audience: z.enum(['orchestrator', 'operator']),
  severity: z.enum(['info', 'warning', 'critical']),
  message: word,
  incidentId: word.nullable(),
});

export const incidentPage = z.strictObject({
  incidents: z.array(incident),
  notices: z.array(notice),
  nextCursor: word.nullable(),
});

export const registered = z.strictObject({
  agentId: word,
  incarnation: z.number(),
  token: word,
  heartbeatEverySeconds: z.number().nullable(),
  refusedSettings: z
    .array(z.strictObject({ path: word, message: word }))
    .meta({ description: 'Settings of `patience` that do not hold as they were asked for.' }),
  stops: z
    .strictObject({ afterSeconds: z.number(), from: z.enum(['notice', 'reading']) })
    .nullable()
    .meta({
      description:
        'When Holter may stop and restart it without a decision, counted from the notice that asks for one, or from its reading; null if it never does.',
    }),
});

export const directive = z.strictObject({
  type: z.enum(['nudge', 'inquiry', 'reminder', 'handoff', 'deny', 'stop']),
  id: word,
  message: word,
});

export const heard = z.strictObject({
  ok: z.literal(true),
  directives: z.array(directive),
  notes: z.array(word).optional(),
});

const error = z.strictObject({ code: word, reason: word.optional(), message: word, field: word.optional() });
export const failure = z.strictObject({ error });

export const signalsHeard = z.strictObject({
  ok: z.boolean(),
  accepted: z.number(),
  refused: z.array(z.strictObject({ index: z.number(), error })),
  directives: z.array(directive),
});

export const checkpoint = z.strictObject({
  checkpointId: word,
  parentId: word.nullable(),
  taskId: word.nullable(),
  incarnation: z.number(),
  at: time,
  hash: word,
  isValid: z.boolean(),
  isRedacted: z.boolean().meta({
    description: 'Secrets of the content are left out, and a content of more than 1 MiB as a whole.',
  }),
  content: z.unknown(),
});
export const checkpointWritten = z.strictObject({
  checkpointId: word,
  parentId: word.nullable(),
  taskId: word.nullable(),
  hash: word,
});
export const checkpointPage = z.strictObject({
  checkpoints: z.array(checkpoint),
  /** The one that a successor would start from; null is the start of the task. */
  usable: word.nullable(),
});

export const event = z.strictObject({
  cursor: z.number().nullable(),
  at: time,
  type: word,
  agentId: word,
  incarnation: z.number(),
  payload: z.record(z.string(), z.unknown()),
  correlationId: word.nullable(),
});
export const eventPage = z.strictObject({
  events: z.array(event),
  nextCursor: z.number(),
  hasMore: z.boolean().meta({ description: 'A page ends at `limit` events or at 1 MiB.' }),
});

export const rollup = z.strictObject({
  hour: time,
  agentId: word,
  beats: z.number(),
  nudges: z.number(),
  escalations: z.number(),
  terminations: z.number(),
  recoveries: z.number(),
  stateMs: z.record(z.string(), z.number()),
});
export const rollupPage = z.strictObject({ rollups: z.array(rollup) });

export const incidentsNoticed = z.strictObject({ ok: z.literal(true), noticed: z.number() });
export const decided = z.strictObject({ ok: z.literal(true), agent });

export const token = z.strictObject({
  tokenId: word,
  role: z.enum(['agent', 'enroll', 'hook', 'viewer', 'operator', 'orchestrator', 'ping', 'badge']),
  agentId: word.nullable(),
  group: word.nullable(),
  user: word.nullable(),
  name: word.nullable().meta({ description: 'The person who uses it.' }),
  createdAt: time,
  revokedAt: maybeTime,
});
export const tokenPage = z.strictObject({ tokens: z.array(token) });
export const tokenMade = z.strictObject({ ...token.shape, token: word });
export const pingKeyMade = z.strictObject({
  agentId: word,
  incarnation: z.number(),
  key: word,
  path: word.meta({ description: 'The URL to call, below the address of the server.' }),
  everySeconds: z.number().nullable().meta({ description: 'As in force; null if the agent is no job.' }),
  graceSeconds: z.number().nullable().meta({ description: 'As in force; null if the agent is no job.' }),
  isNew: z.boolean().meta({ description: 'False: the agent was known before and keeps its schedule.' }),
});
export const badgeMade = z.strictObject({
  agentId: word.nullable(),
  group: word.nullable(),
  key: word,
  path: word.meta({ description: 'Of the picture, below the address of the server.' }),
});

export const health = z.strictObject({
  status: z.enum(['ok', 'degraded', 'unavailable']),
  version: word,
  startedAt: time,
  at: time,
  store: z.enum(['ok', 'unavailable']),
  storeReason: word.nullable(),
  lastTickAt: maybeTime,
  lateServers: z
    .array(z.strictObject({ name: word, lateTicks: z.number() }))
    .meta({ description: 'Of several servers, those that have ticked late again and again.' }),
  tickLagMs: z.number(),
  queueDepth: z.number(),
  softWaiting: z.number(),
  stallCount: z.number(),
  graceShare: z.number().meta({ description: 'Of the last hour: time in which no silence counted.' }),
  brakes: z.array(word),
  estop: z
    .strictObject({ at: time, by: word, reason: word })
    .nullable()
    .meta({ description: "A person has stopped Holter's own acts: `holter estop`." }),
  troubles: z
    .array(
      z.strictObject({
        kind: z.enum(TROUBLES),
        name: word.nullable().meta({ description: 'The group or channel that it is about.' }),
        says: word,
        since: time,
      }),
    )
    .meta({ description: 'What is wrong with Holter itself.' }),
  cells: z.number(),
  streams: z.number(),
});
export const configInForce = z.strictObject({
  files: z
    .array(word)
    .meta({ description: "The operator's files that were read; none: Holter uses the defaults." }),
  settings: z.array(z.strictObject({ path: word, value: z.unknown(), from: word, place: word.nullable() })),
});
export const ready = z.strictObject({ ready: z.boolean(), why: word.nullable() });
export const probe = z.strictObject({ agentId: word, state: healthState, isHealthy: z.boolean() });

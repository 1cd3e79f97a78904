import { z } from 'zod';
import { nextStep } from './next-step.ts';
import { healthState, holdKind, ladderStep, mode, time } from './parts.ts';
import { recommendation } from './views.ts';

/** What the page asks beyond the rest of the API. */
const word = z.string();
const maybeTime = time.nullable();
const count = z.number();

export const fleetRow = z.strictObject({
  agentId: word,
  group: word,
  role: word,
  mode,
  state: healthState,
  stateSince: time,
  liveness: z.enum(['alive', 'gone', 'unknown']),
  isWorking: z.boolean(),
  hold: z.strictObject({ kind: holdKind, since: time, until: maybeTime }).nullable(),
  why: word.nullable().meta({ description: 'The evidence of the first finding.' }),
  kind: word.nullable(),
  severity: z.enum(['warn', 'act']).nullable(),
  findingCount: count,
  lastBeatAt: maybeTime,
  lastSignAt: maybeTime.meta({ description: 'The last beat, pong or report of the agent itself.' }),
  beatEveryMs: count.nullable(),
  lastProgressAt: maybeTime,
  tool: word.nullable(),
  tokens: count.nullable().meta({ description: 'Null until some were reported.' }),
  tokensPerMinute: count,
  costUsd: count.nullable().meta({ description: 'Null until a cost was reported.' }),
  costPerHour: count,
  errors: count.meta({ description: 'Within the last hour.' }),
  step: z.strictObject({ step: ladderStep, attempt: count, next: nextStep }).nullable(),
  quietUntil: maybeTime,
  incidentId: word.nullable(),
  needsYouSince: maybeTime.meta({
    description: 'Since when it waits for a decision, a permission or an answer that nobody has taken up.',
  }),
  offers: z.array(word).meta({ description: 'Decisions that would be accepted now, of one in trouble.' }),
  recommended: recommendation.nullable(),
  endedAt: maybeTime,
  strip: word.meta({
    description:
      'The last hour, one letter per half minute: 0x30 + 32 × state + 16 × error + 4 × calls + beats.',
  }),
});

const fleetCounts = z.strictObject({
  byState: z.record(z.string(), count),
  incidents: count,
  waiting: count,
  openBreakers: count,
  needYou: count,
});

const groupCounts = z.strictObject({
  group: word,
  byState: z.record(z.string(), count),
  needYou: count,
});

export const fleetPage = z.strictObject({
  at: time,
  total: count,
  folded: count.meta({ description: 'How many that are well were left out (`foldAbove`).' }),
  offset: count,
  counts: fleetCounts,
  groups: z.array(word),
  groupCounts: z.array(groupCounts),
  needYou: z.array(fleetRow).meta({ description: 'Those that have waited longest for a person.' }),
  order: z.array(word),
  rows: z.array(fleetRow),
});

export const fleetDelta = z.strictObject({
  at: time,
  total: count.optional(),
  folded: count.optional(),
  counts: fleetCounts.optional(),
  groupCounts: z.array(groupCounts).optional(),
  needYou: z.array(fleetRow).optional(),
  order: z.array(word).optional(),
  rows: z.array(fleetRow),
});

const call = z.strictObject({
  callId: word,
  tool: word,
  input: word.nullable().meta({ description: 'Its arguments, shortened and without secrets.' }),
  output: word.nullable().meta({ description: 'The beginning of its result, without secrets.' }),
  begunAt: time,
  endedAt: maybeTime,
  isError: z.boolean(),
});

export const pulse = z.strictObject({
  at: time,
  binMs: count,
  from: time,
  beats: z.array(count),
  calls: z.array(count),
  errors: z.array(count),
  tokens: z.array(count),
  states: z.array(count),
  newestCalls: z.array(call),
});

export const breaker = z.strictObject({
  agentId: word,
  name: word,
  state: z.enum(['CLOSED', 'OPEN', 'HALF_OPEN']),
  failures: count,
  trips: count,
  openedAt: maybeTime,
  retryAt: maybeTime,
  permits: count,
  isolation: z.strictObject({ by: word, reason: word, until: time }).nullable(),
});
export const breakerPage = z.strictObject({ breakers: z.array(breaker) });

export const permit = z.union([
  z.strictObject({ kind: z.literal('permit'), generation: count, permitId: count }),
  z.strictObject({
    kind: z.literal('refused'),
    because: z.enum(['open', 'isolated', 'half-open']),
    retryAt: time,
  }),
]);
export const breakerTold = z.strictObject({ breaker, answers: z.array(permit) });

export const session = z.strictObject({
  role: z.enum(['viewer', 'operator', 'orchestrator']),
  who: word,
  name: word.nullable().meta({ description: 'The person; null until the log-in has been given a name.' }),
  version: word,
  at: time,
  demoSpeed: count.nullable().meta({ description: 'How many times as fast as life; null when it is life.' }),
});
export const loginSecret = z.strictObject({ secret: word, path: word, expiresInSeconds: count });

const day = z.strictObject({
  day: time,
  stateMinutes: z.record(z.string(), count),
  nudges: count,
  escalations: count,
  terminations: count,
  recoveries: count,
  recovered: count.meta({ description: 'Attempts that held: their incident ended without another failure.' }),
  recoveryFailures: count,
  incidents: count,
  wrong: count,
});
const pastIncident = z.strictObject({
  incidentId: word,
  agentId: word,
  cause: word,
  openedAt: time,
  closedAt: time,
  reason: word,
  nudges: count,
  recoveries: count,
  decisions: count,
  tokens: count,
  costUsd: count,
});
export const history = z.strictObject({
  at: time,
  days: z.array(day),
  /** From the moment at which a rule's condition held to its being told. */
  latency: z.strictObject({ count, medianMs: count.nullable(), p99Ms: count.nullable() }),
  incidents: z.array(pastIncident),
});

export const outputTail = z.strictObject({
  agentId: word,
  text: word,
  next: count.meta({ description: 'The position behind the text, for `after`.' }),
  isCut: z.boolean().meta({ description: 'Older output than this is not kept any more.' }),
  keptBy: word.nullable().meta({
    description: 'Where the server runs that keeps its output, if it is another one: ask that.',
  }),
});

export const system = z.strictObject({
  at: time,
  stalls: z
    .array(z.strictObject({ from: time, to: time, lostMs: count, count }))
    .meta({ description: 'Monitoring gaps, newest first; old ones are combined.' }),
  brakes: z.array(
    z.strictObject({
      group: word,
      engagedAt: time,
      releaseAt: maybeTime.meta({ description: 'Once calm: when the next act that waits may pass.' }),
    }),
  ),
  retention: z.strictObject({
    keptMs: count.meta({ description: 'Of events.' }),
    kept: z
      .strictObject({
        events: count,
        checkpoints: count,
        effects: count,
        rollups: count,
        tokens: count,
        letters: count,
        agents: count,
      })
      .meta({ description: 'How long each is kept, in ms; see `retention` of holter.yaml.' }),
    oldestEventAt: maybeTime,
  }),
  outbox: z.strictObject({ pending: count, claimed: count, dead: count }),
  deadManPing: z
    .strictObject({
      everyMs: count,
      okAt: maybeTime,
      triedAt: maybeTime,
      failures: count.meta({ description: 'Tries since it last worked.' }),
      failure: word.nullable(),
    })
    .nullable()
    .meta({ description: 'The ping to an address outside; null when none is configured.' }),
  post: z
    .strictObject({
      name: word,
      maestroUrl: word.nullable().meta({ description: 'Where letters are taken without a token.' }),
      ecos: z
        .strictObject({ folder: word, trouble: word.nullable() })
        .nullable()
        .meta({ description: 'Where the files of seed 001 are written, and why they are not.' }),
    })
    .meta({ description: 'The post office, for agents elsewhere.' }),
  clockSkews: z.array(z.strictObject({ agentId: word, skewMs: z.number() })).meta({
    description: 'Agents whose clocks are more than 30 s ahead (or behind: negative), the worst first.',
  }),
  limitHits: z
    .array(
      z.strictObject({
        limit: word,
        count,
        lastAt: time,
        lastBy: word.meta({ description: 'The token or agent that reached it last.' }),
      }),
    )
    .meta({ description: 'Limits that were reached since the start, the latest first.' }),
  memoryBytes: count,
  cpuSeconds: count,
  events: count,
});

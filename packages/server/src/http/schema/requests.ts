import { z } from 'zod';
import {
  agentId,
  findingKind,
  healthState,
  hostName,
  identifier,
  label,
  line,
  mode,
  personName,
  reason,
  wholeNumber,
} from './parts.ts';

const secondsMax = 30 * 24 * 3_600;
const duration = z.number().positive().max(secondsMax);

/** What the agent will be judged by, in seconds; what it does not promise is not held against it. */
const promises = z.strictObject({
  beatEverySeconds: z.number().min(0.1).max(secondsMax).optional().describe('It beats at least this often.'),
  pongs: z
    .boolean()
    .optional()
    .describe('It answers pings: Holter writes one into its box at every interval of its role.'),
  calls: z
    .union([z.boolean(), z.strictObject({ modelTimeoutSeconds: duration })])
    .optional()
    .describe('It reports its tool calls; a model call may hang for `modelTimeoutSeconds`.'),
  turns: z.boolean().optional().describe('It says when it begins and ends to work on a request.'),
  tasks: z.boolean().optional().describe('It has work only while a task is open.'),
  checkpoints: z.boolean().optional().describe('It writes checkpoints while it has work.'),
  verdicts: z.boolean().optional().describe('Its steps are judged by somebody else.'),
  process: z.boolean().optional().meta({ description: 'Only with an operator token.' }),
});

export const registration = z.strictObject({
  agentId,
  instanceId: identifier.meta({ description: 'One per process: the same instance gets its start back.' }),
  role: label.default('default').describe('Decides which thresholds hold; see `profiles` of holter.yaml.'),
  group: label.default('default').describe('Agents that belong together.'),
  host: hostName.optional(),
  taskId: identifier.optional().describe('The task that it begins with.'),
  promises: promises
    .optional()
    .describe('What it may be judged by; left out, an agent with a role of seed 001 is pinged.'),
  mode: mode.optional().meta({ description: '`act` needs an operator token.' }),
  can: z
    .array(z.enum(['nudge', 'deny-call', 'terminate', 'spawn', 'resume']))
    .max(5)
    .optional()
    .meta({ description: '`terminate` and `spawn` need an operator token.' }),
  executor: line(128).nullable().optional().meta({ description: 'Only with an operator token.' }),
  patience: z
    .strictObject({
      file: line(4_096),
      settings: z
        .record(z.string().max(100), z.union([z.number(), z.string().max(32)]))
        .refine((settings) => Object.keys(settings).length <= 100, 'must have at most 100 settings'),
    })
    .optional()
    .meta({
      description:
        'Longer limits that the working directory of a `holter run` asks for. Only with an operator token.',
    }),
  spawnKey: line(256).optional().meta({ description: 'The key of the start that Holter ordered.' }),
});
export type RegistrationBody = z.infer<typeof registration>;
export type PromisesBody = z.infer<typeof promises>;

export const checkpoint = z.strictObject({
  checkpointId: identifier.optional(),
  parentId: identifier.nullable().optional().meta({ description: 'Left out: the newest one so far.' }),
  taskId: identifier.nullable().optional().meta({ description: 'Left out: the open task.' }),
  content: z
    .unknown()
    .refine((content) => content !== undefined, 'is needed')
    .meta({ description: 'Any JSON.' }),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex')
    .optional()
    .meta({
      description: 'SHA-256 of the canonical JSON of {agentId, checkpointId, content, parentId, taskId}.',
    }),
});

const by = line(100).optional().meta({ description: 'A name for the audit trail, beside the token.' });

const minutes = z
  .number()
  .positive()
  .max(7 * 24 * 60);
const finding = findingKind.optional().meta({ description: 'Only this kind of finding; else all of them.' });
const checkpointId = identifier
  .optional()
  .meta({ description: 'Start from this one; else from the newest that is valid.' });

export const act = z.strictObject({ reason, by });
export const recover = z.strictObject({ reason, by, checkpointId });
export const aboutFinding = z.strictObject({ reason, by, finding });
export const nudge = z.strictObject({
  reason,
  by,
  message: line(1_000).optional(),
  source: z
    .literal('run')
    .optional()
    .describe('It was decided by a setting, not by a person: it waits while acts are stopped.'),
});
export const terminate = z
  .strictObject({ reason, by, recover: z.boolean().default(false), checkpointId })
  .refine(({ recover, checkpointId: from }) => recover || from === undefined, {
    path: ['checkpointId'],
    message: 'is for a successor: it needs `recover`',
  });
export const snooze = z.strictObject({ reason, by, minutes, finding });

/** Which decision each further field belongs to: one that would be ignored is refused. */
const FIELDS_OF = {
  minutes: ['allow_more_time'],
  finding: ['allow_more_time', 'wake', 'dismiss'],
  checkpointId: ['recover', 'terminate_and_recover'],
} as const satisfies Record<string, readonly string[]>;

export const decision = z
  .strictObject({
    decision: z.enum([
      'acknowledge',
      'allow_more_time',
      'wake',
      'dismiss',
      'force_handoff',
      'terminate_and_recover',
      'terminate',
      'recover',
      'replace',
    ]),
    reason,
    by,
    minutes: minutes.optional().meta({ description: 'For allow_more_time; 15 unless told.' }),
    finding,
    checkpointId,
  })
  .superRefine((given, context) => {
    for (const [field, words] of Object.entries(FIELDS_OF)) {
      const isMeant = (words as readonly string[]).includes(given.decision);
      if (given[field as keyof typeof FIELDS_OF] !== undefined && !isMeant)
        context.addIssue({ code: 'custom', path: [field], message: `is only for ${words.join(', ')}` });
    }
  });

export const pingKey = z.strictObject({
  everySeconds: z
    .number()
    .min(1)
    .max(secondsMax)
    .meta({ description: 'The job ends a run at least this often.' }),
  graceSeconds: z.number().min(1).max(secondsMax).optional().meta({
    description:
      'How late a run may end, and how long one may take. Left out: a quarter of the period, from 1 minute to 1 hour.',
  }),
  role: label.default('default').describe('Of a job that is made with the key.'),
  group: label.default('default').describe('Of a job that is made with the key.'),
});

export const badgeKey = z
  .strictObject({ agentId: agentId.optional(), group: label.optional() })
  .refine(({ agentId: id, group }) => (id === undefined) !== (group === undefined), {
    path: ['agentId'],
    message: 'or group is needed, and not both',
  });

export const newToken = z.strictObject({
  role: z.enum(['agent', 'enroll', 'hook', 'viewer', 'operator', 'orchestrator']),
  agentId: agentId.optional().meta({ description: 'For the role agent.' }),
  group: label.optional().meta({ description: 'For the role orchestrator.' }),
  user: label
    .optional()
    .meta({ description: 'For the role hook: its tokens report the sessions of this user.' }),
  name: personName.optional(),
});

const onlyState = healthState.optional().describe('Only agents in this state.');
const onlyGroup = label.optional().describe('Only agents of this group.');
const onlyAgent = agentId.optional().describe('Only this agent.');
const cursor = agentId.optional().describe('`nextCursor` of the page before.');
const rows = (max: number) => wholeNumber(1, max).optional().describe(`Rows of a page, at most ${max}.`);
const moment = (what: string) => wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().describe(what);

export const agentQuery = z.strictObject({
  state: onlyState,
  group: onlyGroup,
  q: z.string().max(128).optional().meta({ description: 'Part of an id, role or group.' }),
  incident: z.enum(['open', 'none']).optional().describe('Only agents with, or without, an open incident.'),
  cursor,
  limit: rows(500),
});

export const incidentQuery = z.strictObject({
  group: onlyGroup,
  cursor,
  limit: rows(500),
});

export const incidentsShown = z.strictObject({
  incidentIds: z.array(z.string().min(1).max(160)).max(500).optional(),
  noticeIds: z.array(z.string().min(1).max(400)).max(500).optional().meta({
    description: 'For notices that are about no incident.',
  }),
});

const eventType = z.string().regex(/^[A-Z_]{1,64}(,[A-Z_]{1,64})*$/, 'must be names of events');

export const eventQuery = z.strictObject({
  agentId: onlyAgent,
  type: z
    .union([eventType, z.array(eventType).max(50)])
    .optional()
    .describe('Only events of these types, with commas between them.'),
  incidentId: z.string().max(160).optional().describe('Only events of this incident.'),
  after: moment('From above this cursor upwards; a stream goes on from there.'),
  before: moment('The newest first, from below this cursor downwards.'),
  limit: rows(1_000),
});
export type EventQueryInput = z.infer<typeof eventQuery>;

export const limitQuery = z.strictObject({ limit: rows(100) });
export const effectQuery = z.strictObject({
  status: z.enum(['pending', 'claimed', 'done', 'dead']).optional().describe('Only effects of this status.'),
  limit: rows(500),
});
export const rollupQuery = z.strictObject({
  agentId: onlyAgent,
  from: moment('From this time on; a day ago unless told.'),
  to: moment('Up to this time; now unless told.'),
});

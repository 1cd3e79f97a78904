import { z } from 'zod';
import { isOwnClientId, OWN_CLIENT_IDS } from '../../post/client-ids.ts';
import { agentId, hostName, identifier, label, line, wholeNumber } from './parts.ts';

/** Seed 001 and AI Maestro: what they send beyond this is taken and not kept, as there. */
const priority = z.enum(['urgent', 'high', 'normal', 'low']);
const content = z
  .looseObject({ type: line(100), message: z.string().min(1) })
  .meta({ description: 'Kept whole, without secrets.' });

const ownBeginnings = Object.values(OWN_CLIENT_IDS)
  .map((beginning) => `\`${beginning}\``)
  .join(', ');

const boxOwner = agentId
  .optional()
  .describe('Whose box; an agent has its own only. Default, with a token: your own.');

export const newLetter = z.object({
  from: agentId.optional().describe('Default, with a token: your own name.'),
  to: agentId,
  subject: line(300),
  priority: priority.default('normal'),
  content,
  inReplyTo: identifier.optional().meta({ description: 'Acknowledges that letter.' }),
  clientId: identifier
    .refine((id) => !isOwnClientId(id), `must not begin with ${ownBeginnings}`)
    .optional()
    .meta({
      description: `Your own id of the letter: one that is sent again is stored once. It must not begin with ${ownBeginnings}.`,
    }),
});

export const forwarded = z.object({
  messageId: identifier,
  from: agentId.optional().describe('Default, with a token: your own name.'),
  to: agentId,
  note: z.string().max(2_000).default(''),
});

export const mailBeat = z
  .object({
    status: line(40)
      .optional()
      .meta({ description: '`healthy`, `busy` or `degraded`; others are not kept.' }),
    role: label
      .default('default')
      .meta({ description: 'Of a name that is new, on the port without tokens.' }),
    host: hostName.optional(),
  })
  .default({ role: 'default' });

const LIMIT_MAX = 1_000;
const WAIT_SECONDS_MAX = 60;

export const mailQuery = z.strictObject({
  agent: boxOwner,
  id: identifier.optional().describe('One letter, whole.'),
  action: z
    .enum(['unread-count', 'sent-count', 'stats', 'sent', 'resolve', 'search'])
    .optional()
    .describe('Counts instead of letters; `sent` is `box=sent`; `resolve` and `search` look for names.'),
  box: z.enum(['inbox', 'sent']).default('inbox').describe('Letters to this name, or from it.'),
  status: z
    .enum(['unread', 'read', 'archived', 'unacknowledged'])
    .optional()
    .describe('Only letters in this state; pings are never `unacknowledged`.'),
  priority: priority.optional().describe('Only letters of this priority.'),
  verified: z
    .enum(['true', 'false'])
    .optional()
    .describe('Only letters whose senders have proven their names, or only the others; also for counts.'),
  from: agentId.optional().describe('Only letters of this sender, in an inbox.'),
  to: agentId.optional().describe('Only letters to this recipient, among those sent.'),
  before: identifier.optional().describe('Only letters that are older than this one: the next page.'),
  limit: wholeNumber(0, LIMIT_MAX)
    .optional()
    .meta({ description: 'Default 25; 0 is 1,000, the most in one answer.' }),
  wait: wholeNumber(0, WAIT_SECONDS_MAX)
    .optional()
    .meta({ description: 'Seconds to wait for a letter when there is none.' }),
});

export const streamedBox = z.strictObject({ agent: boxOwner });

export const letterPlace = z.strictObject({
  agent: boxOwner,
  id: identifier.describe('The letter.'),
});

export const letterMark = z.strictObject({
  ...letterPlace.shape,
  action: z.enum(['read', 'archive', 'acknowledge']).describe('Acknowledged includes read.'),
});

const timestamp = z.string().meta({ description: 'In UTC, in whole seconds.' });

export const summary = z.strictObject({
  id: z.string(),
  from: z.string(),
  fromVerified: z.boolean().meta({ description: 'Whether the sender has proven its name by a token.' }),
  to: z.string(),
  timestamp,
  subject: z.string(),
  priority,
  status: z.enum(['unread', 'read', 'archived']),
  type: z.string(),
  preview: z.string().meta({ description: 'The first 100 characters.' }),
  inReplyTo: z.string().optional(),
  forwardedBy: z.string().optional(),
  deliveredAt: timestamp.nullable(),
  readAt: timestamp.nullable(),
  acknowledgedAt: timestamp.nullable(),
});

export const letter = z.strictObject({ ...summary.omit({ type: true, preview: true }).shape, content });

export const sent = z.strictObject({
  message: letter,
  id: z.string(),
  notified: z.boolean().meta({ description: 'Whether the recipient was waiting for it.' }),
  notes: z.array(z.string()).optional(),
});

export const letterPage = z.strictObject({ messages: z.array(summary), limit: z.number() });

export const mailAnswer = z.union([
  letterPage,
  letter,
  z.strictObject({ count: z.number() }),
  z.strictObject({ unread: z.number(), total: z.number(), byPriority: z.record(z.string(), z.number()) }),
  z.strictObject({ resolved: z.strictObject({ agentId: z.string(), name: z.string() }) }),
  z.strictObject({ results: z.array(z.strictObject({ agentId: z.string(), name: z.string() })) }),
]);

export const done = z.strictObject({ success: z.literal(true) });

export const mailAgent = z.strictObject({
  session_name: z.string(),
  status: z.enum(['online', 'idle', 'busy', 'offline', 'unknown']),
  last_seen: timestamp.nullable(),
  registered_at: timestamp,
  host: z.string(),
  offline_since: timestamp.optional(),
  unread_messages: z.number(),
});

export const mailAgents = z.strictObject({
  agents: z.array(mailAgent),
  stats: z.strictObject({ total: z.number(), online: z.number(), offline: z.number() }),
});

export const letterFailure = z.looseObject({
  error: z.string().meta({ description: 'A code, such as `agent_not_found`.' }),
  message: z.string(),
});

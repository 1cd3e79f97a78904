import { ALERT_TOPICS } from '@holter/core';
import { z } from 'zod';
import { label, line, reason, time } from './parts.ts';

const word = z.string();

/** Requests. */
export const alertTest = z.strictObject({
  channel: word.max(32).optional().meta({ description: 'Left out: every channel that is defined.' }),
});

const secondsMax = 30 * 24 * 3_600;

export const newWindow = z.strictObject({
  group: label,
  seconds: z.number().min(1).max(secondsMax).meta({ description: 'For how long, from now.' }),
  reason,
  by: line(128).optional(),
});

/** Answers. */
const alert = z.strictObject({
  alertId: word,
  topic: z.enum(ALERT_TOPICS),
  severity: z.enum(['info', 'warning', 'critical']),
  group: word.nullable(),
  channels: z.array(word),
  toldAt: time,
  notices: z.number().meta({ description: 'How often it was told.' }),
  isAcknowledged: z.boolean(),
  about: z.array(z.strictObject({ agentId: word.nullable(), summary: word, since: time })),
});

const channel = z.strictObject({
  name: word,
  type: word,
  state: z.enum(['unused', 'ok', 'failing']),
  lastPostedAt: time.nullable(),
  lastFailedAt: time.nullable(),
  lastFailure: word.nullable(),
});

export const maintenanceWindow = z.strictObject({
  group: word,
  from: time,
  until: time,
  by: word,
  reason: word,
});

export const alertPage = z.strictObject({
  alerts: z.array(alert),
  channels: z.array(channel),
  windows: z.array(maintenanceWindow),
  warnings: z
    .array(word)
    .meta({ description: 'Alerts that go nowhere, because their channel is not defined.' }),
});

export const alertTested = z.strictObject({
  results: z.array(z.strictObject({ channel: word, isSent: z.boolean(), detail: word })),
});

import { z } from 'zod';
import { agentId, identifier, line } from './parts.ts';

const processIdentity = z.strictObject({
  bootId: line(128),
  pid: z.number().int().positive(),
  startedAt: line(64),
});

export const runRecord = z.strictObject({
  agentId,
  incarnation: z.number().int().positive(),
  runId: identifier,
  hostId: line(512),
  run: processIdentity,
  child: processIdentity.nullable(),
  nudgeFile: line(4_096).nullable(),
  words: z.enum(['file', 'replies']).default('file'),
  onLost: z.enum(['adopt', 'end']),
  session: z.strictObject({ kind: line(64), id: line(128) }).optional(),
});

export const poll = z.strictObject({
  have: z.array(line(300)).max(64).meta({ description: 'Ids of effects that it is working on.' }),
  waitSeconds: z.number().min(0).max(25),
});

export const receipt = z.strictObject({
  effectId: line(300),
  outcome: z.enum(['offered', 'delivered', 'seen', 'done', 'refused', 'unknown']).meta({
    description: '`offered`: the agent finds the message where it looks for it; `seen` follows.',
  }),
  detail: line(500),
});

export const effects = z.strictObject({
  effects: z.array(z.record(z.string(), z.unknown())),
  lookEverySeconds: z.number().nullable().meta({ description: 'How often to report on its process.' }),
});
export const presented = z.strictObject({ executorId: z.string(), pollWithinSeconds: z.number() });
export const received = z.strictObject({ ok: z.boolean() });

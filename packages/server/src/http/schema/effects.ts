import { z } from 'zod';
import { time } from './parts.ts';

const word = z.string();

export const effect = z.strictObject({
  effectId: word,
  kind: word,
  incarnation: z.number(),
  executor: word.nullable(),
  status: z.enum(['pending', 'claimed', 'done', 'dead']),
  outcome: word.nullable(),
  detail: word,
  tries: z.number(),
  createdAt: time,
  correlationId: word,
  message: word.nullable(),
  result: z.enum(['waiting', 'under-way', 'done', 'failed']).meta({
    description: 'Waiting: nothing can carry it out now; `summary` says why.',
  }),
  summary: word.nullable().meta({
    description: 'What became of a nudge, a stop or a start, as the end of a sentence about the agent.',
  }),
});
export const effectPage = z.strictObject({ effects: z.array(effect) });

import { z } from 'zod';
import { time } from './parts.ts';

const word = z.string();

const means = z.strictObject({
  by: word.nullable().meta({ description: "Null: it can't be done, and `because` says why." }),
  because: word.nullable(),
});
export const readiness = z.strictObject({
  nudge: means,
  stop: means,
  restarts: z
    .strictObject({ left: z.number(), because: word.nullable() })
    .meta({ description: 'How often Holter may still restart it by itself, or why it may not.' }),
});

export const readinessOfAgent = z.strictObject({
  ...readiness.shape,
  checkpoints: z
    .array(z.strictObject({ checkpointId: word, at: time }))
    .nullable()
    .meta({
      description:
        'The newest three that a successor could start from. Null in lists and after a decision, where they are not read.',
    }),
});

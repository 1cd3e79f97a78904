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
  checkpoints: z
    .array(z.strictObject({ checkpointId: word, at: time }))
    .nullable()
    .meta({
      description:
        'The newest three that a successor could start from. Null where they are not read: in lists of agents, after a decision, and in a list of incidents beyond the first 20 that wait for a decision.',
    }),
});

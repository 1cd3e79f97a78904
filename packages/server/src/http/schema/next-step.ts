import { z } from 'zod';
import { time } from './parts.ts';

const NEXT_STEP_CODES = [
  'backoff',
  'being-sent',
  'brake',
  'budget',
  'due',
  'ending',
  'if-nobody-decides',
  'if-nudge-changes-nothing',
  'if-nudge-is-unread',
  'nudge-again',
  'on-hold',
  'on-hold-by-own-word',
  'order-waits',
  'ordered',
  'probation',
  'resolved',
  'run-not-connected',
  'snoozed',
  'starting',
  'under-way',
  'usage-limit',
  'waits-for-person',
  'waits-for-person-only',
] as const;

export const nextStep = z.strictObject({
  step: z.enum(['nudge', 'escalate', 'terminate', 'recover', 'human', 'close']),
  /** Null when it is not a matter of time. */
  at: time.nullable(),
  inSeconds: z.number().nullable(),
  code: z.enum(NEXT_STEP_CODES).meta({
    description:
      'Why, for programs. `waits-for-person`: it waits for a decision; `waits-for-person-only`: and Holter will not stop the agent by itself.',
  }),
  why: z.string().meta({ description: 'Why, for people.' }),
  isUnseen: z
    .boolean()
    .meta({ description: 'It waits for a decision, and its notice has not been shown to a person yet.' }),
});

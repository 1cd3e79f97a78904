import type { Agent } from '@holter/core';
import { type Intake, isTokenless, TOKENLESS_REGISTRAR } from '../intake/index.ts';
import { LetterRefused } from './letter-refused.ts';

/** What a new name says about itself. */
export type TokenlessStart = { readonly role: string; readonly host?: string };

/** Whether it starts again, or names its role only now. */
export const isNewStart = (agent: Agent, { role }: TokenlessStart): boolean =>
  isTokenless(agent) &&
  (agent.hard.end !== undefined || (agent.hard.role === 'default' && role !== 'default'));

export async function registerTokenless(
  intake: Pick<Intake, 'register'>,
  agentId: string,
  { role, host }: TokenlessStart,
): Promise<void> {
  const answer = await intake.register(
    {
      agentId,
      instanceId: 'without a token',
      role,
      group: 'default',
      mode: 'nudge',
      // An agent with a role knows seed 001, and answers pings at the interval of its role.
      promises: role === 'default' ? {} : { pongs: true },
      can: ['nudge'],
      executor: null,
      addsRole: true,
      ...(host !== undefined && { host }),
    },
    TOKENLESS_REGISTRAR,
  );
  if (answer.kind === 'refused') throw new LetterRefused('too_many_agents', answer.message);
}

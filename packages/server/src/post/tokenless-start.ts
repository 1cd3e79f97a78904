import { type Intake, TOKENLESS_REGISTRAR } from '../intake/index.ts';
import { LetterRefused } from './letter-refused.ts';

/** What a new name says about itself. */
export type TokenlessStart = { readonly role: string; readonly host?: string };

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
      ...(host !== undefined && { host }),
    },
    TOKENLESS_REGISTRAR,
  );
  if (answer.kind === 'refused') throw new LetterRefused('too_many_agents', answer.message);
}

import type { Engine } from '../engine/engine.ts';
import type { Intake, Sender } from '../intake/index.ts';
import { LetterRefused, noAgent } from './letter-refused.ts';

export type SignalContext = {
  readonly engine: Pick<Engine, 'read'>;
  readonly intake: Pick<Intake, 'take'>;
};

/** An agent speaks for its own start; for everybody else it is the current one. */
export async function takeSignal(
  { engine, intake }: SignalContext,
  signal: object,
  sender: Sender,
  agentId: string,
): Promise<void> {
  const incarnation = sender.role === 'agent' ? undefined : (await engine.read(agentId))?.hard.incarnation;
  const about = { ...signal, ...(incarnation !== undefined && { incarnation }) };
  const taken = await intake.take(about, sender, { agentId });
  if (taken.kind !== 'refused') return;
  const { code, message } = taken;
  if (code === 'unknown_agent') throw noAgent(agentId);
  throw new LetterRefused(
    code === 'stale_incarnation' || code === 'agent_ended' ? code : 'forbidden',
    message,
  );
}

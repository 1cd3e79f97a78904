import type { Life, StepRef } from '../vocabulary/effect.ts';
import { lifeOfFleet, lifeOfIncident, lifeOfStart } from '../vocabulary/effect.ts';
import { LADDER } from '../vocabulary/ladder.ts';

type Json = Readonly<Record<string, unknown>>;

/** Version 1 said only in the id of an effect which step of which incident wanted it. */
export function effectOfV1(effect: Json): Json {
  const { id, agentId, incarnation, kind, answerBy } = effect as {
    id: string;
    agentId: string;
    incarnation: number;
    kind: string;
    answerBy?: number;
  };
  const found = stepInId(id, agentId);
  const isAct = found !== null && (found.part === undefined || kind === 'deny-call');
  const livesBy: Life = agentId.startsWith('fleet:')
    ? lifeOfFleet(agentId.slice('fleet:'.length))
    : found
      ? lifeOfIncident(found.step.incidentId)
      : lifeOfStart(agentId, incarnation);
  return {
    ...effect,
    livesBy,
    ...(answerBy !== undefined && { until: answerBy }),
    ...(isAct && { step: found.step }),
  };
}

/** `ada/3/terminate/1` or `ada/3/terminate/1/deny`; null for what belonged to no incident. */
function stepInId(id: string, agentId: string): { step: StepRef; part: string | undefined } | null {
  if (!id.startsWith(`${agentId}/`)) return null;
  const [count, name, attempt, part] = id.slice(agentId.length + 1).split('/');
  const step = LADDER.find((each) => each === name);
  if (count === undefined || step === undefined) return null;
  return { step: { incidentId: `${agentId}/${count}`, step, attempt: Number(attempt) }, part };
}

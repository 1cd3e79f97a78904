import type { Life, StepRef } from '../vocabulary/effect.ts';
import { lifeOfFleet, lifeOfIncident, lifeOfStart } from '../vocabulary/effect.ts';
import { LADDER } from '../vocabulary/ladder.ts';
import type { OrderSource } from '../vocabulary/order.ts';

type Json = Readonly<Record<string, unknown>>;

/** In version 1, only the id of an effect named its incident, step and attempt. */
export function effectOfV1(effect: Json): Json {
  const { id, agentId, incarnation, kind, answerBy, reason } = effect as {
    id: string;
    agentId: string;
    incarnation: number;
    kind: string;
    answerBy?: number;
    reason?: string;
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
    ...(kind === 'terminate' && { order: orderInReason(reason ?? '') }),
  };
}

/** In version 1, the reason's text said whether the effect was ordered. */
function orderInReason(reason: string): OrderSource | null {
  if (!reason.startsWith('ordered by ')) return null;
  return sourceOf(reason.slice('ordered by '.length));
}

/** In version 1, the name in `by` said who had ordered. */
function sourceOf(by: string): OrderSource {
  if (by === 'policy on_run_lost') return 'run';
  return by === 'policy' ? 'policy' : 'person';
}

export function agentOfV1({ marks, ...hard }: Json): Json {
  return { ...hard, ...(marks !== undefined && { highWater: marks }), ...incidentOfV1(hard) };
}

function incidentOfV1(hard: Json): Json {
  if (!hard.incident) return {};
  const { order, saidGoneAt, ...incident } = hard.incident as {
    readonly order?: { readonly by: string };
    readonly saidGoneAt?: number;
  };
  return {
    incident: {
      ...incident,
      ...(order && { order: { ...order, source: sourceOf(order.by) } }),
      ...(saidGoneAt !== undefined && { exitReportedAt: saidGoneAt }),
    },
  };
}

/** `ada/3/terminate/1` or `ada/3/terminate/1/deny`; null for an effect without an incident. */
function stepInId(id: string, agentId: string): { step: StepRef; part: string | undefined } | null {
  if (!id.startsWith(`${agentId}/`)) return null;
  const [count, name, attempt, part] = id.slice(agentId.length + 1).split('/');
  const step = LADDER.find((each) => each === name);
  if (count === undefined || step === undefined) return null;
  return { step: { incidentId: `${agentId}/${count}`, step, attempt: Number(attempt) }, part };
}

import { type Agent, findingsOf, type Instant, livenessOf, type Policy } from '@holter/core';
import { lastHeardOf } from '../../post/index.ts';
import { decisionsView } from '../decisions-view.ts';
import { endDetail } from '../end-view.ts';
import { type IncidentContext, incidentView } from '../incident-view.ts';
import { recommendationOf } from '../recommendation.ts';
import type { FleetRowView } from '../types.ts';
import type { FleetEntry } from './fleet-entry.ts';

/** One line of the fleet: how it is, why, and what comes next. */
export function fleetRow(
  agent: Agent,
  entry: FleetEntry,
  { isStarterGone, ...context }: IncidentContext & { readonly isStarterGone: boolean },
): FleetRowView {
  const { soft, hard } = agent;
  const { policy, at } = context;
  const { incident, holds, quiet } = hard;
  const view = incident ? incidentView(agent, incident, context) : null;
  const hold = holds.find(({ kind }) => kind !== 'in-tool') ?? holds[0] ?? null;
  const findings = findingsOf(hard);
  const lead = findings[0] ?? null;
  const tokensPerMinute = entry.pulse.tokensPerMinute(at);
  return {
    agentId: hard.agentId,
    group: hard.group,
    role: hard.role,
    mode: hard.mode,
    state: hard.health,
    stateSince: hard.healthSince,
    liveness: livenessOf(hard),
    isWorking: hard.work !== undefined,
    hold: hold ? { kind: hold.kind, since: hold.since, until: hold.until ?? null } : null,
    why: lead?.evidence ?? (hard.end ? endDetail(hard.end) : null),
    kind: lead?.kind ?? null,
    severity: lead?.severity ?? null,
    findingCount: findings.length,
    lastBeatAt: soft.beatAt || null,
    lastSignAt: lastHeardOf(agent),
    beatEveryMs: hard.promises.beatEveryMs ?? null,
    lastProgressAt: hard.progress?.at ?? null,
    tool: entry.tool,
    tokens: soft.tokens || null,
    tokensPerMinute,
    costUsd: soft.costUsd || null,
    costPerHour: costPerHourOf(soft, tokensPerMinute),
    errors: entry.pulse.errorsWithinHour(at),
    step: view ? { step: view.step, attempt: view.attempt, next: view.next } : null,
    quietUntil: quiet && quiet.until > at ? quiet.until : null,
    incidentId: incident?.id ?? null,
    needsYouSince: entry.needsYouSince || null,
    ...decisionsOf(agent, policy, at, isStarterGone),
    endedAt: hard.end?.at ?? null,
    strip: entry.pulse.letters(at),
  };
}

/** At the average price of its tokens. */
export const costPerHourOf = ({ tokens, costUsd }: Agent['soft'], tokensPerMinute: number): number =>
  tokens > 0 ? (costUsd / tokens) * tokensPerMinute * 60 : 0;

/** Of an agent in trouble; who wants to decide about one that is well asks for the agent itself. */
function decisionsOf(
  agent: Agent,
  policy: Policy,
  at: Instant,
  isStarterGone: boolean,
): Pick<FleetRowView, 'offers' | 'recommended'> {
  if (!agent.hard.incident) return { offers: [], recommended: null };
  const decisions = decisionsView(agent, policy, at, isStarterGone);
  const offers = Object.entries(decisions).flatMap(([word, obstacle]) => (obstacle === null ? [word] : []));
  return { offers, recommended: recommendationOf(agent, decisions) };
}

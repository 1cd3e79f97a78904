import { type Agent, findingsOf, type Instant, livenessOf, type Policy } from '@holter/core';
import { endDetail } from '../end-view.ts';
import { incidentView } from '../incident-view.ts';
import type { FleetRowView } from '../types.ts';
import type { FleetEntry } from './fleet-entry.ts';

/** One line of the fleet: how it is, why, and what comes next. */
export function fleetRow(agent: Agent, entry: FleetEntry, policy: Policy, at: Instant): FleetRowView {
  const { soft, hard } = agent;
  const { incident, holds, quiet } = hard;
  const view = incident ? incidentView(agent, incident, policy, at) : null;
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
    beatEveryMs: hard.promises.beatEveryMs ?? null,
    lastProgressAt: hard.progress?.at ?? null,
    tool: entry.tool,
    tokens: soft.tokens,
    tokensPerMinute,
    costUsd: soft.costUsd,
    costPerHour: soft.tokens > 0 ? (soft.costUsd / soft.tokens) * tokensPerMinute * 60 : 0,
    errors: entry.pulse.errorsWithinHour(at),
    step: view ? { step: view.step, attempt: view.attempt, next: view.next } : null,
    quietUntil: quiet && quiet.until > at ? quiet.until : null,
    strip: entry.pulse.letters(at),
  };
}

import type { DurationMs, Instant } from '../base/time.ts';
import { inWords, later } from '../base/time.ts';
import { stateAt } from '../breaker/breaker.ts';
import { actFindings, leadOf } from '../incident/reason.ts';
import type { Hard } from '../record/agent.ts';
import type { AlertRoute, AlertTopic, Condition } from '../vocabulary/alert.ts';
import { FINDING_KINDS } from '../vocabulary/finding.ts';
import { ASKING_STEPS } from '../vocabulary/ladder.ts';

/** How one agent's alerts are sent. */
export type AgentAlerts = Readonly<Record<AlertTopic, AlertRoute>> & {
  /** `stuck`: as soon as the agent is STUCK. `escalated`: when a decision is asked for. */
  readonly when: 'stuck' | 'escalated';
  /** How long an agent may wait for a person before somebody is told. */
  readonly waitMs: DurationMs;
};

type Found = Pick<Condition, 'topic' | 'summary' | 'since' | 'inhibitedBy'>;

/** What people should know about this agent now, at most one condition for each topic. */
export function conditionsOf(hard: Hard, alerts: AgentAlerts, at: Instant): readonly Condition[] {
  const { agentId, group, incident, quiet } = hard;
  if (quiet && quiet.until > at && !hard.end) return [];
  const found = [
    incidentFound(hard, alerts),
    breakerFound(hard, at),
    limitFound(hard),
    waitFound(hard, alerts, at),
  ];
  const byTopic = new Map<AlertTopic, Found>();
  for (const each of found) if (each && !byTopic.has(each.topic)) byTopic.set(each.topic, each);
  return [...byTopic.values()].map((each) => ({
    ...each,
    ...alerts[each.topic],
    key: `${each.topic}/${agentId}`,
    group,
    agentId,
    incidentId: incident?.id ?? null,
    ...(incident?.acknowledged && { isAcknowledged: true }),
  }));
}

function incidentFound(hard: Hard, { when }: AgentAlerts): Found | null {
  const { incident, health, end } = hard;
  if (!incident) return null;
  const topic = topicOf(hard);
  const isAsking = ASKING_STEPS.has(incident.step) && incident.phase === 'waiting';
  const isEarly = when === 'stuck' && topic === 'stuck_agent' && health === 'STUCK';
  const summary = leadOf(actFindings(hard))?.evidence ?? end?.detail ?? String(incident.cause);
  const found = { topic, summary, since: incident.openedAt };
  // What was told lasts until the incident closes, but nobody is told it for the first time now.
  if (incident.calm !== undefined && !end) return { ...found, inhibitedBy: 'it is calm again' };
  if (isAsking || isEarly) return found;
  return incident.step === 'nudge' ? null : { ...found, inhibitedBy: 'Holter acts on it' };
}

function topicOf({ incident, end, recovery }: Hard): AlertTopic {
  if (!incident || incident.cause === 'operator') return 'agent_failed';
  const { cause, step } = incident;
  if (step === 'human' && end && (recovery?.attempts ?? 0) > 0) return 'recovery_failed';
  if (cause === 'limit-exceeded') return 'limit_exceeded';
  if (cause === 'breaker-open') return 'circuit_breaker_open';
  return FINDING_KINDS[cause].about === 'progress' ? 'stuck_agent' : 'agent_failed';
}

function breakerFound({ breakers = {}, end }: Hard, at: Instant): Found | null {
  if (end) return null;
  const open = Object.entries(breakers).filter(([, breaker]) => stateAt(breaker, at) === 'OPEN');
  const [first] = open;
  if (!first) return null;
  const names = open.map(([name]) => name).join(', ');
  return {
    topic: 'circuit_breaker_open',
    summary: open.length === 1 ? `its breaker ${names} is open` : `its breakers ${names} are open`,
    since: first[1].openedAt,
  };
}

function limitFound(hard: Hard): Found | null {
  const finding = hard.end ? undefined : actFindings(hard).find(({ kind }) => kind === 'limit-exceeded');
  return finding ? { topic: 'limit_exceeded', summary: finding.evidence, since: finding.since } : null;
}

/** An empty prompt is nobody's business unless there is work that waits behind it. */
function waitFound(
  { holds, task, turnSince, end }: Hard,
  { waitMs }: AgentAlerts,
  at: Instant,
): Found | null {
  const hasWork = task !== undefined || turnSince !== undefined;
  const hold = holds.find(
    ({ kind }) => kind === 'waiting-for-permission' || (kind === 'waiting-for-input' && hasWork),
  );
  if (!hold || end || at < later(hold.since, waitMs)) return null;
  const what = hold.kind === 'waiting-for-permission' ? 'for a permission' : 'for your answer';
  return {
    topic: 'waiting_for_person',
    summary: `it has been waiting ${what} for more than ${inWords(waitMs)}`,
    since: hold.since,
  };
}

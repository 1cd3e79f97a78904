import type { DurationMs, Instant } from '../base/time.ts';
import { inWords, later } from '../base/time.ts';
import { stateAt } from '../breaker/breaker.ts';
import { quietAbout } from '../incident/quiet.ts';
import { actFindings, leadOf } from '../incident/reason.ts';
import type { Hard } from '../record/agent.ts';
import type { AlertRoute, AlertTopic, Condition } from '../vocabulary/alert.ts';
import { FINDING_KINDS } from '../vocabulary/finding.ts';
import { ASKING_STEPS } from '../vocabulary/ladder.ts';

/** How one agent's alerts are sent. */
export type AgentAlerts = Readonly<Record<AlertTopic, AlertRoute>> & {
  /** `stuck`: as soon as the agent is STUCK, too. `escalated`: only when a decision is asked for. */
  readonly when: 'stuck' | 'escalated';
  /** Channels of the orchestrator, which is told both (seed 000 §1 and §3). */
  readonly orchestrator: readonly string[];
  /** How long an agent may wait for a person before somebody is told. */
  readonly waitMs: DurationMs;
};

type Found = Pick<Condition, 'topic' | 'summary' | 'since' | 'inhibitedBy' | 'isLasting'> & {
  /** No person is asked to decide yet. */
  readonly isEarly?: true;
};

/** What should be told about this agent now, at most one condition for each topic, and that it got stuck. */
export function conditionsOf(hard: Hard, alerts: AgentAlerts, at: Instant): readonly Condition[] {
  const { agentId, group, incident, quiet } = hard;
  if (quiet && quiet.until > at && !hard.end) return [];
  const found = [
    ...incidentFound(hard),
    breakerFound(hard, at),
    limitFound(hard),
    waitFound(hard, alerts, at),
  ];
  const byKey = new Map<string, Found>();
  for (const each of found) {
    const key = each && `${each.topic}/${agentId}${each.isEarly ? '/early' : ''}`;
    if (key && !byKey.has(key)) byKey.set(key, each);
  }
  return [...byKey].map(([key, { isEarly, ...each }]) => ({
    ...each,
    ...routeOf(alerts, each.topic, isEarly ?? false),
    key,
    group,
    agentId,
    incidentId: incident?.id ?? null,
    ...(incident?.acknowledged && { isAcknowledged: true }),
  }));
}

function routeOf(alerts: AgentAlerts, topic: AlertTopic, isEarly: boolean): AlertRoute {
  const route = alerts[topic];
  if (topic !== 'stuck_agent') return route;
  const people = isEarly && alerts.when === 'escalated' ? [] : route.channels;
  return { ...route, channels: [...new Set([...people, ...alerts.orchestrator])] };
}

/** That it is stuck, and that a decision is asked for. What was told of them lasts until the incident closes. */
function incidentFound(hard: Hard): readonly Found[] {
  const { incident, health, end } = hard;
  if (!incident) return [];
  const topic = topicOf(hard);
  const summary = leadOf(actFindings(hard))?.evidence ?? end?.detail ?? String(incident.cause);
  const isCalm = incident.calm !== undefined && !end;
  const isNudged = incident.step === 'nudge';
  const isAsking = ASKING_STEPS.has(incident.step) && incident.phase === 'waiting';
  // Nobody is told it for the first time unless it holds now.
  const found = (isNow: boolean, otherwise: string): Found => ({
    topic,
    summary,
    since: incident.openedAt,
    ...((isCalm || !isNow) && { inhibitedBy: isCalm ? 'it is calm again' : otherwise }),
  });
  const early = { ...found(isNudged && health === 'STUCK', 'a later step is told'), isEarly: true as const };
  const asked = found(isAsking, 'Holter acts on it');
  return [...(topic === 'stuck_agent' ? [early] : []), ...(isNudged && !isCalm ? [] : [asked])];
}

function topicOf({ incident, end, recovery }: Hard): AlertTopic {
  if (!incident || incident.cause === 'operator') return 'agent_failed';
  const { cause, step } = incident;
  if (step === 'human' && end && (recovery?.attempts ?? 0) > 0) return 'recovery_failed';
  if (cause === 'limit-exceeded' || cause === 'budget') return 'limit_exceeded';
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
  const finding = hard.end
    ? undefined
    : (actFindings(hard).find(({ kind }) => kind === 'limit-exceeded') ??
      hard.derived.find(({ kind }) => kind === 'budget' && quietAbout(hard, kind) === undefined));
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
    isLasting: true,
  };
}

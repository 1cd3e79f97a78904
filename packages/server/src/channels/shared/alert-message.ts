import type { AlertDecision, AlertNotice, AlertTopic, Effect, NoticeSeverity } from '@holter/core';
import { redact } from '../../redaction/index.ts';

/** What a channel tells: plain text that each channel still has to escape for where it is shown. */
export type AlertMessage = {
  readonly alertId: string;
  readonly action: AlertNotice['action'];
  readonly topic: AlertTopic | 'test';
  readonly severity: NoticeSeverity;
  readonly group: string | null;
  readonly title: string;
  /** One for each agent, and what else is to be said. */
  readonly lines: readonly string[];
  /** The page that shows it; null when the server's address is not known. */
  readonly link: string | null;
  /** Where a person can decide. Opening one decides nothing. */
  readonly decisions: readonly {
    readonly decision: AlertDecision;
    readonly label: string;
    readonly link: string;
  }[];
  readonly agents: readonly string[];
  /** Ids of their open incidents. */
  readonly incidents: readonly string[];
};

type Notify = Extract<Effect, { kind: 'notify' }>;

const LINE_LENGTH_MAX = 400;

export function messageOf({ id, alert, message, severity }: Notify, baseUrl: string | null): AlertMessage {
  if (!alert) return testMessage(id, message, severity);
  const { alertId, action, topic, group, members, count } = alert;
  const link = baseUrl === null ? null : linkOf(baseUrl, alert);
  const more = count - members.length;
  return {
    alertId,
    action,
    topic,
    severity: alert.severity,
    group,
    title: titleOf(alert),
    lines: [
      ...members.map(({ agentId, summary }) => plain(agentId === null ? summary : `${agentId}: ${summary}`)),
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(alert.flaps === undefined ? [] : [flapping(alert.flaps)]),
    ],
    link,
    decisions: link === null ? [] : decisionsOf(alert, link),
    agents: members.flatMap(({ agentId }) => agentId ?? []),
    incidents: members.flatMap(({ incidentId }) => incidentId ?? []),
  };
}

const testMessage = (id: string, message: string, severity: NoticeSeverity): AlertMessage => ({
  alertId: id,
  action: 'trigger',
  topic: 'test',
  severity,
  group: null,
  title: plain(message),
  lines: [],
  link: null,
  decisions: [],
  agents: [],
  incidents: [],
});

/** As one text, for channels that have no parts. */
export const textOf = ({ title, lines, link }: AlertMessage): string =>
  [title, ...lines, ...(link === null ? [] : [link])].join('\n');

/** Agents' words may hold secrets and control characters; neither leaves this machine. */
const plain = (text: string): string => clip(redact(text).replace(/\p{C}+/gu, ' '), LINE_LENGTH_MAX);

/** Does not cut a character in two: services refuse JSON with half of one. */
export const clip = (text: string, lengthMax: number): string =>
  text.length > lengthMax ? `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;

const flapping = (times: number): string =>
  `It came and went ${times} times within an hour. It is not told again until it has stayed away for 15 minutes.`;

const BEFORE: Readonly<Record<AlertNotice['action'], string>> = {
  trigger: '',
  repeat: 'Still: ',
  acknowledge: 'Acknowledged: ',
  resolve: 'Resolved: ',
};

function titleOf({ action, topic, group, members, count }: AlertNotice): string {
  const [first] = members;
  const isMass = topic === 'agent_failed' && first?.agentId === null;
  const subject = count === 1 ? (first?.agentId ?? null) : null;
  const title = isMass ? `Mass failure in group ${group}` : TITLES[topic](subject, count, group);
  return plain(`${BEFORE[action]}${title}`);
}

type Title = (agentId: string | null, count: number, group: string | null) => string;

const about =
  (one: string, several: string): Title =>
  (agentId, count, group) =>
    agentId === null ? `${count} agents of group ${group} ${several}` : `${agentId} ${one}`;

const TITLES: Readonly<Record<AlertTopic, Title>> = {
  stuck_agent: about('is stuck', 'are stuck'),
  circuit_breaker_open: about('has an open breaker', 'have open breakers'),
  recovery_failed: about('could not be restarted', 'could not be restarted'),
  waiting_for_person: about('is waiting for you', 'are waiting for you'),
  limit_exceeded: about('is over its limit', 'are over their limits'),
  agent_failed: about('has failed', 'have failed'),
  holter_unwell: () => 'Holter needs attention',
};

function linkOf(baseUrl: string, { members, count }: AlertNotice): string {
  const agentId = count === 1 ? (members[0]?.agentId ?? null) : null;
  if (agentId !== null) return `${baseUrl}/agents/${encodeURIComponent(agentId)}`;
  return members.some((member) => member.agentId !== null) ? `${baseUrl}/incidents` : `${baseUrl}/system`;
}

/** As on the page. */
const LABELS: Readonly<Record<AlertDecision, string>> = {
  allow_more_time: 'Snooze',
  force_handoff: 'Force handoff',
  terminate_and_recover: 'Restart',
  recover: 'Restart',
  leave_down: "Don't restart",
};

/** The page asks for a confirmation, and only while this incident is open. */
function decisionsOf({ decisions = [], members }: AlertNotice, link: string): AlertMessage['decisions'] {
  const incident = encodeURIComponent(members[0]?.incidentId ?? '');
  return decisions.map((decision) => ({
    decision,
    label: LABELS[decision],
    link: `${link}?decide=${decision}&incident=${incident}`,
  }));
}

import type { AgentView } from '@holter/server/wire';
import type { Decision, DecisionInput, DecisionRequest } from '../parts/decision-dialog.tsx';
import { plain, stepWord } from '../parts/words.ts';

/** A decision about a whole agent: what follows from it, and whether it is possible now. */
export type AgentDecision = Pick<Decision, 'label' | 'tone' | 'fields'> & {
  readonly name: string;
  /** Null when it is possible; else the reason why it is not. */
  readonly obstacle: (agent: AgentView) => string | null;
  readonly preview: (agent: AgentView) => string;
  readonly send: (agent: AgentView, input: DecisionInput) => DecisionRequest;
};

export const decisionAbout = (agent: AgentView, decision: AgentDecision): Decision => ({
  ...decision,
  title: `${decision.label}: ${agent.agentId}`,
  preview: decision.preview(agent),
  send: (input) => decision.send(agent, input),
});

export const agentUrl = (agent: AgentView, word: string): string =>
  `/v1/agents/${encodeURIComponent(agent.agentId)}/${word}`;
const decisionPath = (agent: AgentView): string =>
  `/v1/incidents/${encodeURIComponent(agent.incident?.incidentId ?? '')}/decision`;
const can = (agent: AgentView, what: string): boolean => agent.can.includes(what);

const ended = (agent: AgentView): string | null => (agent.end ? 'it has ended' : null);
const noIncident = (agent: AgentView): string | null => (agent.incident ? null : 'no incident is open');
const noWayBack = (agent: AgentView): string | null =>
  can(agent, 'spawn') ? null : 'nothing can start it from here';

export const cannotRecover = (agent: AgentView): string | null =>
  agent.end || can(agent, 'terminate') ? noWayBack(agent) : 'nothing can stop it from here';

export const STOPPED = 'It is asked to save, then interrupted, terminated and killed within 30 s.';

const restart = (agent: AgentView): string =>
  agent.checkpoint
    ? `a successor starts from its newest valid checkpoint (now ${agent.checkpoint.checkpointId})`
    : 'a successor starts at the beginning of its task, for there is no checkpoint';

export const AGENT_DECISIONS: readonly AgentDecision[] = [
  {
    name: 'nudge',
    label: 'Nudge',
    tone: 'calm',
    obstacle: (agent) => ended(agent) ?? (can(agent, 'nudge') ? null : 'no channel can reach it'),
    preview: (agent) =>
      `Your words, or Holter's facts if you write none, are put into the context of ${agent.agentId}. Nothing is stopped.`,
    fields: ['message'],
    send: (agent, { reason, message }) => ({
      path: agentUrl(agent, 'nudge'),
      body: { reason, ...(message !== '' && { message }) },
    }),
  },
  {
    name: 'more-time',
    label: 'Allow more time',
    tone: 'calm',
    obstacle: ended,
    preview: (agent) =>
      agent.incident
        ? `The ladder stands still at “${agent.incident.step}”. Findings stay visible. When the time is over and it is no better, the next step is due.`
        : 'Findings stay visible, but no incident opens until the time is over.',
    fields: ['minutes'],
    send: (agent, { reason, minutes }) => ({ path: agentUrl(agent, 'snooze'), body: { reason, minutes } }),
  },
  {
    name: 'wake',
    label: 'Wake it',
    tone: 'calm',
    obstacle: (agent) => (agent.quiet ? null : 'it was not given time'),
    preview: () => 'The time that was given ends now. What still holds is due at once.',
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'wake'), body: { reason } }),
  },
  {
    name: 'acknowledge',
    label: 'Acknowledge',
    tone: 'calm',
    obstacle: (agent) =>
      noIncident(agent) ?? (agent.incident?.acknowledged ? 'somebody has acknowledged it' : null),
    preview: (agent) =>
      `Nobody is told about this incident again until it closes, or until it climbs to a step that needs a new decision. The ladder goes on (next: ${stepWord(agent.incident?.next.step ?? '')}), and findings stay visible.`,
    send: (agent, { reason }) => ({ path: decisionPath(agent), body: { decision: 'acknowledge', reason } }),
  },
  {
    name: 'wrong',
    label: 'It was all wrong',
    tone: 'calm',
    obstacle: (agent) => ended(agent) ?? (agent.findings.length > 0 ? null : 'nothing is found against it'),
    preview: (agent) =>
      `What was counted for ${agent.findings.map(({ kind }) => plain(kind)).join(', ')} is forgotten, and Holter is quiet about the whole agent for a while. The History counts each as a wrong finding.`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'wrong'), body: { reason } }),
  },
  {
    name: 'leave-down',
    label: 'Leave it down',
    tone: 'calm',
    obstacle: (agent) => {
      if (!agent.end) return 'it has not ended';
      return agent.incident ? null : 'nobody wants to bring it back';
    },
    preview: () => 'Its end is accepted: the incident is over, and nothing is started again.',
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'wrong'), body: { reason } }),
  },
  {
    name: 'pause',
    label: 'Pause judging',
    tone: 'calm',
    obstacle: (agent) => ended(agent) ?? (isPaused(agent) ? 'it is paused already' : null),
    preview: () => 'Its progress is not judged until you resume. The agent itself is not stopped.',
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'pause'), body: { reason } }),
  },
  {
    name: 'resume',
    label: 'Resume judging',
    tone: 'calm',
    obstacle: (agent) => (isPaused(agent) ? null : 'it is not paused'),
    preview: () => 'Its clocks go on from where they stood.',
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'resume'), body: { reason } }),
  },
  {
    name: 'handoff',
    label: 'Force handoff',
    tone: 'grave',
    obstacle: (agent) => noIncident(agent) ?? ended(agent) ?? noWayBack(agent),
    preview: () =>
      'It is asked for a handoff note and given 5 minutes. Then it is stopped, and a successor starts with that note.',
    send: (agent, { reason }) => ({ path: decisionPath(agent), body: { decision: 'force_handoff', reason } }),
  },
  {
    name: 'terminate-and-recover',
    label: 'Terminate and recover',
    tone: 'grave',
    obstacle: (agent) => ended(agent) ?? cannotRecover(agent),
    preview: (agent) => `${STOPPED} When its end is proven, ${restart(agent)}.`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'terminate'), body: { reason, recover: true } }),
  },
  {
    name: 'terminate',
    label: 'Terminate',
    tone: 'grave',
    obstacle: (agent) => ended(agent) ?? (can(agent, 'terminate') ? null : 'nothing can stop it from here'),
    preview: () => `${STOPPED} Nothing starts again.`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'terminate'), body: { reason, recover: false } }),
  },
  {
    name: 'recover',
    label: 'Recover',
    tone: 'grave',
    obstacle: (agent) => (agent.end ? noWayBack(agent) : 'it has not ended'),
    preview: (agent) =>
      `Without waiting for the backoff, ${restart(agent)}. It is an attempt like any other.`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'recover'), body: { reason } }),
  },
];

const isPaused = (agent: AgentView): boolean => agent.holds.some(({ kind }) => kind === 'paused-by-operator');

export const decisionNamed = (name: string): AgentDecision | undefined =>
  AGENT_DECISIONS.find((decision) => decision.name === name);

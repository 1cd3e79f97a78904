import type { AgentView } from '@holter/server/wire';
import type { Decision, DecisionInput, DecisionRequest } from '../parts/decision-dialog.tsx';
import { plain, stepWord } from '../parts/words.ts';

/** A decision about a whole agent: what follows from it, and whether it is possible now. */
export type AgentDecision = Pick<Decision, 'label' | 'tone' | 'fields'> & {
  readonly name: string;
  /** Under which the server says whether it is possible now. */
  readonly word: keyof AgentView['decisions'];
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
/** Null when it is possible; else the reason why it is not. */
export const obstacleTo = (agent: AgentView, { word }: AgentDecision): string | null => agent.decisions[word];

export const canRecover = ({ end, decisions }: AgentView): boolean =>
  (end ? decisions.recover : decisions.terminate_and_recover) === null;

export const STOPPED = 'It is asked to save, then interrupted, terminated and killed within 30 s.';

const restart = (agent: AgentView): string =>
  agent.checkpoint
    ? `a successor starts from its newest valid checkpoint (now ${agent.checkpoint.checkpointId})`
    : 'a successor starts at the beginning of its task, for there is no checkpoint';

export const AGENT_DECISIONS: readonly AgentDecision[] = [
  {
    name: 'nudge',
    word: 'nudge',
    label: 'Nudge',
    tone: 'calm',
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
    word: 'allow_more_time',
    label: 'Allow more time',
    tone: 'calm',
    preview: (agent) =>
      agent.incident
        ? `The ladder stands still at “${agent.incident.step}”. Findings stay visible. When the time is over and it is no better, the next step is due.`
        : 'Findings stay visible, but no incident opens until the time is over.',
    fields: ['minutes'],
    send: (agent, { reason, minutes }) => ({ path: agentUrl(agent, 'snooze'), body: { reason, minutes } }),
  },
  {
    name: 'wake',
    word: 'wake',
    label: 'Wake it',
    tone: 'calm',
    preview: () => 'The time that was given ends now. What still holds is due at once.',
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'wake'), body: { reason } }),
  },
  {
    name: 'acknowledge',
    word: 'acknowledge',
    label: 'Acknowledge',
    tone: 'calm',
    preview: (agent) =>
      `Nobody is told about this incident again until it closes, or until it climbs to a step that needs a new decision. The ladder goes on (next: ${stepWord(agent.incident?.next.step ?? '')}), and findings stay visible.`,
    send: (agent, { reason }) => ({ path: decisionPath(agent), body: { decision: 'acknowledge', reason } }),
  },
  {
    name: 'wrong',
    word: 'wrong',
    label: 'It was all wrong',
    tone: 'calm',
    preview: (agent) =>
      `What was counted for ${agent.findings.map(({ kind }) => plain(kind)).join(', ')} is forgotten, and Holter is quiet about the whole agent for a while. The History counts each as a wrong finding.`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'wrong'), body: { reason } }),
  },
  {
    name: 'leave-down',
    word: 'leave_down',
    label: 'Leave it down',
    tone: 'calm',
    preview: () => 'Its end is accepted: the incident is over, and nothing is started again.',
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'wrong'), body: { reason } }),
  },
  {
    name: 'pause',
    word: 'pause',
    label: 'Pause judging',
    tone: 'calm',
    preview: () => 'Its progress is not judged until you resume. The agent itself is not stopped.',
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'pause'), body: { reason } }),
  },
  {
    name: 'resume',
    word: 'resume',
    label: 'Resume judging',
    tone: 'calm',
    preview: () => 'Its clocks go on from where they stood.',
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'resume'), body: { reason } }),
  },
  {
    name: 'handoff',
    word: 'force_handoff',
    label: 'Force handoff',
    tone: 'grave',
    preview: () =>
      'It is asked for a handoff note and given 5 minutes. Then it is stopped, and a successor starts with that note.',
    send: (agent, { reason }) => ({ path: decisionPath(agent), body: { decision: 'force_handoff', reason } }),
  },
  {
    name: 'terminate-and-recover',
    word: 'terminate_and_recover',
    label: 'Terminate and recover',
    tone: 'grave',
    preview: (agent) => `${STOPPED} When its end is proven, ${restart(agent)}.`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'terminate'), body: { reason, recover: true } }),
  },
  {
    name: 'terminate',
    word: 'terminate',
    label: 'Terminate',
    tone: 'grave',
    preview: () => `${STOPPED} Nothing starts again.`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'terminate'), body: { reason, recover: false } }),
  },
  {
    name: 'recover',
    word: 'recover',
    label: 'Recover',
    tone: 'grave',
    preview: (agent) =>
      `Without waiting for the backoff, ${restart(agent)}. It is an attempt like any other.`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'recover'), body: { reason } }),
  },
];

export const decisionNamed = (name: string): AgentDecision | undefined =>
  AGENT_DECISIONS.find((decision) => decision.name === name);

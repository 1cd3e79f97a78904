import type { AgentView } from '@holter/server/wire';
import type { Decision, DecisionInput, DecisionRequest } from '../parts/decision-dialog.tsx';
import { inTime, plain, stepWord } from '../parts/words.ts';

type DecisionWord = keyof AgentView['decisions'];

/** A decision about a whole agent: what follows from it, and what is said when it was accepted. */
export type AgentDecision = Pick<Decision, 'label' | 'tone' | 'needsReason' | 'fields'> & {
  /** Under which the server says whether it is possible now. */
  readonly word: DecisionWord;
  readonly preview: (agent: AgentView) => string;
  readonly done: (agentId: string, input: DecisionInput) => string;
  readonly send: (agent: AgentView, input: DecisionInput) => DecisionRequest;
};

export const decisionAbout = (agent: AgentView, decision: AgentDecision): Decision => ({
  ...decision,
  agentId: agent.agentId,
  title: `${decision.label}: ${agent.agentId}`,
  preview: decision.preview(agent),
  done: (input) => decision.done(agent.agentId, input),
  send: (input) => decision.send(agent, input),
});

export const agentUrl = ({ agentId }: Pick<AgentView, 'agentId'>, word: string): string =>
  `/v1/agents/${encodeURIComponent(agentId)}/${word}`;
const decisionPath = (agent: AgentView): string =>
  `/v1/incidents/${encodeURIComponent(agent.incident?.incidentId ?? '')}/decision`;
/** Null when it is possible; else the reason why it is not. */
export const obstacleTo = (agent: AgentView, { word }: AgentDecision): string | null => agent.decisions[word];

export const canRestart = ({ end, decisions }: AgentView): boolean =>
  (end ? decisions.recover : decisions.terminate_and_recover) === null;

export const STOPPED =
  'It is asked to save its work, then stopped: SIGINT, SIGTERM, and SIGKILL after 30 s at the latest.';

const restart = (agent: AgentView): string =>
  agent.checkpoint
    ? `a successor starts from its newest valid checkpoint (now ${agent.checkpoint.checkpointId})`
    : 'a successor starts at the beginning of its task, because there is no checkpoint';

/** In the order of a menu: what is done to the agent, then what is done about its incident. */
export const AGENT_DECISIONS: readonly AgentDecision[] = [
  {
    word: 'terminate_and_recover',
    label: 'Restart',
    tone: 'calm',
    needsReason: true,
    preview: (agent) => `${STOPPED} When its end is proven, ${restart(agent)}.`,
    done: (agentId) => `${agentId} is being stopped, then restarted`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'terminate'), body: { reason, recover: true } }),
  },
  {
    word: 'recover',
    label: 'Restart',
    tone: 'calm',
    preview: (agent) =>
      `Without waiting for the backoff, ${restart(agent)}. It counts as an attempt like any other.`,
    done: (agentId) => `${agentId} is being restarted`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'recover'), body: { reason } }),
  },
  {
    word: 'replace',
    label: 'Replace',
    tone: 'grave',
    needsReason: true,
    preview: (agent) =>
      `${agent.agentId} is given up, and ${restart(agent)}. If it still works where Holter can't see it, both may do the same work; it is told to stop when it is heard again.`,
    done: (agentId) => `${agentId} is being replaced`,
    send: (agent, { reason }) => ({ path: decisionPath(agent), body: { decision: 'replace', reason } }),
  },
  {
    word: 'leave_down',
    label: "Don't restart",
    tone: 'calm',
    preview: () => 'Its end is accepted: the incident closes, and it is not restarted.',
    done: (agentId) => `${agentId} is not restarted`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'wrong'), body: { reason } }),
  },
  {
    word: 'nudge',
    label: 'Nudge',
    tone: 'calm',
    preview: (agent) =>
      `Your message, or Holter's facts if you write none, is put into the context of ${agent.agentId}. Nothing is stopped.`,
    done: (agentId) => `A nudge is on its way to ${agentId}`,
    fields: ['message'],
    send: (agent, { reason, message }) => ({
      path: agentUrl(agent, 'nudge'),
      body: { reason, ...(message !== '' && { message }) },
    }),
  },
  {
    word: 'acknowledge',
    label: 'Acknowledge',
    tone: 'calm',
    preview: (agent) =>
      `No more notices about this incident until it closes or reaches a step that needs a new decision. The ladder goes on (next: ${stepWord(agent.incident?.next.step ?? '')}), and findings stay visible.`,
    done: (agentId) => `The incident of ${agentId} is acknowledged`,
    send: (agent, { reason }) => ({ path: decisionPath(agent), body: { decision: 'acknowledge', reason } }),
  },
  {
    word: 'allow_more_time',
    label: 'Snooze',
    tone: 'calm',
    preview: (agent) =>
      agent.incident
        ? `The ladder pauses at “${stepWord(agent.incident.step)}”. Findings stay visible. If it is no better when the time is over, the next step is due.`
        : 'Findings stay visible, but no incident opens until the time is over.',
    done: (agentId, { minutes }) => `${agentId} is snoozed for ${inTime(minutes * 60_000)}`,
    fields: ['minutes'],
    send: (agent, { reason, minutes }) => ({ path: agentUrl(agent, 'snooze'), body: { reason, minutes } }),
  },
  {
    word: 'wake',
    label: 'End snooze',
    tone: 'calm',
    preview: () => 'The snooze ends now. What still holds is due immediately.',
    done: (agentId) => `The snooze of ${agentId} has ended`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'wake'), body: { reason } }),
  },
  {
    word: 'wrong',
    label: 'False alarm',
    tone: 'calm',
    preview: (agent) =>
      `The counters of ${agent.findings.map(({ kind }) => plain(kind)).join(', ') || 'its failures'} are reset, and the whole agent is snoozed for a while. The History counts each as a false alarm.`,
    done: (agentId) => `Marked as a false alarm; the counters of ${agentId} are reset`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'wrong'), body: { reason } }),
  },
  {
    word: 'pause',
    label: 'Pause monitoring',
    tone: 'calm',
    preview: () => 'Its progress is not judged until you resume. The agent itself is not stopped.',
    done: (agentId) => `Monitoring of ${agentId} is paused`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'pause'), body: { reason } }),
  },
  {
    word: 'resume',
    label: 'Resume monitoring',
    tone: 'calm',
    preview: () => 'Its timers continue where they stopped.',
    done: (agentId) => `Monitoring of ${agentId} is resumed`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'resume'), body: { reason } }),
  },
  {
    word: 'force_handoff',
    label: 'Force handoff',
    tone: 'calm',
    needsReason: true,
    preview: () =>
      'It is asked for a handoff note and has 5 minutes to write it. Then it is stopped, and a successor starts with that note.',
    done: (agentId) => `${agentId} is asked for a handoff note`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'force-handoff'), body: { reason } }),
  },
  {
    word: 'terminate',
    label: 'Terminate',
    tone: 'grave',
    needsReason: true,
    preview: () => `${STOPPED} It is not restarted.`,
    done: (agentId) => `${agentId} is being stopped`,
    send: (agent, { reason }) => ({ path: agentUrl(agent, 'terminate'), body: { reason, recover: false } }),
  },
];

export const decisionNamed = (word: string): AgentDecision | undefined =>
  AGENT_DECISIONS.find((decision) => decision.word === word);

import type { AgentView } from '@holter/server/wire';
import type { Decision } from '../parts/decision-dialog.tsx';
import { inTime, plain } from '../parts/words.ts';
import { agentUrl } from './agent-decisions.ts';

/** Decisions about one kind of finding; the other kinds keep their effect. */
export const snooze = (agent: AgentView, kind: string): Decision => ({
  agentId: agent.agentId,
  title: `Snooze: ${plain(kind)}`,
  label: 'Snooze',
  tone: 'calm',
  preview: `“${plain(kind)}” stays visible, but nothing follows from it until the time is over. Other findings act as before. If it still holds then, you are asked again.`,
  done: ({ minutes }) => `“${plain(kind)}” is snoozed for ${inTime(minutes * 60_000)}`,
  fields: ['minutes'],
  send: ({ reason, minutes }) => ({
    path: agentUrl(agent, 'snooze'),
    body: { reason, minutes, finding: kind },
  }),
});

export const falseAlarm = (agent: AgentView, kind: string): Decision => ({
  agentId: agent.agentId,
  title: `False alarm: ${plain(kind)}`,
  label: 'False alarm',
  tone: 'calm',
  preview: `The counters of “${plain(kind)}” are reset, and it is snoozed for a while. Other findings act as before. The History counts it as a false alarm.`,
  done: () => `“${plain(kind)}” is marked as a false alarm; its counters are reset`,
  send: ({ reason }) => ({ path: agentUrl(agent, 'wrong'), body: { reason, finding: kind } }),
});

export const wake = (agent: AgentView, kind: string): Decision => ({
  agentId: agent.agentId,
  title: `End snooze: ${plain(kind)}`,
  label: 'End snooze',
  tone: 'calm',
  preview: `“${plain(kind)}” acts again immediately, if it is found.`,
  done: () => `The snooze of “${plain(kind)}” has ended`,
  send: ({ reason }) => ({ path: agentUrl(agent, 'wake'), body: { reason, finding: kind } }),
});

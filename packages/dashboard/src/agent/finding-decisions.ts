import type { AgentView } from '@holter/server/wire';
import type { Decision } from '../parts/decision-dialog.tsx';
import { plain } from '../parts/words.ts';
import { agentUrl } from './agent-decisions.ts';

/** Decisions about one kind of finding; the other kinds keep their effect. */
export const snooze = (agent: AgentView, kind: string): Decision => ({
  title: `Snooze: ${plain(kind)}`,
  label: 'Snooze',
  tone: 'calm',
  preview: `“${plain(kind)}” stays visible, but nothing follows from it until the time is over. Whatever else is found acts as before. If it still holds then, it is asked again.`,
  fields: ['minutes'],
  send: ({ reason, minutes }) => ({
    path: agentUrl(agent, 'snooze'),
    body: { reason, minutes, finding: kind },
  }),
});

export const wrong = (agent: AgentView, kind: string): Decision => ({
  title: `This was wrong: ${plain(kind)}`,
  label: 'This was wrong',
  tone: 'calm',
  preview: `What was counted for “${plain(kind)}” is forgotten, and Holter is quiet about it for a while. Whatever else is found acts as before. The History counts it as a wrong finding.`,
  send: ({ reason }) => ({ path: agentUrl(agent, 'wrong'), body: { reason, finding: kind } }),
});

export const wake = (agent: AgentView, kind: string): Decision => ({
  title: `Wake it: ${plain(kind)}`,
  label: 'Wake it',
  tone: 'calm',
  preview: `“${plain(kind)}” acts again at once, if it is found.`,
  send: ({ reason }) => ({ path: agentUrl(agent, 'wake'), body: { reason, finding: kind } }),
});

import type { AgentView } from '@holter/server/wire';
import type { Deed } from '../parts/deed-dialog.tsx';
import { plain } from '../parts/words.ts';
import { at } from './actions.ts';

/** What can be said about one kind of finding; every other kind goes on acting. */
export const snooze = (agent: AgentView, kind: string): Deed => ({
  title: `Snooze: ${plain(kind)}`,
  label: 'Snooze',
  tone: 'calm',
  preview: `“${plain(kind)}” stays visible, but nothing follows from it until the time is over. Whatever else is found acts as before. If it still holds then, it is asked again.`,
  fields: ['minutes'],
  send: ({ reason, minutes }) => ({
    path: at(agent, 'snooze'),
    body: { reason, minutes, finding: kind },
  }),
});

export const wrong = (agent: AgentView, kind: string): Deed => ({
  title: `This was wrong: ${plain(kind)}`,
  label: 'This was wrong',
  tone: 'calm',
  preview: `What was counted for “${plain(kind)}” is forgotten, and Holter is quiet about it for a while. Whatever else is found acts as before. The History counts it as a wrong finding.`,
  send: ({ reason }) => ({ path: at(agent, 'wrong'), body: { reason, finding: kind } }),
});

export const wake = (agent: AgentView, kind: string): Deed => ({
  title: `Wake it: ${plain(kind)}`,
  label: 'Wake it',
  tone: 'calm',
  preview: `“${plain(kind)}” acts again at once, if it is found.`,
  send: ({ reason }) => ({ path: at(agent, 'wake'), body: { reason, finding: kind } }),
});

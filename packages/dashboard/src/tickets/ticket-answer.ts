import type { TicketView } from '@holter/server/wire';
import type { Decision } from '../parts/decision-dialog.tsx';

type Word = NonNullable<TicketView['answer']>['answer'];

const labels: Readonly<Record<Word, string>> = { useful: 'Useful', false_alarm: 'False alarm' };

const previews: Readonly<Record<Word, string>> = {
  useful: 'Your answer is kept with the ticket and counted for the judge. Nothing else changes.',
  false_alarm:
    'The ticket is closed, and the judge writes none about the same for a while. An incident that rules opened stays as it is.',
};

const said: Readonly<Record<Word, string>> = {
  useful: 'is marked as useful',
  false_alarm: 'is marked as a false alarm',
};

/** A person's answer to a ticket. */
export const answerAbout = ({ agentId, ticket }: TicketView, answer: Word): Decision => ({
  agentId,
  title: `${labels[answer]}: ${ticket.severity} ticket about ${agentId}`,
  label: labels[answer],
  tone: 'calm',
  preview: previews[answer],
  reasonIfNone: '',
  done: () => `The ticket about ${agentId} ${said[answer]}`,
  send: ({ reason }) => ({
    path: `/v1/tickets/${encodeURIComponent(ticket.ticket_id)}/answer`,
    body: { answer, ...(reason !== '' && { reason }) },
  }),
});

import type { TicketView } from '@holter/server/wire';
import { Link } from '../parts/link.tsx';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { plain } from '../parts/words.ts';
import { agentPath } from '../state/route.ts';
import { statusWords } from './ticket-list.tsx';

/** Tickets in one line each; those that were dismissed show why nobody was disturbed. */
export function TicketTable({ tickets }: { readonly tickets: readonly TicketView[] }) {
  return (
    <Table name="Tickets" columns={['Agent', 'Severity', 'Cause', 'Written', 'Triage', 'Answer']}>
      {tickets.map(({ agentId, at, status, reason, answer, ticket }) => (
        <tr key={ticket.ticket_id}>
          <td>
            <Link to={agentPath(agentId)}>{agentId}</Link>
          </td>
          <td>
            <span class={`tag ${ticket.severity}`}>{ticket.severity}</span>
          </td>
          <td>{ticket.cause}</td>
          <td>
            <Ago at={at} />
          </td>
          <td>
            {statusWords[status]}
            {reason !== null && `: ${reason}`}
          </td>
          <td>{answer ? plain(answer.answer) : '–'}</td>
        </tr>
      ))}
    </Table>
  );
}

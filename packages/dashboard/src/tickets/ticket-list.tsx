import type { TicketView } from '@holter/server/wire';
import type { ComponentChildren } from 'preact';
import { ask } from '../parts/decision-dialog.tsx';
import { Ago } from '../parts/time.tsx';
import { personOf, plain } from '../parts/words.ts';
import { mayDecide } from '../state/session.ts';
import { answerAbout } from './ticket-answer.ts';

type Props = { readonly tickets: readonly TicketView[] };

/** Tickets with their reasons, what became of each, and whether a person found it useful. */
export function TicketList({ tickets }: Props) {
  return (
    <ul class="tickets" aria-label="Tickets">
      {tickets.map((ticket) => (
        <li key={ticket.ticket.ticket_id} class={ticket.ticket.severity}>
          <Ticket booked={ticket} />
        </li>
      ))}
    </ul>
  );
}

function Ticket({ booked }: { readonly booked: TicketView }) {
  const { ticket, at, status, reason, changedAt } = booked;
  return (
    <>
      <p>
        <span class={`tag ${ticket.severity}`}>{ticket.severity}</span> <b>{ticket.cause}</b>{' '}
        <span class="soft">
          ticket, <Ago at={at} />
        </span>
      </p>
      <p>{ticket.judge_reasoning}</p>
      <dl class="facts">
        <Fact name="Suggested">{ticket.suggested_action}</Fact>
        <Fact name="Triage">
          {statusWords[status]}
          {reason !== null && `: ${reason}`}
          {status !== 'new' && (
            <span class="soft">
              {' '}
              (<Ago at={changedAt} />)
            </span>
          )}
        </Fact>
        <Fact name="Steps">{stepsOf(ticket)}</Fact>
        {ticket.recent_verdicts.length > 0 && (
          <Fact name="Verdicts">
            <code>{ticket.recent_verdicts.slice(-VERDICTS_SHOWN).join(' ')}</code>
          </Fact>
        )}
        {ticket.evidence_snippet !== '' && <Fact name="Last words">{ticket.evidence_snippet}</Fact>}
      </dl>
      <Answer booked={booked} />
    </>
  );
}

const VERDICTS_SHOWN = 12;

/** What the triage has made of it. */
export const statusWords: Readonly<Record<TicketView['status'], string>> = {
  new: 'not looked at yet',
  asking: 'a person was notified',
  dismissed: 'dismissed',
  resolved: 'resolved',
};

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function stepsOf({ total_steps_checked, steps_since_last_accept, stall_minutes }: TicketView['ticket']) {
  const stall = stall_minutes === null ? '' : `, none for ${Math.round(stall_minutes)} min`;
  return `${steps_since_last_accept} since the last accepted one, ${total_steps_checked} in all${stall}`;
}

/** What a person said about the ticket, and the buttons to say it or to change it. */
function Answer({ booked }: { readonly booked: TicketView }) {
  const { answer, ticket } = booked;
  const others = (['useful', 'false_alarm'] as const).filter((word) => word !== answer?.answer);
  return (
    <>
      {answer && (
        <p class="seen">
          <span class="tag calm">{plain(answer.answer)}</span> says {personOf(answer.by)},{' '}
          <Ago at={answer.at} />
          {answer.reason !== '' && `: ${answer.reason}`}
        </p>
      )}
      {mayDecide() && (
        <p class="finding-decisions">
          {others.map((word) => {
            const decision = answerAbout(booked, word);
            return (
              <button
                type="button"
                key={word}
                class="quiet"
                aria-label={`${decision.label}: ${ticket.severity} ticket about ${booked.agentId}`}
                onClick={() => ask(decision)}
              >
                {decision.label}
              </button>
            );
          })}
        </p>
      )}
    </>
  );
}

import type { EscalationTicket } from '@holter/core';
import { type Instant, instant } from '@holter/core/time';
import { realClock } from '@holter/server/local';
import type { TicketAnswerInput, TicketView } from '@holter/server/wire';
import { type Command, Option } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, refuseAgents, withServer } from '../client/connection.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { type Colour, painter, printable } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import { ago } from '../terminal/words.ts';
import { byOf } from './decision-options.ts';

type ListOptions = PrintOptions & {
  readonly agent?: string;
  readonly status: 'open' | 'new' | 'asking' | 'dismissed' | 'resolved' | 'all';
};
type AnswerOptions = PrintOptions & { readonly reason?: string; readonly by?: string };

const COLOURS: Readonly<Record<string, Colour>> = {
  critical: 'red',
  high: 'red',
  medium: 'yellow',
  low: 'dim',
};

/** `holter ticket`: what the judge has told people, and what they say about it. */
export function registerTicket(program: Command, io: Io): void {
  const ticket = program.command('ticket').description('list and answer the tickets of the judge');
  const plain = (name: string, does: string): Command =>
    withServer(ticket.command(name).description(does).option('--json', 'print JSON'));

  withExamples(
    plain('list', 'list tickets, the newest first')
      .option('--agent <id>', 'only tickets about this agent')
      .addOption(
        new Option('--status <word>', 'only tickets in this state')
          .choices(['open', 'new', 'asking', 'dismissed', 'resolved', 'all'])
          .default('open'),
      ),
    [
      ['holter ticket list', 'open ones'],
      ['holter ticket list --status dismissed', 'tickets that disturbed nobody'],
    ],
  ).action(async ({ agent, status, ...options }: ListOptions) => {
    const query = { status, ...(agent !== undefined && { agentId: agent }) };
    const page = await ask(findServer(io, options, 'viewer'), (client) => client.tickets(query));
    io.out(options.json ? `${JSON.stringify(page)}\n` : listInWords(io, page.tickets, realClock().now()));
  });

  withExamples(plain('show', 'show one ticket').argument('<ticket>', 'its id'), [
    ['holter ticket show 4f8e21d0', 'what the judge saw, and why it wrote it'],
  ]).action(async (id: string, options: PrintOptions) => {
    const shown = await ask(findServer(io, options, 'viewer'), (client) => client.ticket(id));
    io.out(options.json ? `${JSON.stringify(shown)}\n` : `${detailsOf(io, shown, realClock().now())}\n`);
  });

  for (const [name, answer, does] of [
    ['useful', 'useful', 'say that a ticket was worth a look'],
    ['wrong', 'false_alarm', 'say that a ticket was a false alarm; only the ticket is closed'],
  ] as const) {
    withExamples(
      plain(name, does)
        .argument('<ticket>', 'its id')
        .option('-r, --reason <text>', 'why; it is kept')
        .option(
          '--by <name>',
          'who says it (default: the name of the token, else the user of this terminal)',
        ),
      [[`holter ticket ${name} 4f8e21d0`, 'for the statistics of the judge']],
    ).action((id: string, options: AnswerOptions) => tell(io, id, answer, options));
  }
}

async function tell(
  io: Io,
  id: string,
  answer: TicketAnswerInput['answer'],
  options: AnswerOptions,
): Promise<void> {
  refuseAgents(io, 'ticket');
  const { reason } = options;
  const body = { answer, ...byOf(io, options), ...(reason !== undefined && { reason }) };
  const told = await ask(findServer(io, options, 'operator'), (client) => client.answerTicket(id, body));
  io.out(options.json ? `${JSON.stringify(told)}\n` : `${detailsOf(io, told, realClock().now())}\n`);
}

function listInWords(io: Io, tickets: readonly TicketView[], now: Instant): string {
  if (tickets.length === 0) return 'No tickets.\n';
  const columns = [
    { title: 'ticket' },
    { title: 'agent' },
    { title: 'severity' },
    { title: 'status' },
    { title: 'written' },
    { title: 'cause', canShrink: true as const },
  ];
  const rows = tickets.map(({ agentId, status, at, ticket }) => [
    ticket.ticket_id,
    agentId,
    { text: ticket.severity, colour: COLOURS[ticket.severity] ?? 'bold' },
    status,
    ago(at, now),
    printable(ticket.cause),
  ]);
  return table(columns, rows, io.width, painter(io));
}

function detailsOf(
  io: Io,
  { status, reason, incidentId, answer, ticket, at }: TicketView,
  now: Instant,
): string {
  const why = reason ? `: ${printable(reason)}` : '';
  const said = answer
    ? `${answer.answer === 'useful' ? 'useful' : 'false alarm'}, says ${printable(answer.by)}`
    : 'no answer yet';
  return [
    `${ticket.ticket_id}  ${ago(instant(at), now)}  ${status}${why}`,
    ...(incidentId ? [`incident ${incidentId}`] : []),
    said,
    '',
    ticketInWords(io, ticket),
  ].join('\n');
}

/** The ticket itself. */
export function ticketInWords(io: Io, ticket: EscalationTicket): string {
  const paint = painter(io);
  const lines: readonly (readonly [string, string])[] = [
    ['cause', ticket.cause],
    ['why', ticket.judge_reasoning],
    ['suggested', ticket.suggested_action],
    ['session', `${ticket.worker_session_id}, node ${ticket.worker_node_id}`],
    ['verdicts', ticket.recent_verdicts.slice(-10).join(' ') || 'none'],
    ['last words', ticket.evidence_snippet],
  ];
  const head = paint(COLOURS[ticket.severity] ?? 'bold', `${ticket.severity} ticket`);
  return [
    `${head} about ${printable(ticket.worker_agent_id)}`,
    ...lines.map(([name, text]) => `  ${name.padEnd(10)}  ${printable(text)}`),
  ].join('\n');
}

import { instant } from '@holter/core/time';
import type { TicketView } from '@holter/server/local';
import { type Paint, printable } from '../../terminal/paint.ts';
import { ago, timeOfDay, wrapped } from '../../terminal/words.ts';
import { type State, serverNow, shownTicket } from '../state/state.ts';
import { fitted } from './row-line.ts';
import { severityColour } from './severity.ts';

const LABEL_WIDTH = 11;

/** A ticket, what was said about it, and what the agent did before. */
export function triageLines(state: State, height: number, paint: Paint): readonly string[] {
  const shown = shownTicket(state);
  if (!shown) return ['This ticket is not there any more.'];
  const { columns } = state.size;
  const lines = ticketText(shown, columns, paint);
  const age = ago(shown.at, instant(serverNow(state)));
  const head = `${shown.ticket.severity} ticket about ${shown.agentId}, ${age}, ${shown.status}`;
  const calls = (state.detail?.pulse?.newestCalls ?? []).map(({ begunAt, tool, input, output, isError }) =>
    paint(
      isError ? 'red' : 'dim',
      fitted(`${timeOfDay(begunAt)}  ${tool} ${input ?? ''} → ${output ?? ''}`, columns),
    ),
  );
  const top = [paint(severityColour(shown.ticket.severity), fitted(head, columns)), ...lines];
  return [
    ...top,
    paint('dim', calls.length === 0 ? 'no calls seen' : 'calls before it, newest first'),
    ...calls,
  ].slice(0, height);
}

function ticketText(
  { ticket, reason, answer }: TicketView,
  columns: number,
  paint: Paint,
): readonly string[] {
  const verdicts = ticket.recent_verdicts.slice(-12).join(' ');
  const stall = ticket.stall_minutes === null ? '' : `, no step for ${ticket.stall_minutes} min`;
  const fields: readonly (readonly [string, string | null])[] = [
    ['cause', ticket.cause],
    ['reasoning', ticket.judge_reasoning],
    ['triage', reason],
    ['suggested', ticket.suggested_action],
    [
      'steps',
      `${ticket.total_steps_checked}, ${ticket.steps_since_last_accept} since the last accepted one${stall}`,
    ],
    ['verdicts', verdicts === '' ? null : verdicts],
    ['last words', ticket.evidence_snippet === '' ? null : ticket.evidence_snippet],
    ['answer', answer ? `${answer.answer.replace('_', ' ')}, by ${answer.by}` : null],
  ];
  return fields.flatMap(([label, text]) => {
    if (text === null) return [];
    const [first = '', ...rest] = wrapped(printable(text), columns - LABEL_WIDTH);
    return [
      `${paint('dim', label.padEnd(LABEL_WIDTH))}${first}`,
      ...rest.map((line) => `${' '.repeat(LABEL_WIDTH)}${line}`),
    ];
  });
}

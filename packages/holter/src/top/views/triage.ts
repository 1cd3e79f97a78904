import { instant } from '@holter/core/time';
import type { TicketView } from '@holter/server/local';
import { type Paint, printable } from '../../terminal/paint.ts';
import { ago, timeOfDay, wrapped } from '../../terminal/words.ts';
import { type State, serverNow, shownTicket } from '../state/state.ts';
import { fitted } from './row-line.ts';
import { severityColour } from './severity.ts';

const LABEL_WIDTH = 11;
const VERDICT_WIDTH = 10;

/** A ticket, what was said about it, and what the agent did before. */
export function triageLines(state: State, height: number, paint: Paint): readonly string[] {
  const shown = shownTicket(state);
  if (!shown) return ['This ticket is not there any more.'];
  const { columns } = state.size;
  const lines = ticketText(shown, columns, paint);
  const age = ago(shown.at, instant(serverNow(state)));
  const head = `${shown.ticket.severity} ticket about ${shown.agentId}, ${age}, ${shown.status}`;
  const top = [paint(severityColour(shown.ticket.severity), fitted(head, columns)), ...lines];
  return [...top, ...stepLines(state, paint), ...callLines(state, paint)].slice(0, height);
}

/** What the agent said and got back, with the verdicts: sessions of folders have no calls beside their steps. */
function stepLines({ detail, size: { columns } }: State, paint: Paint): readonly string[] {
  const steps = detail?.steps ?? [];
  const isTelling = steps.some(({ verdict, text }) => verdict !== 'CONTINUE' || text !== '');
  if (!isTelling) return [];
  const told = [...steps].reverse().map(({ verdict, tool, text, result, isError }) => {
    const words = [verdict.padEnd(VERDICT_WIDTH), tool, text, result === '' ? null : `→ ${result}`];
    return paint(isError ? 'red' : 'dim', fitted(words.filter(Boolean).join(' '), columns));
  });
  return [paint('dim', 'last steps, newest first'), ...told];
}

function callLines({ detail, size: { columns } }: State, paint: Paint): readonly string[] {
  const calls = detail?.pulse?.newestCalls ?? [];
  if (calls.length === 0) return [];
  return [
    paint('dim', 'calls, newest first'),
    ...calls.map(({ begunAt, tool, input, output, isError }) =>
      paint(
        isError ? 'red' : 'dim',
        fitted(`${timeOfDay(begunAt)}  ${tool} ${input ?? ''} → ${output ?? ''}`, columns),
      ),
    ),
  ];
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

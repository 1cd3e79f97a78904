import { instant } from '@holter/core/time';
import { breakerInWords } from '../../explain/breaker-in-words.ts';
import { stepInWords } from '../../explain/explain-agent.ts';
import { colourOfState, type Paint } from '../../terminal/paint.ts';
import { cutMiddle, lasted, timeOfDay } from '../../terminal/words.ts';
import { breakersShown, incidentsShown, type State, serverNow, ticketsShown } from '../state/state.ts';
import { fitted, visibleFrom } from './row-line.ts';
import { severityColour } from './severity.ts';

const NAME_WIDTH = 20;

type Place = { readonly selected: number; readonly height: number; readonly empty: string };

/** One line for each item; only the visible ones are built. */
function listLines<T>(
  items: readonly T[],
  { selected, height, empty }: Place,
  line: (item: T, mark: string) => string,
): readonly string[] {
  if (items.length === 0) return [empty];
  const from = visibleFrom(selected, items.length, height);
  const visible = items.slice(from, from + height);
  return visible.map((item, index) => line(item, from + index === selected ? '› ' : '  '));
}

export function incidentLines(state: State, height: number, paint: Paint): readonly string[] {
  const now = instant(serverNow(state));
  const width = state.size.columns - NAME_WIDTH - 22;
  const place = { selected: state.selected.incidents, height, empty: 'No open incidents.' };
  return listLines(incidentsShown(state), place, (incident, mark) => {
    const why = incident.findings[0]?.evidence ?? incident.cause;
    return [
      paint('cyan', mark),
      cutMiddle(incident.agentId, NAME_WIDTH).padEnd(NAME_WIDTH + 1),
      paint(colourOfState(incident.state), incident.state.padEnd(11)),
      lasted(incident.openedAt, now).padEnd(8),
      fitted(`${stepInWords(incident, now)}: ${why}`, width),
    ].join('');
  });
}

export function ticketLines(state: State, height: number, paint: Paint): readonly string[] {
  const width = state.size.columns - NAME_WIDTH - 33;
  const place = { selected: state.selected.tickets, height, empty: 'No tickets.' };
  return listLines(ticketsShown(state), place, ({ agentId, at, status, ticket, answer }, mark) =>
    [
      paint('cyan', mark),
      `${timeOfDay(at)} `,
      paint(severityColour(ticket.severity), ticket.severity.padEnd(9)),
      cutMiddle(agentId, NAME_WIDTH).padEnd(NAME_WIDTH + 1),
      paint('dim', (answer ? answer.answer.replace('_', ' ') : status).padEnd(12)),
      fitted(ticket.cause, width),
    ].join(''),
  );
}

export function breakerLines(state: State, height: number, paint: Paint): readonly string[] {
  const now = instant(serverNow(state));
  const place = { selected: state.selected.breakers, height, empty: 'All breakers are closed.' };
  return listLines(breakersShown(state), place, (breaker, mark) =>
    [
      paint('cyan', mark),
      cutMiddle(breaker.agentId, NAME_WIDTH).padEnd(NAME_WIDTH + 1),
      fitted(breakerInWords(breaker, now), state.size.columns - NAME_WIDTH - 3),
    ].join(''),
  );
}

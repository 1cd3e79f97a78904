import { colourOfState, type Paint } from '../../terminal/paint.ts';
import { counted } from '../../terminal/words.ts';
import { newestTicket, type State } from '../state/state.ts';
import { agentLines } from './agent.ts';
import { fleetLines } from './fleet.ts';
import { HELP_LINES } from './help.ts';
import { breakerLines, incidentLines, ticketLines } from './lists.ts';
import { fitted } from './row-line.ts';
import { severityColour } from './severity.ts';
import { triageLines } from './triage.ts';

/** Header, status and footer. */
const FRAME_ROWS = 3;
const STATES = ['FAILING', 'STUCK', 'DEGRADED', 'HEALTHY', 'TERMINATED'] as const;

/** Everything that is on the screen, one line for each row. */
export function frameOf(state: State, paint: Paint): readonly string[] {
  const top = [headerOf(state, paint), ...noticeOf(state, paint)];
  const height = bodyHeight(state);
  const body = bodyOf(state, height, paint).slice(0, height);
  const gap = Array.from({ length: height - body.length }, () => '');
  return [...top, ...body, ...gap, statusOf(state, paint), footerOf(state, paint)];
}

/** A notice takes one row. */
export const bodyHeight = ({ size, notice }: Pick<State, 'size' | 'notice'>): number =>
  Math.max(1, size.rows - FRAME_ROWS - (notice ? 1 : 0));

function bodyOf(state: State, height: number, paint: Paint): readonly string[] {
  const { menu, view } = state;
  if (menu) return menuLines(menu, paint);
  switch (view) {
    case 'fleet':
      return fleetLines(state, height, paint);
    case 'incidents':
      return incidentLines(state, height, paint);
    case 'tickets':
      return ticketLines(state, height, paint);
    case 'breakers':
      return breakerLines(state, height, paint);
    case 'agent':
      return agentLines(state, height, paint);
    case 'triage':
      return triageLines(state, height, paint);
    case 'help':
      return HELP_LINES;
  }
}

function headerOf({ fleet, view, filter, isConnected }: State, paint: Paint): string {
  const { byState = {}, needYou = 0 } = fleet?.counts ?? {};
  const total = Object.values(byState).reduce((sum, count) => sum + count, 0);
  const states = STATES.flatMap((name) => {
    const count = byState[name] ?? 0;
    return count === 0 ? [] : [paint(colourOfState(name), `${count} ${name}`)];
  });
  return [
    paint('bold', 'Holter'),
    view,
    ...(needYou > 0 ? [paint('red', `${needYou} ${needYou === 1 ? 'needs' : 'need'} you`)] : []),
    counted(total, 'agent'),
    ...states,
    ...(filter === '' ? [] : [paint('cyan', `/${filter}`)]),
    ...(isConnected ? [] : [paint('red', 'no answer from the server; reconnecting…')]),
  ].join('  ');
}

function noticeOf({ notice, size }: State, paint: Paint): readonly string[] {
  if (!notice) return [];
  const hint = '  x dismiss';
  const label = ` ${notice.severity} `;
  const text = fitted(notice.text, size.columns - label.length - hint.length - 1);
  return [`${paint(severityColour(notice.severity), label)} ${text}${paint('dim', hint)}`];
}

function statusOf({ prompt, status }: State, paint: Paint): string {
  if (prompt?.kind === 'filter') return `/${prompt.text}█`;
  if (prompt) return `${prompt.choice.label}, because: ${prompt.text}█`;
  if (!status) return '';
  return status.severity === null ? status.text : paint(severityColour(status.severity), status.text);
}

/** As many as fit; the most useful first. Triage is offered only where there is a ticket. */
function footerOf(state: State, paint: Paint): string {
  const { size, view, prompt, menu, hasCodingAgent } = state;
  const hasTicket = newestTicket(state) !== null;
  const keys = prompt
    ? ['⏎ send', 'Esc cancel']
    : menu
      ? ['1-9 a-z choose', 'Esc cancel']
      : [
          ...(view === 'triage' ? ['y useful', 'n false alarm', ...(hasCodingAgent ? ['a agent'] : [])] : []),
          ...(hasTicket && view !== 'triage' ? ['^Q triage'] : []),
          ...(view === 'fleet' ? [] : ['Esc back']),
          '⏎ open',
          'd decide',
          '/ filter',
          '? help',
          'q quit',
          ...(view === 'fleet' ? [] : ['f fleet']),
          'i incidents',
          't tickets',
          'b breakers',
        ];
  let line = '';
  for (const key of keys) {
    const longer = line === '' ? key : `${line}  ${key}`;
    if (longer.length > size.columns) break;
    line = longer;
  }
  return paint('dim', line);
}

/** Choices beyond the ninth have letters. */
export const MENU_KEYS = '123456789abcdefghij';

function menuLines({ title, choices }: NonNullable<State['menu']>, paint: Paint): readonly string[] {
  const rows = choices.map(({ label, needsReason }, index) => {
    const why = needsReason ? paint('dim', '  (asks for a reason)') : '';
    return `  ${paint('cyan', MENU_KEYS[index] ?? ' ')}  ${label}${why}`;
  });
  return [paint('bold', title), ...rows];
}

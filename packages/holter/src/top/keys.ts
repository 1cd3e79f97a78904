import type { AgentView } from '@holter/server/local';
import { type Choice, choicesAbout, choicesAboutBreaker } from './state/decisions.ts';
import {
  breakersShown,
  incidentsShown,
  listLength,
  newestTicket,
  type State,
  selectedAgent,
  shownTicket,
  ticketsShown,
  type ViewName,
} from './state/state.ts';
import { MENU_KEYS } from './views/frame.ts';

export type KeyName =
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'backspace';

/** A key as it was pressed: a character, or the name of a key. */
export type Key = { readonly input: string; readonly name: KeyName | null; readonly isCtrl: boolean };

/** What a key asks for beside another state. */
export type Act =
  | { readonly kind: 'quit' | 'coding-agent' }
  | { readonly kind: 'ask-menu'; readonly agentId: string }
  | { readonly kind: 'decide'; readonly choice: Choice; readonly reason: string }
  | { readonly kind: 'answer'; readonly ticketId: string; readonly answer: 'useful' | 'false_alarm' };

type Pressed = { readonly state: State; readonly act?: Act };

const REASON_MAX = 500;
const DEFAULT_REASON = 'decided in holter top';
const NOTHING_SELECTED: State['selected'] = { fleet: 0, incidents: 0, tickets: 0, breakers: 0 };

/** What a key does to the screen, and what it asks for. */
export function press(state: State, { input, name, isCtrl }: Key): Pressed {
  if (isCtrl && input === 'c') return { state, act: { kind: 'quit' } };
  if (isCtrl && input === 'q') return { state: withTriage(state, newestTicket(state)) };
  if (isCtrl) return { state };
  if (state.prompt) return type(state, state.prompt, input, name);
  if (state.menu) return choose(state, state.menu, input, name);
  return name === null ? command(state, input) : move(state, name);
}

function command(state: State, input: string): Pressed {
  switch (input) {
    case 'q':
      return { state, act: { kind: 'quit' } };
    case 'j':
      return move(state, 'down');
    case 'k':
      return move(state, 'up');
    case '/':
      return { state: { ...state, prompt: { kind: 'filter', text: state.filter } } };
    case '?':
      return { state: opened(state, 'help') };
    case 'f':
      return { state: { ...state, view: 'fleet', trail: [] } };
    case 'i':
      return { state: opened(state, 'incidents') };
    case 't':
      return { state: opened(state, 'tickets') };
    case 'b':
      return { state: opened(state, 'breakers') };
    case 'd':
      return decideHere(state);
    case 'x':
      return { state: { ...state, notice: null } };
    default:
      return state.view === 'triage' ? inTriage(state, input) : { state };
  }
}

function inTriage(state: State, input: string): Pressed {
  const ticketId = shownTicket(state)?.ticket.ticket_id;
  if (ticketId === undefined) return { state };
  if (input === 'a' && state.hasCodingAgent) return { state, act: { kind: 'coding-agent' } };
  if (input === 'y') return { state, act: { kind: 'answer', ticketId, answer: 'useful' } };
  return input === 'n' ? { state, act: { kind: 'answer', ticketId, answer: 'false_alarm' } } : { state };
}

function move(state: State, name: KeyName): Pressed {
  if (name === 'escape') return { state: back(state) };
  if (name === 'enter') return { state: enter(state) };
  const { view, size, selected } = state;
  if (view === 'agent' || view === 'triage' || view === 'help') return { state };
  const page = Math.max(1, size.rows - 6);
  const last = listLength(state) - 1;
  const steps = { up: -1, down: 1, pageUp: -page, pageDown: page, home: -last, end: last, backspace: 0 };
  const index = Math.max(0, Math.min(last, selected[view] + steps[name]));
  return { state: { ...state, selected: { ...selected, [view]: index } } };
}

function back(state: State): State {
  const before = state.trail.at(-1);
  if (before !== undefined) return { ...state, view: before, trail: state.trail.slice(0, -1) };
  return { ...state, filter: '', ...(state.filter !== '' && { selected: NOTHING_SELECTED }) };
}

function enter(state: State): State {
  if (state.view === 'tickets') return withTriage(state, ticketsShown(state)[state.selected.tickets] ?? null);
  const agentId = agentAt(state);
  if (agentId === null || state.view === 'agent') return state;
  return opened({ ...state, agentId, detail: null }, 'agent');
}

/** A list is reached from everywhere and leads back to the fleet; what is opened in it leads back to it. */
function opened(state: State, view: ViewName): State {
  if (state.view === view) return state;
  const isList = view === 'incidents' || view === 'tickets' || view === 'breakers';
  return { ...state, view, trail: isList ? ['fleet'] : [...state.trail, state.view] };
}

function withTriage(state: State, ticket: ReturnType<typeof newestTicket>): State {
  if (!ticket) return state;
  const { agentId } = ticket;
  const shown = { ...state, ticketId: ticket.ticket.ticket_id, notice: null, agentId, detail: null };
  return opened({ ...shown, menu: null, prompt: null }, 'triage');
}

/** The agent that the selection is about. */
function agentAt(state: State): string | null {
  const { view, selected } = state;
  switch (view) {
    case 'fleet':
      return selectedAgent(state);
    case 'incidents':
      return incidentsShown(state)[selected.incidents]?.agentId ?? null;
    case 'tickets':
      return ticketsShown(state)[selected.tickets]?.agentId ?? null;
    case 'breakers':
      return breakersShown(state)[selected.breakers]?.agentId ?? null;
    case 'triage':
      return shownTicket(state)?.agentId ?? null;
    case 'agent':
      return state.agentId;
    case 'help':
      return null;
  }
}

function decideHere(state: State): Pressed {
  const breaker = state.view === 'breakers' ? breakersShown(state)[state.selected.breakers] : undefined;
  if (breaker) {
    const menu = { title: `${breaker.name} of ${breaker.agentId}`, choices: choicesAboutBreaker(breaker) };
    return { state: { ...state, menu } };
  }
  const agentId = agentAt(state);
  return agentId === null ? { state } : { state, act: { kind: 'ask-menu', agentId } };
}

/** Null if the server would accept no decision. */
export function menuAbout(agent: AgentView): State['menu'] {
  const choices = choicesAbout(agent);
  return choices.length === 0 ? null : { title: `Decide about ${agent.agentId}`, choices };
}

function choose(
  state: State,
  { choices }: NonNullable<State['menu']>,
  input: string,
  name: KeyName | null,
): Pressed {
  if (name === 'escape') return { state: { ...state, menu: null } };
  const choice = input === '' ? undefined : choices[MENU_KEYS.indexOf(input)];
  if (!choice) return { state };
  const closed = { ...state, menu: null };
  if (choice.needsReason) return { state: { ...closed, prompt: { kind: 'reason', text: '', choice } } };
  return { state: closed, act: { kind: 'decide', choice, reason: DEFAULT_REASON } };
}

function type(
  state: State,
  prompt: NonNullable<State['prompt']>,
  input: string,
  name: KeyName | null,
): Pressed {
  if (name === 'escape') return { state: { ...state, prompt: null } };
  if (name === 'enter') return finish(state, prompt);
  const text = name === 'backspace' ? prompt.text.slice(0, -1) : prompt.text + (name === null ? input : '');
  return { state: { ...state, prompt: { ...prompt, text: text.slice(0, REASON_MAX) } } };
}

function finish(state: State, prompt: NonNullable<State['prompt']>): Pressed {
  const text = prompt.text.trim();
  if (prompt.kind === 'filter')
    return { state: { ...state, prompt: null, filter: text, selected: NOTHING_SELECTED } };
  if (text === '') return { state };
  return { state: { ...state, prompt: null }, act: { kind: 'decide', choice: prompt.choice, reason: text } };
}

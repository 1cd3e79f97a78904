import { HEALTH_RANK } from '@holter/core/health';
import type {
  AgentView,
  BreakerView,
  FleetDeltaView,
  FleetPageView,
  FleetRowView,
  IncidentView,
  JudgeCheckView,
  PulseView,
  TicketView,
} from '@holter/server/local';
import type { Choice } from './decisions.ts';

type ListName = 'fleet' | 'incidents' | 'tickets' | 'breakers';
export type ViewName = ListName | 'agent' | 'triage' | 'help';

export type Size = { readonly columns: number; readonly rows: number };

/** The part of the fleet that the server sends: a window of its order, and counts of the whole. */
type Fleet = {
  readonly at: number;
  readonly total: number;
  readonly counts: FleetPageView['counts'];
  /** Where the window begins. */
  readonly offset: number;
  readonly order: readonly string[];
  readonly rows: ReadonlyMap<string, FleetRowView>;
};

type Detail = {
  readonly agent: AgentView;
  readonly pulse: PulseView | null;
  /** What the judge goes by, oldest first; only read for triage. */
  readonly steps: JudgeCheckView['steps'];
  readonly log: readonly string[];
};

/** What is being typed, and what becomes of it. */
type Prompt =
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'reason'; readonly text: string; readonly choice: Choice };

/** What may be decided, one key each. */
type Menu = { readonly title: string; readonly choices: readonly Choice[] };

/** Shown until a time, whatever is shown below it. */
type Notice = {
  readonly text: string;
  readonly severity: string;
  readonly ticketId: string;
  readonly until: number;
};

export type State = {
  readonly size: Size;
  readonly now: number;
  readonly isConnected: boolean;
  readonly view: ViewName;
  /** Where Esc leads. */
  readonly trail: readonly ViewName[];
  readonly fleet: Fleet | null;
  readonly incidents: readonly IncidentView[];
  readonly tickets: readonly TicketView[];
  readonly breakers: readonly BreakerView[];
  readonly agentId: string | null;
  readonly ticketId: string | null;
  readonly detail: Detail | null;
  /** Of each list, by its position. */
  readonly selected: Readonly<Record<ListName, number>>;
  readonly filter: string;
  readonly prompt: Prompt | null;
  readonly menu: Menu | null;
  readonly notice: Notice | null;
  readonly status: { readonly text: string; readonly severity: string | null; readonly until: number } | null;
  /** Whether the operator's file names a coding agent for triage. */
  readonly hasCodingAgent: boolean;
};

export const beginning = (size: Size, now: number, hasCodingAgent: boolean): State => ({
  size,
  now,
  isConnected: true,
  view: 'fleet',
  trail: [],
  fleet: null,
  incidents: [],
  tickets: [],
  breakers: [],
  agentId: null,
  ticketId: null,
  detail: null,
  selected: { fleet: 0, incidents: 0, tickets: 0, breakers: 0 },
  filter: '',
  prompt: null,
  menu: null,
  notice: null,
  status: null,
  hasCodingAgent,
});

/** By the server's clock, as far as it is known. */
export const serverNow = ({ fleet, now }: State): number => fleet?.at ?? now;

const matches = ({ filter }: State, text: string): boolean =>
  text.toLowerCase().includes(filter.toLowerCase());

/** The worst first, then the oldest. */
export const incidentsShown = (state: State): readonly IncidentView[] =>
  state.incidents
    .filter(({ agentId, group }) => matches(state, `${agentId} ${group}`))
    .sort((a, b) => HEALTH_RANK[b.state] - HEALTH_RANK[a.state] || a.openedAt - b.openedAt);

/** Tickets pass every filter: they ask for a person. */
export const ticketsShown = ({ tickets }: State): readonly TicketView[] => tickets;

export const breakersShown = (state: State): readonly BreakerView[] =>
  state.breakers.filter(({ agentId, name }) => matches(state, `${agentId} ${name}`));

/** The one that Ctrl+Q opens. */
export const newestTicket = ({ tickets }: State): TicketView | null => tickets[0] ?? null;

export const shownTicket = ({ tickets, ticketId }: State): TicketView | null =>
  tickets.find(({ ticket }) => ticket.ticket_id === ticketId) ?? null;

export function listLength(state: State): number {
  switch (state.view) {
    case 'fleet':
      return state.fleet?.total ?? 0;
    case 'incidents':
      return incidentsShown(state).length;
    case 'tickets':
      return ticketsShown(state).length;
    case 'breakers':
      return breakersShown(state).length;
    default:
      return 0;
  }
}

/** A page replaces what is known; a delta changes a part of it. The selection stays on its agent. */
export function withFleet(state: State, news: FleetPageView | FleetDeltaView): State {
  const before = state.fleet;
  const isPage = 'offset' in news;
  if (!isPage && !before) return state;
  const order = news.order ?? before?.order ?? [];
  const rows = new Map(isPage ? [] : before?.rows);
  for (const row of news.rows) rows.set(row.agentId, row);
  const wanted = new Set(order);
  for (const id of rows.keys()) if (!wanted.has(id)) rows.delete(id);
  const fleet: Fleet = {
    at: news.at,
    total: news.total ?? before?.total ?? 0,
    counts: news.counts ?? before?.counts ?? NO_COUNTS,
    offset: isPage ? news.offset : (before?.offset ?? 0),
    order,
    rows,
  };
  const index = followed(state, fleet);
  const fleetIndex = Math.max(0, Math.min(index, fleet.total - 1));
  return { ...state, isConnected: true, fleet, selected: { ...state.selected, fleet: fleetIndex } };
}

const NO_COUNTS: Fleet['counts'] = { byState: {}, incidents: 0, waiting: 0, openBreakers: 0, needYou: 0 };

export const selectedAgent = ({ fleet, selected }: State): string | null =>
  fleet?.order[selected.fleet - fleet.offset] ?? null;

/** The first row stays selected whoever it is: that is where the worst is. */
function followed(state: State, fleet: Fleet): number {
  const { selected } = state;
  const id = selected.fleet === 0 ? null : selectedAgent(state);
  const index = id === null ? -1 : fleet.order.indexOf(id);
  return index === -1 ? selected.fleet : fleet.offset + index;
}

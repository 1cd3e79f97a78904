import { incidentsShown, type State, shownTicket } from '../state/state.ts';
import { bodyHeight } from './frame.ts';
import { visibleFrom } from './row-line.ts';

/** Incidents on the screen whose notices nobody has seen yet, as far as the server has said. */
export function unseenOnScreen(state: State): readonly string[] {
  // A menu covers the list.
  if (state.menu) return [];
  switch (state.view) {
    case 'fleet':
      return fleetRows(state).flatMap(({ incidentId, step }) =>
        incidentId !== null && step?.next.isUnseen ? [incidentId] : [],
      );
    case 'incidents': {
      const all = incidentsShown(state);
      return part(all, state.selected.incidents, bodyHeight(state))
        .filter(({ next }) => next.isUnseen)
        .map(({ incidentId }) => incidentId);
    }
    case 'agent':
    case 'triage':
      return ofDetail(state);
    default:
      return [];
  }
}

function fleetRows({ fleet, selected, ...state }: State) {
  if (!fleet) return [];
  // The first line names the columns.
  const height = bodyHeight(state) - 1;
  const from = visibleFrom(selected.fleet, fleet.total, height) - fleet.offset;
  return fleet.order.slice(Math.max(0, from), Math.max(0, from + height)).flatMap((id) => {
    const row = fleet.rows.get(id);
    return row ? [row] : [];
  });
}

function part<T>(items: readonly T[], selected: number, height: number): readonly T[] {
  const from = visibleFrom(selected, items.length, height);
  return items.slice(from, from + height);
}

/** A ticket is shown with its own incident only: one that rules opened asks something else. */
function ofDetail(state: State): readonly string[] {
  const incident = state.detail?.agent.incident;
  if (!incident?.next.isUnseen) return [];
  const isShown = state.view === 'agent' || shownTicket(state)?.incidentId === incident.incidentId;
  return isShown ? [incident.incidentId] : [];
}

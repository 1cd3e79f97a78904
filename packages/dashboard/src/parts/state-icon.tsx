import type { FleetRowView } from '@holter/server/wire';

export type State = FleetRowView['state'];

export const STATES: readonly State[] = ['FAILING', 'STUCK', 'DEGRADED', 'HEALTHY', 'TERMINATED'];

/** A command that has finished was not terminated by anybody. */
export const stateName = (state: State): string =>
  state === 'TERMINATED' ? 'Ended' : state.charAt(0) + state.slice(1).toLowerCase();

/** Each state has its own shape, for people who do not distinguish the colours. */
const shapes: Readonly<Record<State, string>> = {
  HEALTHY: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z',
  DEGRADED: 'M8 2a6 6 0 1 0 0 12V2Zm0 0v12a6 6 0 0 0 0-12Zm0 1.6a4.4 4.4 0 0 1 0 8.8V3.6Z',
  STUCK: 'M3 3h10v10H3Z',
  FAILING: 'M8 1.5 15 14H1Z',
  TERMINATED: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Zm0 1.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4Z',
};

export function StateIcon({ state }: { readonly state: State }) {
  return (
    <svg class={`mark state-${state.toLowerCase()}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[state]} fill-rule="evenodd" />
    </svg>
  );
}

export function StateLabel({ state }: { readonly state: State }) {
  return (
    <span class={`state state-${state.toLowerCase()}`}>
      <StateIcon state={state} />
      {stateName(state)}
    </span>
  );
}

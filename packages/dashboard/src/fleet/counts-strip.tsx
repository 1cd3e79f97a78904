import { STATES, type State, StateIcon, stateName } from '../parts/state-icon.tsx';
import { grouped } from '../parts/words.ts';
import { counts } from '../state/live.ts';
import { query, setQuery } from '../state/route.ts';

/** The number of agents in each state; each count is a filter. */
export function CountsStrip() {
  const byState = counts.value?.byState ?? {};
  const all = Object.values(byState).reduce((sum, count) => sum + count, 0);
  const chosen = query.value.get('state');
  const button = (state: State | null, count: number) => (
    <button
      type="button"
      key={state ?? 'all'}
      class={`count ${state ? `state-${state.toLowerCase()}` : ''} ${count === 0 ? 'none' : ''}`}
      aria-pressed={chosen === state}
      onClick={() => setQuery({ state: state === null || chosen === state ? undefined : state })}
    >
      <span class="number">{counts.value ? grouped(count) : '–'}</span>
      <span class="name">
        {state && <StateIcon state={state} />}
        {state ? stateName(state) : 'All agents'}
      </span>
    </button>
  );
  return (
    <section class="counts" aria-label="Agents by state">
      {button(null, all)}
      {STATES.map((state) => button(state, byState[state] ?? 0))}
      <div class="share" aria-hidden="true">
        {STATES.map((state) => (
          <span
            key={state}
            class={`state-${state.toLowerCase()}`}
            style={{ flexGrow: byState[state] ?? 0 }}
          />
        ))}
      </div>
    </section>
  );
}

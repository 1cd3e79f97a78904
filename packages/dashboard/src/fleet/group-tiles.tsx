import { Name } from '../parts/name.tsx';
import { STATES, StateIcon } from '../parts/state-icon.tsx';
import { grouped } from '../parts/words.ts';
import { counts, groups } from '../state/live.ts';
import { query, setQuery } from '../state/route.ts';

/** Fewer agents are easier to read as a list. */
const AGENTS_MIN = 100;

/** Many agents at a glance: one tile for each group, those with trouble first. Each is a filter. */
export function GroupTiles() {
  const all = Object.values(counts.value?.byState ?? {}).reduce((sum, count) => sum + count, 0);
  const chosen = query.value.get('group');
  if (all < AGENTS_MIN || groups.value.length < 2) return null;
  const sorted = [...groups.value].sort(
    (a, b) =>
      b.needYou - a.needYou ||
      troubleIn(b.byState) - troubleIn(a.byState) ||
      a.group.localeCompare(b.group, 'en', { numeric: true }),
  );
  return (
    <section class="group-tiles" aria-label="Groups">
      {sorted.map(({ group, byState, needYou }) => (
        <button
          type="button"
          key={group}
          class="group-tile"
          aria-pressed={chosen === group}
          onClick={() => setQuery({ group: chosen === group ? undefined : group })}
        >
          <span class="group-name">
            <Name>{group}</Name>
            {needYou > 0 && (
              <span class="badge">
                {needYou}
                <span class="hidden"> {needYou === 1 ? 'needs' : 'need'} you</span>
              </span>
            )}
          </span>
          <span class="share" aria-hidden="true">
            {STATES.map((state) => (
              <span
                key={state}
                class={`state-${state.toLowerCase()}`}
                style={{ flexGrow: byState[state] ?? 0 }}
              />
            ))}
          </span>
          <span class="group-counts">
            {STATES.filter((state) => (byState[state] ?? 0) > 0).map((state) => (
              <span key={state} class={`state-${state.toLowerCase()}`}>
                <StateIcon state={state} />
                {grouped(byState[state] ?? 0)}
                <span class="hidden"> {state.toLowerCase()}</span>
              </span>
            ))}
          </span>
        </button>
      ))}
    </section>
  );
}

const troubleIn = (byState: Readonly<Record<string, number>>): number =>
  (byState.FAILING ?? 0) * 1e6 + (byState.STUCK ?? 0) * 1e3 + (byState.DEGRADED ?? 0);

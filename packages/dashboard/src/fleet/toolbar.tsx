import type { RefObject } from 'preact';
import { grouped, plural } from '../parts/words.ts';
import { folded, groups, total } from '../state/live.ts';
import { query, setQuery } from '../state/route.ts';
import { isCompact, toggleDensity } from './density.ts';

const sorts: readonly (readonly [string, string])[] = [
  ['', 'Worst first'],
  ['since', 'Newest change'],
  ['beat', 'Longest silence'],
  ['tokens', 'Most tokens'],
  ['cost', 'Highest cost'],
  ['group', 'Group'],
  ['name', 'Name'],
];

export function Toolbar({ searchRef }: { readonly searchRef: RefObject<HTMLInputElement | null> }) {
  const asked = query.value;
  return (
    <search class="toolbar">
      <label>
        <span class="hidden">Search agents</span>
        <input
          ref={searchRef}
          type="search"
          placeholder="Search   /"
          value={asked.get('q') ?? ''}
          onInput={(event: Event) => setQuery({ q: (event.target as HTMLInputElement).value })}
        />
      </label>
      <label>
        <span class="hidden">Group</span>
        <select
          value={asked.get('group') ?? ''}
          onChange={(event: Event) => setQuery({ group: (event.target as HTMLSelectElement).value })}
        >
          <option value="">All groups</option>
          {groups.value.map(({ group }) => (
            <option key={group} value={group}>
              {group}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="hidden">Order</span>
        <select
          value={asked.get('sort') ?? ''}
          onChange={(event: Event) => setQuery({ sort: (event.target as HTMLSelectElement).value })}
        >
          {sorts.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <span class="soft shown" role="status">
        {total.value === null ? '' : `${grouped(total.value)} shown`}
        {folded.value > 0 && `, ${plural(folded.value, 'healthy or ended one')} folded`}
      </span>
      {(folded.value > 0 || asked.get('show') === 'all') && (
        <button type="button" onClick={() => setQuery({ show: folded.value > 0 ? 'all' : undefined })}>
          {folded.value > 0 ? 'Show all' : 'Fold healthy'}
        </button>
      )}
      <button type="button" onClick={toggleDensity} aria-pressed={isCompact.value}>
        Compact
      </button>
    </search>
  );
}

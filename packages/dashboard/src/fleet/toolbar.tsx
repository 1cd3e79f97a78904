import type { RefObject } from 'preact';
import { grouped } from '../parts/words.ts';
import { groups, total } from '../state/live.ts';
import { query, setQuery } from '../state/route.ts';

const sorts: readonly (readonly [string, string])[] = [
  ['', 'Worst first'],
  ['since', 'Newest change'],
  ['beat', 'Longest silence'],
  ['tokens', 'Most tokens'],
  ['cost', 'Most cost'],
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
          {groups.value.map((group) => (
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
      </span>
    </search>
  );
}

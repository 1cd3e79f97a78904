import { computed, signal } from '@preact/signals';

/** The address of the page. It contains the view and its filters, so that links can be shared. */
const address = signal(location.pathname + location.search);

type View =
  | { readonly name: 'fleet' | 'incidents' | 'breakers' | 'history' | 'system' | 'cost' | 'lost' }
  | { readonly name: 'agent'; readonly agentId: string };

const NAMED = ['incidents', 'breakers', 'history', 'system', 'cost'] as const;

export const view = computed<View>(() => {
  const [path = '/'] = address.value.split('?', 1);
  const agent = /^\/agents\/([^/]+)$/.exec(path)?.[1];
  if (agent !== undefined) return { name: 'agent', agentId: decodeURIComponent(agent) };
  if (path === '/') return { name: 'fleet' };
  const named = NAMED.find((name) => path === `/${name}`);
  if (named) return { name: named };
  return { name: 'lost' };
});

export const query = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''));

export const agentPath = (agentId: string): string => `/agents/${encodeURIComponent(agentId)}`;

export function go(path: string): void {
  if (path === address.value) return;
  history.pushState(null, '', path);
  address.value = path;
  window.scrollTo(0, 0);
  // So that screen readers announce the new view.
  document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
}

/** Changes the query in the address without adding to the history, since it is called for every key press. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const search = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') search.delete(name);
    else search.set(name, value);
  }
  const text = search.toString();
  const path = location.pathname + (text === '' ? '' : `?${text}`);
  history.replaceState(null, '', path);
  address.value = path;
}

export function followHistory(): void {
  window.addEventListener('popstate', () => {
    address.value = location.pathname + location.search;
  });
}

import { useEffect, useRef } from 'preact/hooks';
import { AskName } from '../parts/ask-name.tsx';
import { Empty, Loading } from '../parts/messages.tsx';
import { plural } from '../parts/words.ts';
import { useKeys } from '../state/keys.ts';
import { folded, known, link, total } from '../state/live.ts';
import { query, setQuery } from '../state/route.ts';
import { session } from '../state/session.ts';
import { BulkBar } from './bulk-bar.tsx';
import { CountsStrip } from './counts-strip.tsx';
import { DemoHint } from './demo-hint.tsx';
import { GroupTiles } from './group-tiles.tsx';
import { NeedYou } from './need-you.tsx';
import { Rows } from './rows.tsx';
import { toggle } from './selection.ts';
import { Toolbar } from './toolbar.tsx';

/** All agents, the worst first. */
export function FleetView() {
  const search = useRef<HTMLInputElement>(null);
  useKeys({
    '/': () => search.current?.focus(),
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
    x: () => {
      const agentId = document.activeElement?.closest<HTMLElement>('.row')?.dataset.id;
      if (agentId !== undefined) toggle(agentId);
    },
  });
  useEffect(() => {
    document.title = 'Fleet · Holter';
  }, []);
  return (
    <>
      <h1 class="hidden">Fleet</h1>
      <AskName />
      <DemoHint />
      <NeedYou />
      <CountsStrip />
      <GroupTiles />
      <Toolbar searchRef={search} />
      <List />
      <BulkBar />
    </>
  );
}

function List() {
  const isFiltered = ['state', 'group', 'q'].some((name) => query.value.get(name));
  if (total.value === null) return <Loading what="the fleet" />;
  if (total.value > 0) return <Rows />;
  if (folded.value > 0)
    return (
      <p class="all-well">
        {plural(folded.value, 'agent')}, all healthy or ended.{' '}
        <button type="button" onClick={() => setQuery({ show: 'all' })}>
          Show all
        </button>
      </p>
    );
  if (isFiltered) {
    return (
      <Empty title="No agents match" text="No agent matches these filters right now.">
        <button type="button" onClick={() => setQuery({ state: undefined, group: undefined, q: undefined })}>
          Clear filters
        </button>
      </Empty>
    );
  }
  return (
    <Empty title="No agents yet" text="Start one with Holter, in a terminal:">
      <pre>holter run -- your-agent</pre>
      <p class="soft">
        Or let a program report itself: see <code>POST /v1/agents</code>.
        {session.value?.demoSpeed === null && link.value === 'live' && ' To look around first: npm run demo'}
      </p>
    </Empty>
  );
}

/** Moves the focus to the next row's link, or to the first one on the screen. */
function moveFocus(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('.row .who a')];
  links.sort((a, b) => indexOf(a) - indexOf(b));
  const current = links.indexOf(document.activeElement as HTMLElement);
  const visible = links.findIndex((each) => each.getBoundingClientRect().top > 120);
  const next = links[current === -1 ? Math.max(0, visible) : current + by];
  next?.focus({ preventScroll: true });
  next?.closest('.row')?.scrollIntoView({ block: 'nearest' });
}

const indexOf = (element: HTMLElement): number =>
  known.value.ids.indexOf(element.closest<HTMLElement>('.row')?.dataset.id ?? '');

import { isHelpOpen } from '../state/keys.ts';
import { counts, link } from '../state/live.ts';
import { isRenaming } from '../state/person.ts';
import { view } from '../state/route.ts';
import { endSession, session } from '../state/session.ts';
import { nextTheme, theme } from '../state/theme.ts';
import { Link } from './link.tsx';

const linkWords = { opening: 'Connecting…', live: 'Live', lost: 'Connection lost, reconnecting…' } as const;

export function TopBar() {
  const { name } = view.value;
  const waiting = counts.value?.waiting ?? 0;
  const open = counts.value?.openBreakers ?? 0;
  const speed = session.value?.demoSpeed ?? null;
  const person = session.value?.name ?? null;
  return (
    <header class="top">
      <Link to="/" class="brand">
        <svg viewBox="0 0 34 20" aria-hidden="true">
          <path d="M1 12h7l2.4-5 3.4 11L18 1.5 21.6 14l1.8-2H33" />
        </svg>
        Holter
      </Link>
      <nav aria-label="Views">
        <Link to="/" current={name === 'fleet' || name === 'agent'}>
          Fleet
        </Link>
        <Link to="/incidents" current={name === 'incidents'}>
          Incidents{' '}
          {waiting > 0 && (
            <span class="badge">
              {waiting}
              <span class="hidden"> waiting</span>
            </span>
          )}
        </Link>
        <Link to="/breakers" current={name === 'breakers'}>
          Breakers{' '}
          {open > 0 && (
            <span class="badge mild">
              {open}
              <span class="hidden"> open</span>
            </span>
          )}
        </Link>
        <Link to="/history" current={name === 'history'}>
          History
        </Link>
        <Link to="/system" current={name === 'system'}>
          System
        </Link>
        <Link to="/cost" current={name === 'cost'}>
          Cost
        </Link>
      </nav>
      <div class="top-right">
        {speed !== null && (
          <span class="demo" title="Simulated agents; nothing here is real">
            Demo<span class="demo-speed"> · {speed}× time</span>
          </span>
        )}
        <span class={`link-state ${link.value}`} role="status">
          <span class="dot" aria-hidden="true" /> <span class="words">{linkWords[link.value]}</span>
        </span>
        <button type="button" class="quiet" onClick={nextTheme} title="Colours: automatic, light, dark">
          {theme.value === 'auto' ? '◐' : theme.value === 'light' ? '○' : '●'}
          <span class="hidden"> colours: {theme.value}</span>
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            isHelpOpen.value = true;
          }}
          title="Keys and help"
        >
          ?<span class="hidden"> help</span>
        </button>
        {person !== null && (
          <button
            type="button"
            class="quiet person"
            title="Your decisions carry this name; click to change it"
            onClick={() => {
              isRenaming.value = true;
            }}
          >
            {person}
          </button>
        )}
        <button type="button" class="quiet" onClick={() => void endSession()}>
          Log out
        </button>
      </div>
    </header>
  );
}

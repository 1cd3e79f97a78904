import { signal } from '@preact/signals';
import { Link } from '../parts/link.tsx';
import { counts } from '../state/live.ts';
import { session } from '../state/session.ts';

const isRead = signal(false);

/** Tells a visitor of the demo what to look for. */
export function DemoHint() {
  const speed = session.value?.demoSpeed ?? null;
  if (speed === null || speed <= 1 || isRead.value) return null;
  const waiting = counts.value?.waiting ?? 0;
  return (
    <p class="demo-hint">
      <span>
        <b>Nothing here is real:</b> simulated agents, {speed} times as fast as life, around the real Holter.
        Within two minutes a loop is found, nudged and cured, a crash is brought back, and a breaker trips and
        closes.{' '}
        {waiting > 0 && (
          <>
            Somebody <Link to="/incidents">waits for your decision</Link>.
          </>
        )}
      </span>
      <button
        type="button"
        class="quiet"
        aria-label="Hide this"
        onClick={() => {
          isRead.value = true;
        }}
      >
        ×
      </button>
    </p>
  );
}

import { signal } from '@preact/signals';
import { session } from '../state/session.ts';

const isRead = signal(false);

/** Tells a visitor of the demo what to look for. */
export function DemoHint() {
  const speed = session.value?.demoSpeed ?? null;
  if (speed === null || speed <= 1 || isRead.value) return null;
  return (
    <p class="demo-hint">
      <span>
        <b>Nothing here is real:</b> simulated agents around the real Holter, {speed} times faster than real
        time. Within two minutes a loop is found, nudged and resolved, a crashed agent is restarted, and a
        breaker opens and closes.
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

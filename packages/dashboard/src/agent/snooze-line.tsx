import type { AgentView } from '@holter/server/wire';
import { Countdown } from '../parts/time.tsx';
import { personOf } from '../parts/words.ts';

/** How long the agent or finding is snoozed, and who decided it. */
export function SnoozeLine({ snooze }: { readonly snooze: AgentView['quiet'] }) {
  if (!snooze) return null;
  return (
    <p class="soft">
      Snoozed for <Countdown to={snooze.until} /> by {personOf(snooze.by)}: {snooze.reason}
    </p>
  );
}

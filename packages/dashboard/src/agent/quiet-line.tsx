import type { AgentView } from '@holter/server/wire';
import { Countdown } from '../parts/time.tsx';

/** How long the agent or finding is left alone, and who decided it. */
export function QuietLine({ quiet }: { readonly quiet: AgentView['quiet'] }) {
  if (!quiet) return null;
  return (
    <p class="soft">
      Quiet for <Countdown to={quiet.until} />, by {quiet.by}: {quiet.reason}
    </p>
  );
}

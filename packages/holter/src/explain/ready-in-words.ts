import type { Instant } from '@holter/core/time';
import type { AgentView } from '@holter/server/local';
import { ago, counted } from '../terminal/words.ts';

type Ready = NonNullable<AgentView['ready']>;

/** What can be done about an agent that is not well, and who can do it; null for one that needs nothing. */
export function readyInWords({ ready, end }: Pick<AgentView, 'ready' | 'end'>, now: Instant): string | null {
  if (!ready) return null;
  const { nudge, stop, restarts, checkpoints } = ready;
  const alive = [
    nudge.by === null ? nudge.because : `nudge through ${nudge.by}`,
    stop.by === null ? stop.because : `stop by ${stop.by}`,
  ];
  return [
    ...(end ? [] : alive),
    restarts.left === 0
      ? `no automatic restart (${restarts.because})`
      : `${counted(restarts.left, 'restart')} left`,
    ...(checkpoints ? [checkpointsInWords(checkpoints, now)] : []),
  ].join('; ');
}

function checkpointsInWords(checkpoints: NonNullable<Ready['checkpoints']>, now: Instant): string {
  if (checkpoints.length === 0) return 'no valid checkpoint';
  const each = checkpoints.map(({ checkpointId, at }) => `${checkpointId} (${ago(at, now)})`);
  return `valid checkpoint${each.length === 1 ? '' : 's'} ${each.join(', ')}`;
}

import type { AgentView } from '@holter/server/wire';
import { Ago } from '../parts/time.tsx';
import { plural } from '../parts/words.ts';

/** What can be done about an agent that is not well, and who can do it. */
export function Ready({ agent: { ready, end } }: { readonly agent: AgentView }) {
  if (!ready) return null;
  const { nudge, stop, restarts, checkpoints } = ready;
  return (
    <p class="soft ready">
      Ready: {!end && `${nudge.by === null ? nudge.because : `nudge through ${nudge.by}`}; `}
      {!end && `${stop.by === null ? stop.because : `stop by ${stop.by}`}; `}
      {restarts.left === 0
        ? `no automatic restart (${restarts.because})`
        : `${plural(restarts.left, 'restart')} left`}
      {checkpoints?.length === 0 && '; no valid checkpoint'}
      {checkpoints?.map(({ checkpointId, at }, index) => (
        <span key={checkpointId}>
          {index === 0 ? '; valid checkpoints: ' : ', '}
          {checkpointId} (<Ago at={at} />)
        </span>
      ))}
    </p>
  );
}

import { between, type Instant, instant, inWords } from '../base/time.ts';
import type { Policy } from '../policy/policy.ts';
import type { Hard } from '../record/agent.ts';
import { executorInWords, isPaneExecutor } from '../vocabulary/executor.ts';
import { whyNotDecide } from './obstacle.ts';
import { type RecoveriesLeft, recoveriesLeft } from './recover.ts';

type About = { readonly hard: Hard; readonly policy: Policy; readonly at: Instant };

/** Who can do it, or why it can't be done: one of the two. */
type Means = { readonly by: string | null; readonly because: string | null };

/** What could be done about an agent, known before it is needed (seed 000 §3). */
type Ready = { readonly nudge: Means; readonly stop: Means; readonly restarts: RecoveriesLeft };

/**
 * What the shell knows of the agent's executor; a record only knows its name. `adopted`: the server has taken over its
 * process. `none`: nothing starts and stops it from outside.
 */
export type ExecutorState = 'connected' | 'away' | 'adopted' | 'none';

export function readyOf(about: About, executor: ExecutorState): Ready {
  return {
    nudge: meansOf(about, 'nudge', nudgeChannelOf(about.hard)),
    stop: meansOf(about, 'terminate', stopperOf(about.hard, executor)),
    restarts: restartsOf(about, executor),
  };
}

function meansOf(about: About, decision: 'nudge' | 'terminate', by: string): Means {
  const because = whyNotDecide(about, { decision, by: '', reason: '' })?.because ?? null;
  return because === null ? { by, because } : { by: null, because };
}

/** Only adapters with hooks can refuse a call, and they carry messages in the replies to hooks. */
function nudgeChannelOf({ can, executor }: Hard): string {
  if (can.includes('deny-call')) return 'its hooks';
  if (executor === null) return 'its next request';
  return isPaneExecutor(executor) ? 'its prompt, in its pane' : 'its nudge file';
}

function stopperOf({ executor }: Hard, state: ExecutorState): string {
  if (executor === null) return 'the agent itself, when asked';
  const holder = executorInWords(executor);
  if (state === 'adopted') return `the server, because its ${holder} is gone`;
  return state === 'away' ? `its ${holder}, when it is connected again` : `its ${holder}`;
}

function restartsOf(about: About, state: ExecutorState): RecoveriesLeft {
  const restarts = recoveriesLeft(about);
  if (state === 'connected' || restarts.left === 0) return restarts;
  const { executor } = about.hard;
  if (state === 'none' || executor === null) return { left: 0, because: 'Holter has no way to restart it' };
  const holder = executorInWords(executor);
  return { left: 0, because: `its ${holder} ${state === 'away' ? 'is not connected' : 'is gone'}` };
}

type Usable = { readonly checkpointId: string; readonly at: number };

/** One sentence for the notice of an escalation; `checkpoints` are the newest valid ones, where they were read. */
export function readyInWords(
  { nudge, stop, restarts }: Ready,
  checkpoints: readonly Usable[] | null,
  at: Instant,
): string {
  const parts = [
    nudge.by === null ? nudge.because : `nudge through ${nudge.by}`,
    stop.by === null ? stop.because : `stop by ${stop.by}`,
    restarts.left === 0 ? `no automatic restart (${restarts.because})` : left(restarts.left),
    ...(checkpoints ? [checkpointsInWords(checkpoints, at)] : []),
  ];
  return `Ready: ${parts.join('; ')}.`;
}

function checkpointsInWords(checkpoints: readonly Usable[], now: Instant): string {
  if (checkpoints.length === 0) return 'no valid checkpoint';
  const each = checkpoints.map(
    ({ checkpointId, at }) => `${checkpointId} (${inWords(between(instant(at), now))} old)`,
  );
  return `valid checkpoint${each.length === 1 ? '' : 's'} ${each.join(', ')}`;
}

const left = (restarts: number): string => `${restarts} restart${restarts === 1 ? '' : 's'} left`;

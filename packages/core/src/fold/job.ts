import { between } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { emit } from '../record/draft.ts';
import type { JobOutcome } from '../vocabulary/signal.ts';
import { noteProgress } from './doing.ts';
import { countFailure } from './failures.ts';
import { clearPoint, raisePoint } from './point.ts';
import { endTurn } from './tasks.ts';

/** What a job printed is in the event only; the record keeps how its last run ended. */
export function endJob(
  draft: Draft,
  { outcome, code, output }: { outcome: JobOutcome; code?: number; output?: string },
): void {
  const { hard, at } = draft;
  const exit = code === undefined ? {} : { code };
  const took = hard.turnSince === undefined ? {} : { durationMs: between(hard.turnSince, at) };
  endTurn(draft);
  hard.job = { endedAt: at, outcome, ...exit, ...took };
  emit(draft, {
    type: 'JOB_ENDED',
    payload: { agentId: hard.agentId, outcome, ...exit, ...took, ...(output && { output }) },
  });
  if (outcome === 'done') {
    noteProgress(draft);
    clearPoint(draft, 'job-failed');
    return;
  }
  hard.errorCount = (hard.errorCount ?? 0) + 1;
  if (hard.promises.job) raiseFailure(draft, code, output);
  else countFailure(draft);
}

/** One failed run is enough: the next may be a day away. */
function raiseFailure(draft: Draft, code: number | undefined, output: string | undefined): void {
  const how = code === undefined ? '' : ` with exit code ${code}`;
  const line = output?.trim().split('\n').at(-1);
  raisePoint(draft, {
    kind: 'job-failed',
    severity: 'act',
    source: 'agent-reports',
    since: draft.at,
    evidence: `its last run failed${how}${line ? `: ${line}` : ''}`,
    threshold: 'one failed run',
  });
}

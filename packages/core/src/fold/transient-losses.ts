import { between, hours } from '../base/time.ts';
import type { Hard } from '../record/agent.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { ask } from '../record/draft.ts';
import { FINDING_KINDS } from '../vocabulary/finding.ts';

/** Seed 001's classes: a transient loss needs nobody, unless it is one of so many within so long. */
const LOSSES_MAX = 3;
const WITHIN = hours(1);

/** The agent is heard again. If its silence was no failure yet, it was a transient loss; of a failure people know. */
export function noteTransientLoss(draft: Draft): void {
  const { hard, at } = draft;
  if (isFailure(hard) || hard.holds.some(({ kind }) => kind === 'hibernated')) return;
  const recent = (hard.transientLosses ?? []).filter((lossAt) => between(lossAt, at) < WITHIN);
  if (recent.length >= LOSSES_MAX) return;
  if (recent.length < LOSSES_MAX - 1) {
    hard.transientLosses = [...recent, at];
    return;
  }
  if (hard.quiet && hard.quiet.until > at) return forget(hard, 'transientLosses');
  // So many at this moment: it is told again only of losses that come an hour later.
  hard.transientLosses = Array.from({ length: LOSSES_MAX }, () => at);
  const { agentId, incarnation } = hard;
  const message = `${agentId} was lost ${LOSSES_MAX} times within an hour and was heard again each time. Nothing is done to it; please look at its network and its machine.`;
  ask(draft, 'notice', `${agentId}#${incarnation}/losses/${at}`, {
    notice: { severity: 'warning', message, incidentId: null },
  });
}

const isFailure = ({ derived }: Hard): boolean =>
  derived.some(({ kind, severity }) => severity === 'act' && FINDING_KINDS[kind].about === 'liveness');

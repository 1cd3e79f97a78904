import { holter } from '../bench/detect/peers/holter.ts';
import { score } from './compare.ts';
import { stepShare, warnedShare } from './per-detector.ts';
import type { RecordedRun } from './steps-file.ts';

/** What must hold on the development data; `npm run eval` fails if it does not. */
const WARNED_SUCCESSES_MAX = 0.03;
const PRECISION_MIN = 0.9;
const RECALL_MIN = 0.68;
const SAME_ERROR_STEPS_MIN = 0.55;

/** The goals that were missed, each with its figure. */
export function missedGoals(real: readonly RecordedRun[]): readonly string[] {
  const labelled = real.filter(({ header }) => header.labels.repetition !== undefined);
  const { precision, recall, actOnSuccess } = score(holter, [], labelled, real);
  const warned = warnedShare(real);
  const steps = stepShare(real, 'same-error');
  const goals: readonly (readonly [string, boolean, number])[] = [
    ['no act on a success', actOnSuccess === 0, actOnSuccess],
    [`successes with a warning at most ${WARNED_SUCCESSES_MAX}`, warned <= WARNED_SUCCESSES_MAX, warned],
    [`precision at least ${PRECISION_MIN}`, precision >= PRECISION_MIN, precision],
    [`recall at least ${RECALL_MIN}`, recall >= RECALL_MIN, recall],
    [`same-error near a label at least ${SAME_ERROR_STEPS_MIN}`, steps >= SAME_ERROR_STEPS_MIN, steps],
  ];
  return goals.flatMap(([goal, isMet, figure]) => (isMet ? [] : [`${goal}: ${figure.toFixed(3)}`]));
}

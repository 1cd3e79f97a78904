import { healthyLooks } from './healthy-looks.ts';
import { healthyRuns } from './healthy-runs.ts';
import { pollRuns } from './poll-runs.ts';
import { stuckRuns } from './stuck-runs.ts';

/** The runs that are written in code, beside those of `tests/fixtures/detect`. */
export const writtenRuns = [...stuckRuns, ...healthyRuns, ...healthyLooks, ...pollRuns];

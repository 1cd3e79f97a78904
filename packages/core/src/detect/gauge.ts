/**
 * Numbers that measure progress: failures left, items done, a share of the whole. They are the only kind of change
 * that counts as progress even inside an error ("92 problems", then "85 problems") and even inside a long listing.
 * Only a new best counts: for a value that swings between 3 and 5 failures, reaching 3 a second time is no progress.
 */
export type Gauge = {
  /** Numbers that should fall: failures, errors, items left. -1 if the result has none. */
  readonly bad: number;
  /** Numbers that should rise: passed, done, completed. -1 if the result has none. */
  readonly good: number;
  /** A percentage or "n of m", 0..1. -1 if the result has none. */
  readonly share: number;
};

export const noGauge: Gauge = { bad: -1, good: -1, share: -1 };

/** For a test run a rising pass count is progress even if more tests fail: tests are written before they pass. */
export function isBetter(best: Gauge, now: Gauge, isTest: boolean): boolean {
  if (now.share >= 0 && best.share >= 0 && now.share > best.share) return true;
  if (now.bad >= 0 && best.bad >= 0 && now.bad < best.bad) return true;
  const isWorse = !isTest && now.bad > best.bad;
  return now.good >= 0 && best.good >= 0 && now.good > best.good && !isWorse;
}

export function bestOf(best: Gauge, now: Gauge): Gauge {
  const bad = best.bad < 0 || (now.bad >= 0 && now.bad < best.bad) ? now.bad : best.bad;
  const good = Math.max(best.good, now.good);
  const share = Math.max(best.share, now.share);
  return bad === best.bad && good === best.good && share === best.share ? best : { bad, good, share };
}

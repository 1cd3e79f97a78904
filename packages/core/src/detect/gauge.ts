/**
 * Numbers that say how far something is: failures left, items done, a share of the whole. They are the one
 * kind of change that counts as progress even inside an error ("92 problems", then "85 problems") and even
 * inside a long listing. Only a new best counts: a value that swings between 3 and 5 failures is no
 * progress the second time it reaches 3.
 */
export type Gauge = {
  /** What should fall: failures, errors, items left. -1 when the result names none. */
  readonly bad: number;
  /** What should rise: passed, done, completed. -1 when the result names none. */
  readonly good: number;
  /** A percentage or "n of m", 0..1. -1 when the result names none. */
  readonly share: number;
};

export const noGauge: Gauge = { bad: -1, good: -1, share: -1 };

export function isBetter(best: Gauge, now: Gauge): boolean {
  if (now.share >= 0 && best.share >= 0 && now.share > best.share) return true;
  if (now.bad >= 0 && best.bad >= 0 && now.bad < best.bad) return true;
  const isWorse = now.bad > best.bad;
  return now.good >= 0 && best.good >= 0 && now.good > best.good && !isWorse;
}

export function bestOf(best: Gauge, now: Gauge): Gauge {
  const bad = best.bad < 0 || (now.bad >= 0 && now.bad < best.bad) ? now.bad : best.bad;
  const good = Math.max(best.good, now.good);
  const share = Math.max(best.share, now.share);
  return bad === best.bad && good === best.good && share === best.share ? best : { bad, good, share };
}

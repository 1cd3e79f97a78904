import type { Dice } from '../real-clock.ts';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * How long to wait before the next try: a random share of a delay that doubles up to half a minute, so that the
 * clients of a restarted server do not all reconnect at once.
 */
export class Backoff {
  private readonly dice: Dice;
  private failures = 0;

  constructor(dice: Dice) {
    this.dice = dice;
  }

  next(atLeastMs = 0): number {
    const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures);
    this.failures = Math.min(this.failures + 1, 16);
    const waitMs = ceiling / 2 + (ceiling / 2) * this.dice.roll();
    return Math.max(atLeastMs, Math.round(waitMs));
  }

  reset(): void {
    this.failures = 0;
  }
}

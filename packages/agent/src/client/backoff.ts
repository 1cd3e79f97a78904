import type { Dice } from '../real-clock.ts';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * How long to wait before the next try: doubling up to half a minute, each time a random share of it, so
 * that a fleet whose server restarts does not come back in one instant.
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

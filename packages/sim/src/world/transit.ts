import type { Random } from '../base/random.ts';

/**
 * The way from an agent to Holter. Words of one agent usually arrive in the order in which they were said;
 * now and then one is overtaken, one comes twice, and a beat is lost. Whatever is not a beat is sent again
 * by the client until it is received, so it comes late instead of never.
 */
const network = {
  // A request over a local or near network, with the odd slow one.
  delayMedianMs: 25,
  delaySigma: 0.9,
  dropShare: 0.002,
  // A retry after a time-out, in order: the client holds back what comes after.
  retryMinMs: 2_000,
  retryMaxMs: 20_000,
  copyShare: 0.004,
  copyMaxMs: 15_000,
  // Two connections at once: the later word may win.
  overtakenShare: 0.0005,
  overtakenMaxMs: 4_000,
} as const;

export type Journey = {
  /** When it arrives, or NaN when it is lost. */
  arrivesAt: number;
  /** When a second copy arrives, or NaN. */
  copyAt: number;
};

/** Draws the journey of one word. `journey` is filled in place: there are millions of them. */
export function travel(
  random: Random,
  now: number,
  lastArrival: number,
  isBeat: boolean,
  journey: Journey,
): number {
  journey.copyAt = Number.NaN;
  let arrivesAt = now + random.lognormal(network.delayMedianMs, network.delaySigma);
  const luck = random.unit();
  if (luck < network.dropShare) {
    if (isBeat) {
      journey.arrivesAt = Number.NaN;
      return lastArrival;
    }
    arrivesAt += random.between(network.retryMinMs, network.retryMaxMs);
  } else if (luck < network.dropShare + network.copyShare) {
    // Behind a queue the retry comes right after; on a free way some time later.
    journey.copyAt =
      Math.max(arrivesAt, lastArrival + 1) + (lastArrival > now ? 1 : random.unit() * network.copyMaxMs);
  } else if (luck < network.dropShare + network.copyShare + network.overtakenShare && lastArrival <= now) {
    // Nobody overtakes a queue: a client sends what waits before it opens a second connection.
    journey.arrivesAt = arrivesAt + random.unit() * network.overtakenMaxMs;
    return lastArrival;
  }
  // Strictly after the word before: what arrives at the same moment has no order.
  if (arrivesAt <= lastArrival) arrivesAt = lastArrival + 1;
  journey.arrivesAt = arrivesAt;
  return arrivesAt;
}

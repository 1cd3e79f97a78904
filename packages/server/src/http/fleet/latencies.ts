/** Enough for a steady 99th percentile, little enough to sort when somebody looks. */
const KEPT = 5_000;

export type LatencyView = {
  readonly count: number;
  readonly medianMs: number | null;
  readonly p99Ms: number | null;
};

/** How long after the moment at which their condition held the newest findings were told. */
export class Latencies {
  private readonly newest: number[] = [];
  private total = 0;

  add(ms: number): void {
    this.total += 1;
    this.newest.push(Math.max(0, ms));
    if (this.newest.length > KEPT) this.newest.shift();
  }

  view(): LatencyView {
    const sorted = [...this.newest].sort((a, b) => a - b);
    const at = (share: number): number | null => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
    return { count: this.total, medianMs: at(0.5), p99Ms: at(0.99) };
  }
}

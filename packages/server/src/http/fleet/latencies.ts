const KEPT = 500;

export type LatencyView = {
  readonly count: number;
  readonly medianMs: number | null;
  readonly p99Ms: number | null;
};

/** How long the newest findings had been true before they were raised. */
export class Latencies {
  private newest: number[] = [];
  private total = 0;

  add(ms: number): void {
    this.total += 1;
    this.newest = [...this.newest, Math.max(0, ms)].slice(-KEPT);
  }

  view(): LatencyView {
    const sorted = [...this.newest].sort((a, b) => a - b);
    const at = (share: number): number | null => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
    return { count: this.total, medianMs: at(0.5), p99Ms: at(0.99) };
  }
}

const bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

type Series = { readonly labels: string; readonly counts: number[]; sum: number };

/**
 * Times to answer, as Prometheus wants them. By hand, because it is asked on every request: the library's
 * histogram costs more than parsing a heartbeat.
 */
export class LatencyHistogram {
  private readonly name: string;
  private readonly help: string;
  private readonly series = new Map<string, Series>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  /** For one route, whose pattern it is: labels have to stay few. */
  route(route: string): (status: number, seconds: number) => void {
    const byClass: (Series | undefined)[] = [];
    return (status, seconds) => {
      const index = Math.floor(status / 100);
      let series = byClass[index];
      if (!series) {
        series = this.seriesOf(`route="${route}",status="${index}xx"`);
        byClass[index] = series;
      }
      let bucket = 0;
      while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sum += seconds;
    };
  }

  text(): string {
    const lines = [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} histogram`];
    for (const { labels, counts, sum } of this.series.values()) {
      let below = 0;
      bounds.forEach((bound, index) => {
        below += counts[index] ?? 0;
        lines.push(`${this.name}_bucket{${labels},le="${bound}"} ${below}`);
      });
      const all = below + (counts[bounds.length] ?? 0);
      lines.push(`${this.name}_bucket{${labels},le="+Inf"} ${all}`);
      lines.push(`${this.name}_sum{${labels}} ${sum}`, `${this.name}_count{${labels}} ${all}`);
    }
    return `${lines.join('\n')}\n`;
  }

  private seriesOf(labels: string): Series {
    const known = this.series.get(labels);
    if (known) return known;
    const series: Series = { labels, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 };
    this.series.set(labels, series);
    return series;
  }
}

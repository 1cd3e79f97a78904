import type { Truth } from '../agents/truth.ts';

type Chapter = { readonly truth: Truth; readonly since: number };
type Span = { readonly from: number; readonly to: number };

/** What was true of each agent and when, and when it could not be known: written by the world, read by audits. */
export class TruthLog {
  private readonly chapters = new Map<string, Chapter[]>();
  private readonly cuts = new Map<string, Span[]>();
  private readonly cutSince = new Map<string, number>();
  private readonly blind: Span[] = [];
  private blindSince: number | null = null;

  became(agentId: string, truth: Truth, since: number): void {
    const chapters = this.chapters.get(agentId) ?? [];
    this.chapters.set(agentId, chapters);
    if (chapters.at(-1)?.truth !== truth) chapters.push({ truth, since });
  }

  /** Whether its words, or those of its host, can reach Holter at all. */
  reached(agentId: string, isReachable: boolean, at: number): void {
    const since = this.cutSince.get(agentId);
    if (!isReachable && since === undefined) this.cutSince.set(agentId, at);
    if (!isReachable || since === undefined) return;
    this.cutSince.delete(agentId);
    this.cuts.set(agentId, [...(this.cuts.get(agentId) ?? []), { from: since, to: at }]);
  }

  /** Whether any server looks now and can write. */
  watched(isWatched: boolean, at: number): void {
    if (!isWatched) this.blindSince ??= at;
    else if (this.blindSince !== null) {
      this.blind.push({ from: this.blindSince, to: at });
      this.blindSince = null;
    }
  }

  get agents(): readonly string[] {
    return [...this.chapters.keys()];
  }

  of(agentId: string): readonly Chapter[] {
    return this.chapters.get(agentId) ?? [];
  }

  at(agentId: string, at: number): Chapter | undefined {
    return [...this.of(agentId)].reverse().find(({ since }) => since <= at);
  }

  /** How much of a time somebody looked and could be reached; spans that overlap are counted once. */
  watchedMs(agentId: string, from: number, to: number): number {
    const open = [this.cutSince.get(agentId), this.blindSince ?? undefined].filter(
      (since) => since !== undefined,
    );
    const blind = [
      ...this.blind,
      ...(this.cuts.get(agentId) ?? []),
      ...open.map((since) => ({ from: since, to: Number.POSITIVE_INFINITY })),
    ]
      .map((span) => ({ from: Math.max(from, span.from), to: Math.min(to, span.to) }))
      .filter((span) => span.to > span.from)
      .sort((left, right) => left.from - right.from);
    let watched = to - from;
    let reached = from;
    for (const span of blind) {
      watched -= Math.max(0, span.to - Math.max(span.from, reached));
      reached = Math.max(reached, span.to);
    }
    return watched;
  }
}

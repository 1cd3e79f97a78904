import { minutes, seconds } from '@holter/core';

/** From here on the times that an agent reports are misleading, and it is warned. */
const SKEW_MS_MAX = seconds(30);
const WINDOW_MS = minutes(5);
const AGENTS_MAX = 20_000;

/** The greatest difference of this window and of the one before. */
type Measured = { readonly since: number; readonly newest: number; readonly before: number | null };

/**
 * How far the clocks of agents are ahead of this machine's, by the `timestamp` of their beats. A beat that was held up
 * on its way looks as if the clock were behind, so the greatest difference of the last minutes counts. Shown to people
 * only; agents are judged by the time at which their beats arrive.
 */
export class ClockSkews {
  private readonly measured = new Map<string, Measured>();

  note(agentId: string, timestamp: number, now: number): void {
    const skew = timestamp - now;
    const known = this.measured.get(agentId);
    if (!known || now - known.since >= WINDOW_MS) {
      const isRecent = known !== undefined && now - known.since < 2 * WINDOW_MS;
      // Inserted again, so that the first one of the map is the one that was heard longest ago.
      this.measured.delete(agentId);
      this.measured.set(agentId, { since: now, newest: skew, before: isRecent ? known.newest : null });
      const first = this.measured.keys().next();
      if (this.measured.size > AGENTS_MAX && !first.done) this.measured.delete(first.value);
    } else if (skew > known.newest) this.measured.set(agentId, { ...known, newest: skew });
  }

  /** In ms; negative when its clock is behind, null when no beat has told its time. */
  of(agentId: string): number | null {
    const known = this.measured.get(agentId);
    return known ? Math.max(known.newest, known.before ?? known.newest) : null;
  }

  /** Agents whose clocks are too far off, the worst first. */
  beyondMax(): readonly { readonly agentId: string; readonly skewMs: number }[] {
    return [...this.measured.keys()]
      .map((agentId) => ({ agentId, skewMs: this.of(agentId) ?? 0 }))
      .filter(({ skewMs }) => Math.abs(skewMs) > SKEW_MS_MAX)
      .sort((a, b) => Math.abs(b.skewMs) - Math.abs(a.skewMs));
  }
}

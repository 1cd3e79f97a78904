/**
 * Calls that were made and have not come back. Bounded: a transcript in which results never come must not
 * fill the memory, so the oldest call is forgotten first.
 */
export class OpenCalls<Call> {
  private readonly calls = new Map<string, Call>();

  begin(id: string, call: Call): void {
    this.calls.set(id, call);
    if (this.calls.size <= OPEN_MAX) return;
    const oldest = this.calls.keys().next().value;
    if (oldest !== undefined) this.calls.delete(oldest);
  }

  take(id: string): Call | null {
    const call = this.calls.get(id) ?? null;
    this.calls.delete(id);
    return call;
  }
}

const OPEN_MAX = 1_000;

/** Ids that were seen, the newest few thousand: a resumed session repeats its last lines. */
export class SeenIds {
  private readonly ids = new Set<string>();

  /** True the first time. */
  add(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    if (this.ids.size > SEEN_MAX) {
      const oldest = this.ids.values().next().value;
      if (oldest !== undefined) this.ids.delete(oldest);
    }
    return true;
  }
}

const SEEN_MAX = 4_000;

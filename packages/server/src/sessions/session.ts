import { type Effect, hashText } from '@holter/core';
import type { HookSource, MarkedSignal, TailedSession } from '../adapters/index.ts';
import type { Intake, Sender } from '../intake/index.ts';

type SessionParts = {
  readonly source: HookSource;
  readonly agentId: string;
  /** Null: whichever start is the current one. */
  readonly incarnation: number | null;
  readonly intake: Pick<Intake, 'take'>;
  readonly failed: (error: unknown) => void;
};

/** A transcript is never further behind the hooks than this many calls. */
const TOLD_MAX = 2_000;

/**
 * A session that reports to Holter. What hooks, transcript and session file say about it goes in one after the
 * other, the first after its registration.
 */
export class Session implements TailedSession {
  readonly source: HookSource;
  readonly agentId: string;
  readonly incarnation: number | null;
  /** The newest call, so that a denial knows which one is meant. */
  lastCall: number | null = null;
  denied: number | null = null;
  private readonly parts: SessionParts;
  private readonly told = new Set<string>();
  private tail: Promise<unknown> = Promise.resolve();

  constructor(parts: SessionParts) {
    this.parts = parts;
    this.source = parts.source;
    this.agentId = parts.agentId;
    this.incarnation = parts.incarnation;
  }

  get sessionId(): string {
    return this.source.sessionId;
  }

  hasTold(callId: string): boolean {
    return this.told.has(callId);
  }

  noteTold(callId: string): void {
    this.told.add(callId);
    const oldest = this.told.values().next().value;
    if (this.told.size > TOLD_MAX && oldest !== undefined) this.told.delete(oldest);
  }

  /**
   * Behind everything that was said before. `seen`: what the agent must have read before it said this; what is
   * read elsewhere than in a hook may be older than any reply, and shows nothing to have been seen.
   */
  tell(signal: MarkedSignal, seen: readonly Effect[] = []): Promise<void> {
    return this.after(() => this.give(signal, seen));
  }

  /** Runs when everything before it is done; what comes later waits for it. */
  after<T>(run: () => Promise<T>): Promise<T> {
    const done = this.tail.then(run);
    this.tail = done.catch(this.parts.failed);
    return done;
  }

  async settled(): Promise<void> {
    await this.tail;
  }

  private async give(signal: MarkedSignal, seen: readonly Effect[]): Promise<void> {
    const { agentId, incarnation } = this;
    const { intake, failed } = this.parts;
    const sender: Sender = { role: 'agent', agentId, incarnation };
    const taken = await intake.take({ ...signal, agentId }, sender, { seen });
    if (taken.kind === 'taken' || taken.field === undefined) return;
    // Malformed or too large. The agent did something, so silence would be the wrong conclusion.
    failed(new Error(`${agentId}: a ${signal.kind} of a hook was refused: ${taken.message}`));
    await intake.take({ ...withinBounds(signal, taken.field), agentId }, sender, { seen });
  }
}

/** A call whose arguments are too large is still that call, and equal ones stay equal. */
function withinBounds(signal: MarkedSignal, field: string): MarkedSignal {
  if (field !== 'input' || !('input' in signal)) return { kind: 'activity' };
  return { ...signal, input: { fingerprint: hashText(JSON.stringify(signal.input)) } };
}

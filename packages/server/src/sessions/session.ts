import { type Effect, hashText } from '@holter/core';
import type { HookSource, MarkedSignal, TailedSession } from '../adapters/index.ts';
import type { Intake, Sender } from '../intake/index.ts';

type SessionParts = {
  readonly source: HookSource;
  readonly agentId: string;
  /** Null for the current incarnation. */
  readonly incarnation: number | null;
  readonly intake: Pick<Intake, 'take'>;
  readonly failed: (error: unknown) => void;
};

/** Most calls by which a transcript may lag behind the hooks. */
const TOLD_MAX = 2_000;

/**
 * A session that reports to Holter. Signals from its hooks, transcript and session file are sent one at a time,
 * after its registration.
 */
export class Session implements TailedSession {
  readonly source: HookSource;
  readonly agentId: string;
  readonly incarnation: number | null;
  /** The newest call, to which a denial refers. */
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
   * Queues a signal after all earlier ones. `seen`: effects that the agent must have read before it sent this.
   * A signal that does not come from a hook may be older than any reply, so it proves nothing was seen.
   */
  tell(signal: MarkedSignal, seen: readonly Effect[] = []): Promise<void> {
    return this.after(() => this.give(signal, seen));
  }

  /** Runs after everything queued earlier and before everything queued later. */
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
    // Malformed or too large. The agent was active all the same, so it must not be taken for silent.
    failed(new Error(`${agentId}: a ${signal.kind} of a hook was refused: ${taken.message}`));
    await intake.take({ ...withinBounds(signal, taken.field), agentId }, sender, { seen });
  }
}

/** Replaces arguments that are too large with a fingerprint: the call still counts, and equal calls stay equal. */
function withinBounds(signal: MarkedSignal, field: string): MarkedSignal {
  if (field !== 'input' || !('input' in signal)) return { kind: 'activity' };
  return { ...signal, input: { fingerprint: hashText(JSON.stringify(signal.input)) } };
}

import { type Agent, type Effect, hashText } from '@holter/core';
import type { HookSource, MarkedSignal, TailedSession } from '../adapters/index.ts';
import type { Intake, Sender } from '../intake/index.ts';
import { fingerprintOf } from './fingerprint.ts';

type SessionParts = {
  readonly source: HookSource;
  /** The agent whose own token reports; null for a session that is registered by its first hook. */
  readonly agentId: string | null;
  /** Null for the current incarnation. */
  readonly incarnation: number | null;
  /** The user whose hook token reports. */
  readonly user?: string | null;
  /** The session that a subagent works for. */
  readonly parent?: Session | null;
  /** Whether the program that posts these hooks is known to be there; by default it is. Asked until it is. */
  readonly isVouchedFor?: () => Promise<boolean>;
  readonly intake: Pick<Intake, 'take'>;
  readonly failed: (error: unknown) => void;
};

/** Most calls by which a transcript may lag behind the hooks. */
const TOLD_MAX = 500;
/** Most signals that may wait for the store; later ones are dropped. */
const WAITING_MAX = 1_000;
/** Refused signals of one session that are logged; a session that sends nothing else must not fill the log. */
const COMPLAINTS_MAX = 20;

/**
 * A session that reports to Holter. Signals from its hooks, transcript and session file are sent one at a time,
 * after its registration.
 */
export class Session implements TailedSession {
  readonly source: HookSource;
  readonly parent: Session | null;
  /** Whether the agent's own token reports, so that it was registered before. */
  readonly isOwn: boolean;
  /** Null until it is registered. */
  agentId: string | null;
  incarnation: number | null;
  /** Holter sees its process, so its own word does not end it. */
  isProcessSeen = false;
  /** It said that it ends, and nothing since. */
  announcedStop: string | undefined;
  private readonly parts: SessionParts;
  private readonly told = new Set<number>();
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private complaints = 0;
  private isBelieved: boolean;

  constructor(parts: SessionParts) {
    this.parts = parts;
    this.source = parts.source;
    this.parent = parts.parent ?? null;
    this.isOwn = parts.agentId !== null;
    this.agentId = parts.agentId;
    this.incarnation = parts.incarnation;
    this.isBelieved = parts.isVouchedFor === undefined;
  }

  get sessionId(): string {
    return this.source.sessionId;
  }

  /** From now on it reports for this incarnation. */
  join({ hard }: Agent): void {
    this.agentId = hard.agentId;
    this.incarnation = hard.incarnation;
  }

  /** Whether it reports for this agent as the record is now; another start or user may have taken its place. */
  speaksFor({ hard }: Agent): boolean {
    if (this.incarnation !== null && this.incarnation !== hard.incarnation) return false;
    return this.isOwn || hard.reporter?.user === undefined || hard.reporter.user === this.parts.user;
  }

  hasTold(callId: string): boolean {
    return this.told.has(hashText(callId));
  }

  noteTold(callId: string): void {
    this.told.add(hashText(callId));
    const oldest = this.told.values().next().value;
    if (this.told.size > TOLD_MAX && oldest !== undefined) this.told.delete(oldest);
  }

  /**
   * Queues a signal after all earlier ones. `seen`: effects that the agent must have read before it sent this.
   * A signal that does not come from a hook may be older than any reply, so it proves nothing was seen.
   */
  tell(signal: MarkedSignal, seen: readonly Effect[] = []): Promise<void> {
    if (this.waiting >= WAITING_MAX) {
      this.complain(`a ${signal.kind} of a hook was dropped: too many wait`);
      return Promise.resolve();
    }
    return this.after(() => this.give(signal, seen));
  }

  /** Runs after everything queued earlier and before everything queued later. */
  after<T>(run: () => Promise<T>): Promise<T> {
    this.waiting += 1;
    const done = this.tail.then(run).finally(() => {
      this.waiting -= 1;
    });
    this.tail = done.catch(this.parts.failed);
    return done;
  }

  async settled(): Promise<void> {
    await this.tail;
  }

  private async give(signal: MarkedSignal, seen: readonly Effect[]): Promise<void> {
    const { agentId, incarnation } = this;
    if (agentId === null) return;
    const { intake } = this.parts;
    const program = this.isProcessSeen ? 'seen-cli' : 'cli';
    const via = (await this.isGenuine()) ? ({ via: program } as const) : {};
    const sender: Sender = { role: 'agent', agentId, incarnation, ...via };
    const taken = await intake.take({ ...signal, agentId }, sender, { seen });
    if (taken.kind === 'taken' || taken.field === undefined || taken.code === 'stale_incarnation') return;
    // Malformed or too large. The agent was active all the same, so it must not be taken for silent.
    this.complain(`a ${signal.kind} of a hook was refused: ${taken.message}`);
    await intake.take({ ...withinBounds(signal, taken.field), agentId }, sender, { seen });
  }

  /** Whether its hooks come from the program that they name. Others count as the agent's own word. */
  async isGenuine(): Promise<boolean> {
    this.isBelieved ||= (await this.parts.isVouchedFor?.()) === true;
    return this.isBelieved;
  }

  private complain(problem: string): void {
    this.complaints += 1;
    if (this.complaints <= COMPLAINTS_MAX) this.parts.failed(new Error(`${this.agentId}: ${problem}`));
  }
}

/** Replaces arguments that are too large with a fingerprint: the call still counts, and equal calls stay equal. */
function withinBounds(signal: MarkedSignal, field: string): MarkedSignal {
  if (field !== 'input' || !('input' in signal)) return { kind: 'activity' };
  return { ...signal, input: { fingerprint: fingerprintOf(signal.input) } };
}

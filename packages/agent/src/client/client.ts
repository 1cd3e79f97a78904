import type { EventEmitter } from 'node:events';
import type { HoldKind, SignalBody } from '@holter/core';
import type { CheckpointOutcome } from './checkpoint-queue.ts';
import type { Directive } from './directives.ts';
import { type InstrumentOptions, instrumentEmitter } from './instrument.ts';
import type { BeatDetails } from './pulse.ts';
import type { Rejection } from './rejections.ts';
import type { ConnectionState, Session } from './session.ts';
import { toJson, toText } from './to-json.ts';
import type { TokenUse } from './token-meter.ts';
import { wrapTool } from './tool.ts';

/** A call that runs. Only the first word about its end counts. */
export type ToolCall = {
  readonly callId: string;
  readonly succeeded: (output?: unknown) => void;
  readonly failed: (error?: unknown) => void;
};

export type ToolOptions = {
  /** The name of the breaker, such as `tool_execution`, or one for each tool. */
  readonly breaker: string;
  /** An answer of the breaker may be this old, in milliseconds: calls in quick succession then ask once. Default 0. */
  readonly staleMs?: number;
};

export type ClientStatus = {
  readonly state: ConnectionState;
  /** Which start of the agent this is; null before the server has said so. */
  readonly incarnation: number | null;
  /** Signals that wait for the server. */
  readonly waiting: number;
  /** Signals that were lost because too many waited. */
  readonly dropped: number;
  readonly rejectionCount: number;
  /** The newest things that were not taken, and why. */
  readonly rejections: readonly Rejection[];
};

/** What Holter may set on hold for an agent that says so; an operator's pause is not its to give. */
export type AgentHold = Exclude<HoldKind, 'in-tool' | 'paused-by-operator' | 'hibernated'>;

const ERROR_LENGTH_MAX = 4_000;
const CLOSE_WAIT_MS = 2_000;

/**
 * The agent's line to a Holter server. Every method returns at once and none throws: what can't be sent now
 * waits, in bounded memory; what is wrong is recorded in `status`.
 */
export class HolterClient {
  private readonly session: Session;
  private readonly checkpointTimeoutMs: number;
  private readonly newId: () => string;
  private readonly onClose: () => void;

  /** @internal Made by `connect`. */
  constructor(session: Session, checkpointTimeoutMs: number, newId: () => string, onClose: () => void) {
    this.session = session;
    this.checkpointTimeoutMs = checkpointTimeoutMs;
    this.newId = newId;
    this.onClose = onClose;
  }

  get status(): ClientStatus {
    const { state, incarnation, outbox, rejections } = this.session;
    return {
      state,
      incarnation,
      waiting: outbox.size,
      dropped: outbox.dropped,
      rejectionCount: rejections.count,
      rejections: [...rejections.kept],
    };
  }

  /** I live, and this is where I am. Call it as often as you like: the newest of a second is sent. */
  beat(details: BeatDetails = {}): void {
    this.session.pulse.beat(details, this.session.now());
    this.session.wake();
  }

  /** Something happened that needs no words. */
  activity(): void {
    this.session.noteActivity();
  }

  turnBegan(): void {
    this.session.pulse.turn(true, this.session.now());
    this.report({ kind: 'turn-begun' });
  }

  turnEnded(): void {
    this.session.pulse.turn(false, this.session.now());
    this.report({ kind: 'turn-ended' });
  }

  /** What the model, or a person, said; repeated words are noticed. */
  said(text: string, role: 'assistant' | 'user' | 'system' = 'assistant'): void {
    this.report({ kind: 'said', role, text: toText(text) });
  }

  /** What was used since the last call. */
  tokens(use: TokenUse): void {
    const { session } = this;
    if (!session.tokens.add(use))
      session.rejections.add('tokens', 'bad_value', 'tokens must be numbers from 0');
    session.pulse.reported(session.now());
    session.wake();
  }

  /** A function that does the same and is recorded: `const search = client.tool('search', searchWeb)`. */
  tool<This, Args extends unknown[], Result>(
    name: string,
    run: (this: This, ...args: Args) => Result,
  ): (this: This, ...args: Args) => Result;
  /**
   * The same behind a breaker, which all callers of this agent share: it asks first, reports how it went, and
   * throws a `BreakerOpenError` instead of calling a tool that keeps failing. Without a server it
   * just calls, unless the breaker is `recovery_attempt`: nothing is started that nobody knows of.
   */
  tool<This, Args extends unknown[], Result>(
    name: string,
    run: (this: This, ...args: Args) => Result,
    options: ToolOptions,
  ): (this: This, ...args: Args) => Promise<Awaited<Result>>;
  tool<This, Args extends unknown[], Result>(
    name: string,
    run: (this: This, ...args: Args) => Result,
    options?: ToolOptions,
  ): (this: This, ...args: Args) => Result | Promise<Awaited<Result>> {
    const recorded = wrapTool(this, name, run);
    return options ? this.session.breakers.guard(options.breaker, recorded, options.staleMs) : recorded;
  }

  /** For tools that `tool` can't wrap. `callId` is the model's own id of the call, if it has one. */
  toolStarted(tool: string, input?: unknown, callId: string = this.newId()): ToolCall {
    const { session } = this;
    const copied = toJson(input);
    session.pulse.callBegan(session.now());
    this.report({ kind: 'call-begun', callId, tool, input: copied }, `${callId}:begun`);
    let isOpen = true;
    const end = (output: unknown, isError: boolean): void => {
      if (!isOpen) return;
      isOpen = false;
      session.pulse.callEnded(session.now(), session.wall(), isError);
      this.report(
        { kind: 'call-ended', callId, tool, input: copied, output: toText(output), isError },
        callId,
      );
    };
    return { callId, succeeded: (output) => end(output, false), failed: (error) => end(error, true) };
  }

  /**
   * Stores where the work stands, so that a successor can go on from there. Any JSON up to 4 MB.
   * @returns what became of it, within `checkpointTimeoutMs`; it never rejects
   */
  checkpoint(content: unknown, checkpointId: string = this.newId()): Promise<CheckpointOutcome> {
    const { session } = this;
    session.pulse.reported(session.now());
    const outcome = session.checkpoints.put(checkpointId, content, this.checkpointTimeoutMs);
    session.wake(0);
    return outcome;
  }

  /** There is a new task; the one before is left as it is. */
  taskAssigned(taskId: string): void {
    this.session.pulse.taskId = taskId;
    this.report({ kind: 'task-assigned', taskId });
  }

  taskUpdated(update: { readonly percent?: number; readonly note?: string } = {}): void {
    const { taskId } = this.session.pulse;
    if (taskId === null)
      return this.session.rejections.add('task-updated', 'no_task', 'there is no open task');
    this.report({ kind: 'task-updated', taskId, ...update });
  }

  taskEnded(outcome: 'done' | 'failed' | 'cancelled' = 'done'): void {
    const { taskId } = this.session.pulse;
    if (taskId === null) return this.session.rejections.add('task-ended', 'no_task', 'there is no open task');
    this.session.pulse.taskId = null;
    this.report({ kind: 'task-ended', taskId, outcome });
  }

  /** Waiting for somebody else, so that silence is not held against it. Returns how to say that it is over. */
  hold(hold: AgentHold): () => void {
    this.report({ kind: 'hold-begun', hold });
    let isOn = true;
    return () => {
      if (isOn) this.report({ kind: 'hold-ended', hold });
      isOn = false;
    };
  }

  reportError(
    error: unknown,
    { isUnrecoverable = false }: { readonly isUnrecoverable?: boolean } = {},
  ): void {
    const message = toText(error).slice(0, ERROR_LENGTH_MAX);
    this.report({ kind: 'error', message, ...(isUnrecoverable && { isUnrecoverable }) });
  }

  /** Something stands in the way that others have to remove. */
  reportBlocker(text: string): void {
    this.report({ kind: 'blocker', text: toText(text).slice(0, ERROR_LENGTH_MAX) });
  }

  /** Somebody else should go on with the work. */
  requestHandoff(reason: string): void {
    this.report({ kind: 'handoff-requested', reason: toText(reason).slice(0, ERROR_LENGTH_MAX) });
  }

  /** Nudges, questions, reminders and denied calls. Returns how to stop listening. */
  onNudge(handler: (directive: Directive) => unknown): () => void {
    return this.session.directives.on('nudge', handler);
  }

  /** The server asks the agent to end, or another start of it has taken over. */
  onStop(handler: (directive: Directive) => unknown): () => void {
    return this.session.directives.on('stop', handler);
  }

  /** The server asks for a handoff note; what the handler returns is stored for the successor. */
  onHandoff(handler: (directive: Directive) => unknown): () => void {
    return this.session.directives.on('handoff', async (directive) => {
      const note = await handler(directive);
      if (note === undefined) return;
      const written = await this.checkpoint({ handoffNote: note });
      if (written.kind === 'written') this.report({ kind: 'handoff-written', noteId: written.checkpointId });
      else this.session.rejections.add('handoff', written.because, written.message);
    });
  }

  /** Reports what an EventEmitter agent emits. Returns how to stop that. */
  instrument(emitter: EventEmitter, options: InstrumentOptions = {}): () => void {
    return instrumentEmitter(this, emitter, options);
  }

  /** Says goodbye, sends what waits, for two seconds at most, and lets go of everything. */
  async close(reason = 'closed by the agent'): Promise<void> {
    this.report({ kind: 'stopped', reason });
    await this.session.close(CLOSE_WAIT_MS);
    this.onClose();
  }

  private report(signal: SignalBody, id?: string): void {
    const { session } = this;
    session.pulse.reported(session.now());
    session.outbox.put(signal, id);
    session.wake();
  }
}

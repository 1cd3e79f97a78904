import type { EventEmitter } from 'node:events';
import type { Directive, HoldKind, Instant, SignalBody } from '@holter/core';
import type { CheckpointOutcome } from './checkpoint-queue.ts';
import { type InstrumentOptions, instrumentEmitter } from './instrument.ts';
import type { BeatDetails } from './pulse.ts';
import type { Rejection } from './rejections.ts';
import type { ConnectionState, Session } from './session.ts';
import { toJson, toText } from './to-json.ts';
import type { TokenUse } from './token-meter.ts';
import { wrapTool } from './tool.ts';

/** A running call. Only the first report of its end counts. */
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
  /** Under `holter run`, the name of the run's agent. */
  readonly agentId: string;
  readonly state: ConnectionState;
  /** The incarnation of the agent; null until the server has assigned it. */
  readonly incarnation: number | null;
  /** Signals that are queued for the server. */
  readonly waiting: number;
  /** Signals that were dropped because the queue was full. */
  readonly dropped: number;
  readonly rejectionCount: number;
  /** The newest rejections, with reasons. */
  readonly rejections: readonly Rejection[];
};

export type TaskDetails = {
  readonly description?: string;
  /** When it should be done; without it a task never stalls. */
  readonly expectedAt?: Date;
};

export type TaskUpdate = {
  readonly percent?: number;
  /** What is new, or why it takes longer. */
  readonly note?: string;
  /** The agent has failed with this task, and people are told. */
  readonly cannotContinue?: boolean;
};

/** The holds that an agent may report about itself; `paused-by-operator` is not one of them. */
export type AgentHold = Exclude<HoldKind, 'in-tool' | 'paused-by-operator' | 'hibernated'>;

const ERROR_LENGTH_MAX = 4_000;
const CLOSE_WAIT_MS = 2_000;

/**
 * An agent's connection to a Holter server. Every method returns immediately and none throws: what cannot be sent
 * now is queued in bounded memory, and problems are recorded in `status`. Only what the program awaits (a guarded
 * tool, `checkpoint`, `close`) keeps its process alive.
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
    const { agentId, state, incarnation, outbox, rejections } = this.session;
    return {
      agentId,
      state,
      incarnation,
      waiting: outbox.size,
      dropped: outbox.dropped,
      rejectionCount: rejections.count,
      rejections: [...rejections.kept],
    };
  }

  /** Reports a heartbeat with details. It may be called often: the newest of each second is sent. */
  beat(details: BeatDetails = {}): void {
    this.session.pulse.beat(details, this.session.now());
    this.session.schedule();
  }

  /** Reports activity without details. */
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

  /** Reports a message of the model or of a person; repeated messages are detected. */
  said(text: string, role: 'assistant' | 'user' | 'system' = 'assistant'): void {
    this.report({ kind: 'said', role, text: toText(text) });
  }

  /** Reports the tokens used since the last call. */
  tokens(use: TokenUse): void {
    const { session } = this;
    if (!session.tokens.add(use))
      session.rejections.add('tokens', 'bad_value', 'tokens must be numbers from 0');
    session.pulse.reported(session.now());
    session.schedule();
  }

  /** Wraps a tool so that its calls are reported: `const search = client.tool('search', searchWeb)`. */
  tool<This, Args extends unknown[], Result>(
    name: string,
    run: (this: This, ...args: Args) => Result,
  ): (this: This, ...args: Args) => Result;
  /**
   * Wraps a tool in a breaker that all callers of this agent share: asks it first, reports the outcome, and throws
   * a `BreakerOpenError` instead of calling a tool that keeps failing. Without a server the tool is called, unless
   * the breaker is `recovery_attempt`: the server must know of every start.
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

  /** For tools that `tool` cannot wrap. `callId` is the model's own id of the call, if it has one. */
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
   * Stores the state of the work, so that a successor can continue from it. Any JSON up to 4 MB.
   * @returns the outcome, within `checkpointTimeoutMs`; it never rejects
   */
  checkpoint(content: unknown, checkpointId: string = this.newId()): Promise<CheckpointOutcome> {
    const { session } = this;
    session.pulse.reported(session.now());
    const outcome = session.checkpoints.put(checkpointId, content, this.checkpointTimeoutMs);
    session.schedule(0);
    return outcome;
  }

  /** Starts a new task; the previous one is not changed. */
  taskAssigned(taskId: string, { description, expectedAt }: TaskDetails = {}): void {
    this.session.pulse.taskId = taskId;
    this.report({
      kind: 'task-assigned',
      taskId,
      ...(description !== undefined && { description }),
      ...(expectedAt && { expectedAt: expectedAt.getTime() as Instant }),
    });
  }

  taskUpdated(update: TaskUpdate = {}): void {
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

  /** Reports that the agent waits, so that its silence is not judged. Returns a function that ends the hold. */
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

  /** Reports a blocker that others have to remove. */
  reportBlocker(text: string): void {
    this.report({ kind: 'blocker', text: toText(text).slice(0, ERROR_LENGTH_MAX) });
  }

  /** Asks for another agent to continue the work. */
  requestHandoff(reason: string): void {
    this.report({ kind: 'handoff-requested', reason: toText(reason).slice(0, ERROR_LENGTH_MAX) });
  }

  /** Listens to nudges, questions, reminders and denied calls. Returns a function that stops listening. */
  onNudge(handler: (directive: Directive) => unknown): () => void {
    return this.session.directives.on('nudge', handler);
  }

  /**
   * Called when the server asks the agent to end (see `can`), or when a newer incarnation has replaced it. The agent
   * ends by itself; `close` tells the server.
   */
  onStop(handler: (directive: Directive) => unknown): () => void {
    return this.session.directives.on('stop', handler);
  }

  /** Called when the server asks for a handoff note; the note that the handler returns is stored for the successor. */
  onHandoff(handler: (directive: Directive) => unknown): () => void {
    return this.session.directives.on('handoff', async (directive) => {
      const note = await handler(directive);
      if (note === undefined) return;
      const written = await this.checkpoint({ handoffNote: note });
      if (written.kind === 'written') this.report({ kind: 'handoff-written', noteId: written.checkpointId });
      else this.session.rejections.add('handoff', written.because, written.message);
    });
  }

  /** Reports what an EventEmitter agent emits. Returns a function that stops it. */
  instrument(emitter: EventEmitter, options: InstrumentOptions = {}): () => void {
    return instrumentEmitter(this, emitter, options);
  }

  /**
   * Reports the end of the agent, sends what is queued for at most two seconds, and releases all resources. What is
   * reported afterwards is ignored.
   */
  async close(reason = 'closed by the agent'): Promise<void> {
    const news = this.session.tokens.takeNews();
    if (news) this.report(news);
    if (!this.session.isOfRun) this.report({ kind: 'stopped', reason });
    await this.session.close(CLOSE_WAIT_MS);
    this.onClose();
  }

  private report(signal: SignalBody, id?: string): void {
    const { session } = this;
    if (session.isClosing) return;
    session.pulse.reported(session.now());
    session.outbox.put(signal, id);
    session.schedule();
  }
}

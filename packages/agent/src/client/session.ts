import type { AgentClock, Dice } from '../real-clock.ts';
import { exchange, findLocalServer } from '../transport/index.ts';
import { Alarm } from './alarm.ts';
import { Backoff } from './backoff.ts';
import { Breakers } from './breakers.ts';
import { CheckpointQueue } from './checkpoint-queue.ts';
import { Directives } from './directives.ts';
import type { FullOptions } from './options.ts';
import { Outbox } from './outbox.ts';
import { Pulse } from './pulse.ts';
import { readRegistered, registrationBody } from './registration.ts';
import { Rejections } from './rejections.ts';
import { type Verdict, verdictOf } from './replies.ts';
import { sendCheckpoint } from './send-checkpoint.ts';
import { TokenMeter } from './token-meter.ts';

export type ConnectionState = 'connecting' | 'connected' | 'refused' | 'superseded' | 'closed';

/** Signals of one moment go in one request. */
const FLUSH_MS = 200;
const BATCH_MAX = 100;
const CHARACTERS_MAX = 4 * 1024 * 1024;

/**
 * The connection to the server: registers, sends the queued signals, handles the replies. One request at a time,
 * driven by one timer that does not keep the process alive. Failures are recorded and retried later.
 */
export class Session {
  state: ConnectionState = 'connecting';
  incarnation: number | null = null;
  readonly rejections: Rejections;
  readonly outbox: Outbox;
  readonly pulse: Pulse;
  readonly directives: Directives;
  readonly breakers: Breakers;
  readonly tokens = new TokenMeter();
  readonly checkpoints = new CheckpointQueue();
  onRegistered: ((url: string, token: string) => void) | null = null;
  private readonly options: FullOptions;
  private readonly clock: AgentClock;
  private readonly instanceId: string;
  private readonly backoff: Backoff;
  private readonly alarm: Alarm;
  private token: string | null = null;
  private url: string;
  private batchMax = BATCH_MAX;
  private notBefore = 0;
  /** `close` was called: what is queued is the last. */
  isClosing = false;
  private isBusy = false;
  private isActive = false;
  private idle: (() => void) | null = null;

  constructor(options: FullOptions, clock: AgentClock, dice: Dice) {
    this.options = options;
    this.url = options.url;
    this.token = options.joined?.token ?? null;
    this.incarnation = options.joined?.incarnation ?? null;
    this.clock = clock;
    this.instanceId = dice.newId();
    this.backoff = new Backoff(dice);
    this.alarm = new Alarm(clock, () => void this.run());
    this.breakers = new Breakers(
      (path, body, options) => this.ask(path, body, options),
      () => this.now(),
    );
    this.rejections = new Rejections(clock.wall);
    const limits = { signalsMax: options.bufferMax, charactersMax: CHARACTERS_MAX };
    this.outbox = new Outbox(options.agentId, this.instanceId, limits, this.rejections);
    this.directives = new Directives(this.rejections);
    this.pulse = new Pulse(options, clock.monotonic());
  }

  get agentId(): string {
    return this.options.agentId;
  }

  /** The run sees the end of its process itself. */
  get isOfRun(): boolean {
    return this.options.joined !== null;
  }

  now(): number {
    return this.clock.monotonic();
  }

  wall(): number {
    return this.clock.wall();
  }

  /** Sends what is queued after this delay, or earlier if an earlier time is scheduled. */
  schedule(afterMs = FLUSH_MS): void {
    if (this.hasEnded) return;
    this.alarm.set(Math.max(this.now() + afterMs, this.notBefore));
  }

  /** Something happened; sent once with the next request. */
  noteActivity(): void {
    this.isActive = true;
    this.pulse.reported(this.now());
    this.schedule();
  }

  /** Sends what is queued for at most this long, then stops. Nothing is reported after it, no beat either. */
  async close(waitMs: number): Promise<void> {
    this.isClosing = true;
    if (!this.hasEnded) {
      await new Promise<void>((resolve) => {
        // Not unref'd, so that the program stays alive until its last signals are sent.
        const timer = setTimeout(resolve, waitMs);
        this.idle = () => {
          clearTimeout(timer);
          resolve();
        };
        this.notBefore = 0;
        this.schedule(0);
      });
    }
    this.end('closed');
  }

  private async run(): Promise<void> {
    if (this.isBusy || this.hasEnded) return;
    this.isBusy = true;
    try {
      await this.step();
    } catch (error) {
      // An error in this client must not become an error of its host.
      this.rejections.addError('client', error);
      this.later();
    }
    this.isBusy = false;
    this.plan();
  }

  private async step(): Promise<void> {
    if (this.token === null) return this.register();
    const { head } = this.checkpoints;
    if (head)
      return sendCheckpoint(head, {
        breakers: this.breakers,
        now: () => this.now(),
        post: (body) => this.post(this.path('checkpoints'), this.token, body),
        isOver: (verdict) => this.isOver(verdict, 'checkpoint'),
      });
    return this.sendSignals(this.token);
  }

  private plan(): void {
    if (this.hasWork()) return this.schedule(0);
    this.idle?.();
    const now = this.now();
    const dueAt = this.pulse.dueAt(now);
    if (dueAt < Number.POSITIVE_INFINITY) this.schedule(Math.max(0, dueAt - now));
  }

  private hasWork(): boolean {
    return (
      this.token === null || this.outbox.size > 0 || this.checkpoints.head !== null || this.tokens.hasNews
    );
  }

  private get hasEnded(): boolean {
    return this.state === 'closed' || this.state === 'superseded';
  }

  private async register(): Promise<void> {
    const body = registrationBody(this.options, this.instanceId, this.pulse.taskId);
    // Looked for each time: a server that was restarted may be elsewhere.
    const local = this.options.isLocal ? await findLocalServer(process.env) : null;
    this.url = local?.url ?? this.options.url;
    const verdict = await this.post('/v1/agents', local?.token ?? this.options.token, body);
    if (verdict.kind === 'later') return this.failed('register', verdict);
    if (verdict.kind !== 'taken') {
      // An operator has to change something. The request is retried anyway, so that it succeeds once that is done.
      if (!this.hasEnded) this.state = 'refused';
      this.checkpoints.refuse(`${verdict.code}: ${verdict.message}`);
      return this.failed('register', verdict);
    }
    const registered = readRegistered(verdict.body);
    if (!registered) return this.failed('register', { code: 'nonsense', message: 'no token was given' });
    if (this.hasEnded) return this.tellEnd(registered.token);
    if (registered.incarnation !== this.incarnation) this.tokens.startOver();
    this.incarnation = registered.incarnation;
    this.token = registered.token;
    this.becomeConnected();
    this.onRegistered?.(this.url, registered.token);
  }

  /** Closed while the registration was under way: the server must not wait for an agent that has ended. */
  private async tellEnd(token: string): Promise<void> {
    await this.post(this.path('signals'), token, `[${this.outbox.batch(this.batchMax).body}]`);
  }

  private async sendSignals(token: string): Promise<void> {
    const now = this.now();
    // A beat after the last signal would belong to an agent that has ended.
    const isBeatDue = !this.isClosing && this.pulse.dueAt(now) <= now;
    if (this.isActive && !isBeatDue) this.outbox.put({ kind: 'activity' });
    this.isActive = false;
    const news = this.tokens.takeNews();
    if (news) this.outbox.put(news);
    const { body, kinds, end } = this.outbox.batch(this.batchMax);
    const beat = isBeatDue ? JSON.stringify(this.pulse.body(this.wall(), this.tokens.total)) : null;
    if (beat === null && kinds.length === 0) return;
    if (beat !== null) this.pulse.sent(now);
    const verdict =
      kinds.length === 0
        ? await this.post(this.path('heartbeat'), token, beat ?? '{}')
        : await this.post(this.path('signals'), token, `[${body}${beat === null ? '' : `,${beat}`}]`);
    if (this.isOver(verdict, 'signals')) this.outbox.discardTo(end);
    else if (beat !== null) this.pulse.failed();
    if (verdict.kind === 'taken') {
      for (const { index, code, message } of verdict.refusals)
        this.rejections.add(kinds[index] ?? 'heartbeat', code, message);
      this.directives.take(verdict.body.directives);
    } else if (verdict.kind === 'too-large') {
      if (kinds.length === 1) this.outbox.discardTo(end);
      this.batchMax = Math.max(1, Math.floor(kinds.length / 2));
    }
  }

  /** Returns whether the request is settled; otherwise prepares the next try. */
  private isOver(verdict: Verdict, what: string): boolean {
    if (verdict.kind === 'taken') {
      this.becomeConnected();
      return true;
    }
    if (verdict.kind === 'later') {
      this.failed(what, verdict);
      return false;
    }
    this.rejections.add(what, verdict.code, verdict.message);
    if (verdict.kind === 'register-again') {
      this.token = null;
      if (this.isClosing) this.end('closed');
      // Only the run registers its agent again, with a new process.
      else if (this.isOfRun) this.supersede();
      else this.state = 'connecting';
    } else if (verdict.kind === 'superseded') this.supersede();
    return verdict.kind === 'refused';
  }

  private supersede(): void {
    this.end('superseded');
    this.directives.takeSuperseded();
  }

  private becomeConnected(): void {
    if (!this.hasEnded) this.state = 'connected';
    this.checkpoints.admit();
    this.backoff.reset();
  }

  private failed(what: string, why: { code: string; message: string; retryAfterMs?: number }): void {
    this.rejections.add(what, why.code, why.message);
    if (this.state === 'connected') this.state = 'connecting';
    this.later(why.retryAfterMs);
  }

  private later(atLeastMs = 0): void {
    this.notBefore = this.now() + this.backoff.next(atLeastMs);
  }

  private end(state: 'closed' | 'superseded'): void {
    this.state = state;
    this.alarm.clear();
    this.checkpoints.close();
    this.idle?.();
  }

  private path(what: string): string {
    return `/v1/agents/${encodeURIComponent(this.options.agentId)}/${what}`;
  }

  private async post(
    path: string,
    token: string | null,
    body: string,
    { timeoutMs = this.options.requestTimeoutMs, isBackground = true } = {},
  ): Promise<Verdict> {
    const { url } = this;
    return verdictOf(await exchange({ method: 'POST', url, path, token, body, timeoutMs, isBackground }));
  }

  /** A request outside the queue of signals, for what cannot wait; null while there is no server to ask. */
  private ask(
    what: string,
    body: string,
    options: { readonly timeoutMs: number; readonly isBackground: boolean },
  ): Promise<Verdict> | null {
    if (this.state !== 'connected') return null;
    return this.post(this.path(what), this.token, body, options);
  }
}

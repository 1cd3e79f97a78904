import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { SignalBody } from '@holter/core';
import type { ChildEnd } from '@holter/server/adapters';
import {
  type FileAnswer,
  FileFaults,
  faultSignal,
  NudgeFile,
  ownerOf,
  type RunRecord,
} from '@holter/server/process';
import { NoAnswer } from '../background/http-call.ts';
import { AgentRecord } from './agent-record.ts';
import { CheckpointKeeper } from './checkpoint-keeper.ts';
import { Child } from './child.ts';
import { untilDecided } from './decision.ts';
import { EffectLoop } from './effect-loop.ts';
import { CODE, RunFailure } from './end.ts';
import { childEnvironment } from './environment.ts';
import { FinishGuard } from './finish-guard.ts';
import { LimitGuard } from './limit-guard.ts';
import { OutputTail } from './output-tail.ts';
import { processOnlyLine } from './process-only.ts';
import { registerFirst } from './register-first.ts';
import type { RunContext } from './run-context.ts';
import { RunExecutor } from './run-executor.ts';
import type { RunEnd, RunState, StartOrder } from './run-state.ts';
import { SignalQueue } from './signal-queue.ts';
import { TranscriptFollower } from './transcript-follower.ts';
import { Watcher } from './watcher.ts';

/** An end this soon after Ctrl-C is caused by it. */
const INTERRUPT_MS = 5_000;
/** So many looks long a server may refuse to take anything, before the run does without it: 20 s. */
const REFUSED_LOOKS = 4;
const NEWLINE = Buffer.from('\n');

/**
 * One `holter run`: starts the command, reports what it observes to the server, lets `RunExecutor` carry out the
 * server's effects, and ends when the command has ended and will not be restarted. It decides nothing itself.
 */
export class Supervisor {
  private readonly context: RunContext;
  private readonly executorId: string;
  private readonly folder: string;
  private readonly state: RunState;
  private readonly agent: AgentRecord;
  private readonly nudges: NudgeFile;
  private readonly keeper: CheckpointKeeper;
  private readonly queue: SignalQueue;
  private readonly output: OutputTail;
  private readonly loop: EffectLoop;
  private readonly watcher: Watcher;
  private readonly transcript: TranscriptFollower | null;
  private readonly limits: LimitGuard;
  private readonly finished: FinishGuard;
  private isLooking = false;
  private wish: { readonly why: string; readonly at: number } | null = null;
  private finish: (end: RunEnd) => void = () => undefined;
  private isGivenUp = false;

  constructor(context: RunContext) {
    this.context = context;
    const { options, plan, folder, clock, table, link, newId, say } = context;
    const id = newId();
    this.executorId = `run:${id}`;
    this.state = {
      child: null,
      runId: id,
      recoveries: 0,
      provenGone: null,
      isTerminating: false,
      isStarting: false,
      lastHow: 'crashed',
    };
    this.folder = join(folder.path, 'runs', plan.agentId);
    this.agent = new AgentRecord(context, this.executorId);
    this.queue = new SignalQueue(link, plan.agentId, newId);
    const outputPath = `/v1/agents/${encodeURIComponent(plan.agentId)}/output`;
    this.output = new OutputTail(clock, (text) => link.ask('POST', outputPath, { text }));
    const tell = (body: SignalBody): void => this.queue.put(this.agent.incarnation, body);
    const user = (): number | null => {
      const { child } = this.state;
      return child ? table.userOf(child.identity.pid) : null;
    };
    const faults = new FileFaults((sentences) => this.tellFaults(sentences));
    const noted =
      (what: string) =>
      (answer: FileAnswer<unknown>): void =>
        faults.note(what, answer);
    const nudgeFile = join(this.folder, `${id.slice(0, 8)}.nudges`);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const rules = { isOwner: ownerOf(user), folder: realpathSync(this.folder) };
    this.nudges = new NudgeFile(nudgeFile, rules, noted('its nudge file'));
    const file = plan.checkpointFile ?? join(this.folder, 'checkpoint');
    this.keeper = new CheckpointKeeper(file, join(this.folder, 'checkpoints'), {
      newId,
      user,
      noted: noted('its checkpoint file'),
    });
    this.transcript =
      plan.transcript && new TranscriptFollower(plan.transcript, tell, noted('its transcript'));
    this.limits = new LimitGuard({
      agent: this.agent,
      plan,
      queue: this.queue,
      clock,
      tokensMax: options.limitTokens,
      say,
    });
    this.finished = new FinishGuard({ recipe: plan.recipe, clock, lookEvery: options.lookEvery, say, tell });
    this.watcher = new Watcher({
      clock,
      table,
      options,
      say,
      heartbeatFile: this.heartbeatFile,
      noted: noted('its heartbeat file'),
      idle: plan.recipe?.idle ?? null,
      tell,
      everyTick: () => this.everyTick(),
      overLimit: (option, evidence, limit) => this.limits.exceed(option, evidence, limit),
    });
    const executor = new RunExecutor({
      context,
      state: this.state,
      agent: this.agent,
      nudges: this.nudges,
      keeper: this.keeper,
      executorId: this.executorId,
      start: (argv, order) => this.start(argv, order),
      keepCheckpoint: () => this.keepCheckpoint(),
      pauseWatching: () => this.watcher.stop(),
      tellGone: (by) =>
        this.queue.put(this.agent.incarnation, {
          kind: 'exited',
          code: null,
          ...(by !== null && { signal: by }),
        }),
      terminated: () => this.goOnAfterTermination(),
    });
    this.loop = new EffectLoop(this.executorId, {
      link,
      clock,
      record: () => this.record(),
      carryOut: (effect) => executor.carryOut(effect),
      lookEvery: (ms) => this.watcher.tellEvery(ms),
    });
  }

  /** What comes before the command is started. Throws `NoAnswer` if the server takes nothing. */
  async prepare(): Promise<void> {
    const { link, options } = this.context;
    await this.keeper.checkReadable();
    await this.nudges.create();
    link.limitPatience(REFUSED_LOOKS * options.lookEvery);
    await registerFirst(this.agent, this.context);
    this.keeper.load(await this.agent.checkpoints());
    // Before the command starts: if this process is killed meanwhile, the server knows whose agent it was.
    await this.loop.present();
    link.limitPatience(null);
  }

  /** Runs until the command is down for good. Throws a `RunFailure` if it could not be started. */
  async run(): Promise<RunEnd> {
    const over = new Promise<RunEnd>((resolve) => {
      this.finish = resolve;
    });
    const { plan, link, options, folder, say } = this.context;
    const line = processOnlyLine(plan, options, folder.path);
    if (line !== null) say(line);
    const argv = plan.recipe ? [...plan.before, ...plan.recipe.start(link.url)] : plan.argv;
    await this.start(argv, { attempt: 0, checkpointId: null, reason: null });
    void this.loop.run();
    const end = await over;
    this.watcher.stop();
    await this.queue.flush().catch(() => undefined);
    await this.loop.leave();
    await this.state.child?.drain(this.context.clock, 1_000);
    await this.output.close(1_000);
    await this.nudges.remove();
    return end;
  }

  get hasOpenLine(): boolean {
    return this.state.child?.hasOpenLine === true;
  }

  /** A signal that was meant for the command. From a terminal, the command already got it. */
  passOn(signal: NodeJS.Signals, isSentToChildToo: boolean): void {
    this.wish = { why: `${signal} from outside`, at: this.context.clock.now() };
    const { child, isStarting } = this.state;
    if (child?.isRunning) {
      if (!isSentToChildToo) child.signal(signal);
    } else if (!isStarting) {
      // The command is down and waits for its next start, which is no longer wanted.
      void this.giveUp();
    }
  }

  private get heartbeatFile(): string {
    return join(this.folder, 'heartbeat');
  }

  private record(): RunRecord {
    const { hostId, run, options, plan } = this.context;
    const { child, runId } = this.state;
    const sessionId = plan.recipe?.session?.() ?? null;
    return {
      executorId: this.executorId,
      agentId: plan.agentId,
      incarnation: this.agent.incarnation,
      runId,
      hostId,
      run,
      child: child?.isRunning ? child.identity : null,
      nudgeFile: this.nudges.path,
      words: plan.hasHooks ? 'replies' : 'file',
      onLost: options.onLost,
      ...(plan.agentKind !== null &&
        sessionId !== null && { session: { kind: plan.agentKind, id: sessionId } }),
    };
  }

  private async start(argv: readonly string[], order: StartOrder): Promise<void> {
    const { env, link, options, plan, table, clock, terminal, newId, say } = this.context;
    const { incarnation, token } = this.agent;
    const runId = newId();
    this.state.runId = runId;
    const childEnv = childEnvironment(env, {
      agentId: plan.agentId,
      incarnation,
      token,
      url: link.url,
      runId,
      taskId: options.task,
      nudgeFile: this.nudges.path,
      heartbeatFile: this.heartbeatFile,
      checkpointFile: this.keeper.file,
      ...order,
    });
    try {
      const printed = (bytes: Buffer, fd: number): void => {
        this.output.put(bytes, fd);
        if (fd === 1) this.hear(bytes, incarnation);
      };
      await this.transcript?.begin();
      await this.watcher.prepare();
      const child = await Child.start({ argv, env: childEnv, runId, terminal, table, clock, printed });
      this.state.child = child;
      this.context.started(child.identity.pid);
      this.watcher.follow(child);
      void child.ended.then((end) => this.hasEnded(child, end)).catch((error: unknown) => say(String(error)));
    } catch (error) {
      const code = error instanceof RunFailure ? error.exitCode : CODE.error;
      this.queue.put(incarnation, { kind: 'exited', code });
      if (order.attempt === 0) {
        await this.queue.flush();
        await this.loop.leave();
        await this.nudges.remove();
      }
      throw error;
    }
    await this.loop.present();
  }

  private hear(output: Buffer, incarnation: number): void {
    const { recipe } = this.context.plan;
    for (const body of recipe?.heard?.(output) ?? []) this.queue.put(incarnation, body);
  }

  private async hasEnded(child: Child, exit: ChildEnd): Promise<void> {
    const { state } = this;
    const { plan, clock, link, options, say } = this.context;
    if (state.isTerminating || child !== state.child) return;
    this.watcher.stop();
    this.proveGoneSoon(child);
    // Its last output may still be in the pipe.
    if (plan.recipe) await child.drain(clock, 1_000);
    // And its last line may lack its end.
    this.hear(NEWLINE, this.agent.incarnation);
    await this.transcript?.look();
    const end = (await plan.recipe?.endOf?.(exit)) ?? exit;
    const purpose = end.code === 0 ? null : this.purposeOf(end);
    state.lastHow = end.code === 0 ? 'done' : purpose !== null ? 'stopped' : 'crashed';
    // Only a server can order a restart, so a crash waits for it as long as it takes.
    if (state.lastHow !== 'crashed' || !plan.can.includes('spawn'))
      link.limitPatience(REFUSED_LOOKS * options.lookEvery);
    try {
      await this.reportEnd(child, end, purpose);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      say(`the server does not take the report that ${plan.agentId} has ended: ${error.message}`);
      this.finish({ ...this.facts(), end, needsPerson: false, leftBehind: [] });
    }
  }

  private async reportEnd(child: Child, end: ChildEnd, purpose: string | null): Promise<void> {
    const { agent, queue } = this;
    await this.keepCheckpoint();
    if (purpose !== null) queue.put(agent.incarnation, { kind: 'stopped', reason: purpose });
    else
      queue.put(agent.incarnation, {
        kind: 'exited',
        code: end.code,
        ...(end.signal && { signal: end.signal }),
      });
    await queue.flush();
    await this.awaitDecision(child, end);
  }

  /** Searches a moment later for processes that the child left behind; without any, its end is proven. */
  private proveGoneSoon(child: Child): void {
    this.context.clock.after(1, () => {
      if (child.tree.sweep().length === 0) this.state.provenGone = child;
    });
  }

  /** The reason if the end was intended (Ctrl-C, or a signal to this process); null for any other end. */
  private purposeOf({ code, signal }: ChildEnd): string | null {
    if (!this.wish) return null;
    const isSoon = this.context.clock.now() - this.wish.at < INTERRUPT_MS;
    return isSoon || signal === 'SIGINT' || code === 130 ? this.wish.why : null;
  }

  private goOnAfterTermination(): void {
    const { child } = this.state;
    if (!child) return;
    if (child.isRunning) this.watcher.follow(child);
    else if (child.end) void this.awaitDecision(child, child.end, true);
  }

  /** The command has ended: either the server orders a restart, or the run ends. */
  private async awaitDecision(child: Child, end: ChildEnd, isReceiptComing = false): Promise<void> {
    const { clock, say } = this.context;
    const { agent, state } = this;
    const isOver = (): boolean => child !== state.child || this.isGivenUp;
    const isStarting = (): boolean => state.isStarting;
    const decided = await untilDecided({ agent, clock, say, isOver, isStarting, isReceiptComing });
    if (decided === null) return;
    const left = state.lastHow === 'crashed' ? child.tree.sweep() : [];
    const leftBehind = left.map(({ pid }) => pid);
    this.finish({ ...this.facts(), end, needsPerson: decided === 'person', leftBehind });
  }

  private facts(): Omit<RunEnd, 'end' | 'needsPerson' | 'leftBehind'> {
    const { lastHow, recoveries } = this.state;
    const checkpointId = this.keeper.newest?.checkpointId ?? null;
    return { how: lastHow, incarnation: this.agent.incarnation, recoveries, checkpointId };
  }

  /** Registers and immediately ends a new incarnation, so that the server does not try another recovery. */
  private async giveUp(): Promise<void> {
    const end = this.state.child?.end ?? { code: CODE.error, signal: null };
    this.state.isStarting = true;
    this.isGivenUp = true;
    this.context.link.limitPatience(0);
    await this.agent.register().catch(() => undefined);
    const reason = 'given up by the person at the terminal';
    this.queue.put(this.agent.incarnation, { kind: 'stopped', reason });
    this.finish({ ...this.facts(), how: 'stopped', end, needsPerson: false, leftBehind: [] });
  }

  private everyTick(): void {
    void this.limits.maybeLookAtTokens();
    if (this.isLooking) return;
    this.isLooking = true;
    void this.lookAtFiles()
      .catch((error: unknown) => this.context.say(String(error)))
      .finally(() => {
        this.isLooking = false;
      });
  }

  private async lookAtFiles(): Promise<void> {
    const { plan, table } = this.context;
    if (this.state.child?.isRunning) await plan.recipe?.look?.(this.state.child.identity.pid, table);
    if (this.state.child?.isRunning) await this.finished.look();
    await this.transcript?.look();
    for (const id of await this.nudges.takeSeen()) void this.loop.tellSeen(id);
    await this.keepCheckpoint();
  }

  private async keepCheckpoint(): Promise<void> {
    const kept = await this.keeper.look();
    if (kept) await this.agent.writeCheckpoint(kept);
  }

  /** A file that the command replaced by something else is a fact about it, and no reason to wait. */
  private tellFaults(faults: readonly string[]): void {
    if (faults.length > 0) this.context.say(faults.join('; '));
    this.queue.put(this.agent.incarnation, faultSignal(faults, this.context.clock.now()));
  }
}

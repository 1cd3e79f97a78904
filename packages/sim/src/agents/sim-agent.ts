import type { Random } from '../base/random.ts';
import type { AgentEnv } from './agent-env.ts';
import { Act } from './agent-env.ts';
import { type AgentProfile, hasPulse } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';
import { type Partition, passesToAgent, passesToHolter } from './partition.ts';
import type { Activity, Truth } from './truth.ts';

const LETTERS = 'abcdefghijklmnoprstuvwxyz';

/**
 * One simulated agent: the life that all behaviours share, and what is true of it. A `life` is one process;
 * happenings that were planned for an earlier life are dropped by the world.
 */
export class SimAgent {
  readonly slot: number;
  readonly name: string;
  readonly group: string;
  readonly executor: string | null;
  readonly profile: AgentProfile;
  readonly behaviour: Behaviour;
  readonly random: Random;
  readonly env: AgentEnv;

  /** How many times as often as usual its trouble comes. */
  haste = 1;
  life = 0;
  incarnation = 0;
  spawnKey: string | undefined;
  /** A process of its own: Holter tells instances apart by this. */
  instanceId = '';
  isRunning = false;
  isStopped = false;
  private activityNow: Activity = 'off';
  /** By Holter's clock. */
  activitySince = 0;
  private clockErrorThenMs = 0;
  truth: Truth = 'ended';
  /** By Holter's clock. */
  truthSince = 0;
  /** How long a second lasts for it: its timers are a little fast or slow. */
  pace = 1;
  /** How far its host's wall clock is off. */
  clockOffsetMs = 0;
  /** What is missing on its own way to Holter. */
  partition: Partition = 'none';
  /** What its group's switch does not let pass: that concerns the executor on its host as well. */
  groupPartition: Partition = 'none';
  /** What the client kept to send again once the way is free. Beats are not kept. */
  spool: unknown[] = [];
  arrivedAt = 0;
  /** When the last word that found the monitor away has come again. */
  drainedAt = 0;
  /** How often it has waited for the monitor's return. */
  waits = 0;

  taskId: string | null = null;
  taskUntil = 0;
  taskCount = 0;
  callCount = 0;
  /** By the clock on its wall; null before its first call. */
  lastCallAt: number | null = null;
  private saidCount = 0;
  private wordOf = -1;
  private wordIn = -1;
  private wordNow = '';
  tool = 'bash';
  checkpointCount = 0;
  checkpointAt = 0;
  tokens = 0;
  cpuMs = 0;
  ioBytes = 0;
  memoryBytes: number = parameters.work.memoryBytes;
  /** A beat from a sidecar costs the agent's own process nothing. */
  isFlat = false;
  isTroubled = false;
  /** A call of its loop is open. */
  isRepeating = false;
  failuresInRow = 0;
  /** Whether it reports that its calls fail, beside the calls themselves. */
  isTellingFailures = false;
  nudgesSeen = 0;
  /** How often a life of this agent has ended badly; behaviours may count on it. */
  deaths = 0;
  /** One number that a behaviour may keep for itself. */
  memo = 0;

  constructor(
    slot: number,
    group: string,
    profile: AgentProfile,
    behaviour: Behaviour,
    random: Random,
    env: AgentEnv,
  ) {
    this.slot = slot;
    this.name = `${behaviour.name}-${slot}`;
    this.group = group;
    this.profile = profile;
    this.executor = profile.isLocal ? `host-${group}` : null;
    this.behaviour = behaviour;
    this.random = random;
    this.env = env;
  }

  get activity(): Activity {
    return this.activityNow;
  }

  set activity(activity: Activity) {
    if (this.activityNow === activity) return;
    this.activityNow = activity;
    this.activitySince = this.env.holterNow;
    this.clockErrorThenMs = Math.abs(this.wallNow - this.env.holterNow);
  }

  /** How far its wall clock is off, or was when it began what it does: until when, it said by that clock. */
  get clockErrorMs(): number {
    return Math.max(this.clockErrorThenMs, Math.abs(this.wallNow - this.env.holterNow));
  }

  get isReachable(): boolean {
    return this.partition === 'none' && this.groupPartition === 'none';
  }

  /** What it says arrives at Holter. */
  get canReachHolter(): boolean {
    return passesToHolter(this.partition) && this.canHostReachHolter;
  }

  /** What Holter says arrives at the agent. */
  get canBeReached(): boolean {
    return passesToAgent(this.partition) && this.canHostBeReached;
  }

  get canHostReachHolter(): boolean {
    return passesToHolter(this.groupPartition);
  }

  get canHostBeReached(): boolean {
    return passesToAgent(this.groupPartition);
  }

  /** What the clock on its wall shows. */
  get wallNow(): number {
    return Math.round(this.env.now + this.clockOffsetMs);
  }

  become(truth: Truth): void {
    if (this.truth === truth) return;
    this.truth = truth;
    this.truthSince = this.env.holterNow;
    this.env.truthChanged(this);
  }

  /** A process comes up; it says hello when it is ready. */
  boot(spawnKey: string | undefined, bootMs?: number): void {
    this.life++;
    this.instanceId = `${this.name}-${this.life}`;
    this.spawnKey = spawnKey;
    this.isRunning = true;
    this.isStopped = false;
    this.isFlat = false;
    this.isTroubled = false;
    this.isRepeating = false;
    this.activity = 'starting';
    this.incarnation = 0;
    this.cpuMs = 0;
    this.ioBytes = 0;
    this.memoryBytes = parameters.work.memoryBytes;
    this.tokens = 0;
    this.callCount = 0;
    this.failuresInRow = 0;
    this.become('fine');
    const { bootMinMs, bootMaxMs } = parameters.work;
    this.plan(bootMs ?? this.random.between(bootMinMs, bootMaxMs), Act.register);
  }

  plan(delayMs: number, act: Act, data?: unknown): void {
    this.env.plan(this, delayMs, act, data);
  }

  /** Registered: beats begin, the executor looks at the process, and the behaviour takes over. */
  begin(): void {
    this.env.send(this, { kind: 'started' });
    if (hasPulse(this.profile)) this.plan(this.beatMs() * this.random.unit(), Act.beat);
    if (this.profile.promises.process === true) this.plan(this.random.between(1_000, 60_000), Act.probe);
    if (this.behaviour.troubleEveryMs !== undefined) this.planTrouble();
    this.activity = 'idle';
    if (this.behaviour.begin !== undefined) this.behaviour.begin(this);
    else if (this.taskId !== null) this.think();
    else this.takeTask();
    if (this.spawnKey !== undefined) this.behaviour.successorBegins?.(this);
  }

  planTrouble(): void {
    this.plan(this.random.exponential((this.behaviour.troubleEveryMs as number) / this.haste), Act.trouble);
  }

  beatMs(): number {
    const { periodShare, jitterShare } = parameters.beats;
    return this.profile.intervalMs * (periodShare + jitterShare * this.random.unit());
  }

  takeTask(durationMs?: number): void {
    const { taskMedianMs, taskSigma } = parameters.work;
    this.taskId = `t${this.slot}.${++this.taskCount}`;
    this.taskUntil = this.env.now + (durationMs ?? this.random.lognormal(taskMedianMs, taskSigma));
    this.checkpointAt = this.env.now;
    this.env.send(this, { kind: 'task-assigned', taskId: this.taskId }, `a${this.taskId}`);
    this.think();
  }

  think(): void {
    this.activity = 'thinking';
    const { thinkMedianMs, thinkSigma } = parameters.work;
    const own = this.behaviour.thinkMs;
    this.plan(own !== undefined ? own(this) : this.random.lognormal(thinkMedianMs, thinkSigma), Act.thought);
  }

  beginCall(tool: string, durationMs?: number): void {
    this.activity = 'in-tool';
    this.tool = tool;
    this.callCount++;
    this.lastCallAt = this.wallNow;
    const callId = this.callId();
    const input = { path: `src/${this.word()}.ts` };
    this.env.send(this, { kind: 'call-begun', callId, tool, input }, `${callId}b`);
    const { toolMedianMs, toolSigma } = parameters.work;
    const own = this.behaviour.toolMs;
    const ms = durationMs ?? (own !== undefined ? own(this) : this.random.lognormal(toolMedianMs, toolSigma));
    this.plan(ms, Act.toolDone);
  }

  /** A word that no other call of this agent has: results must differ in more than a number. */
  word(): string {
    if (this.wordOf === this.callCount && this.wordIn === this.life) return this.wordNow;
    let rest = this.life * 100_003 + this.callCount * 7_919;
    let word = '';
    for (let letter = 0; letter < 6; letter++) {
      word += LETTERS[rest % LETTERS.length];
      rest = Math.floor(rest / LETTERS.length) + letter * 11;
    }
    this.wordOf = this.callCount;
    this.wordIn = this.life;
    this.wordNow = word;
    return word;
  }

  /** An id that nothing this agent ever said has. */
  freshId(): string {
    return `s${this.life}.${++this.saidCount}`;
  }

  callId(): string {
    return `c${this.life}.${this.callCount}`;
  }

  /** The call's result; each success differs from the last, because the agent gets somewhere. */
  endCall(tool: string, isError: boolean, output: string, path = this.word()): void {
    const callId = this.callId();
    this.tokens += parameters.work.tokensPerCall;
    this.lastCallAt = this.wallNow;
    this.cpuMs += 40;
    this.failuresInRow = isError ? this.failuresInRow + 1 : 0;
    const input = { path: `src/${path}.ts` };
    this.env.send(this, { kind: 'call-ended', callId, tool, input, isError, output }, `${callId}e`);
  }

  /** After a call: save, finish, suffer the trouble that waited, or think on. */
  goOn(): void {
    const now = this.env.now;
    if (this.isTroubled && this.behaviour.isTroubleBetweenCalls) {
      this.behaviour.trouble?.(this);
      return;
    }
    const promised = this.profile.promises.checkpoints === true;
    if (promised && now - this.checkpointAt > parameters.work.checkpointEveryMs) this.saveCheckpoint();
    if (now >= this.taskUntil && this.taskId !== null) {
      this.endTask('done');
      const { restMedianMs, restSigma } = parameters.work;
      this.plan(this.random.lognormal(restMedianMs, restSigma), Act.nextTask);
      return;
    }
    this.think();
  }

  saveCheckpoint(): void {
    const parent = this.checkpointCount > 0 ? { parentId: `k${this.slot}.${this.checkpointCount}` } : {};
    const checkpointId = `k${this.slot}.${++this.checkpointCount}`;
    this.checkpointAt = this.env.now;
    this.env.send(
      this,
      { kind: 'checkpoint', checkpointId, ...parent, hash: `h${checkpointId}` },
      checkpointId,
    );
  }

  endTask(outcome: 'done' | 'failed'): void {
    this.env.send(this, { kind: 'task-ended', taskId: this.taskId as string, outcome }, `e${this.taskId}`);
    this.taskId = null;
    this.activity = 'idle';
  }

  /** The trouble is over and the agent works on. */
  resumeWork(): void {
    this.isTroubled = false;
    this.isFlat = false;
    this.become('fine');
    if (this.behaviour.troubleEveryMs !== undefined) this.planTrouble();
    if (this.taskId === null) this.takeTask();
    else this.think();
  }

  /** The process ends. Where an executor looks, it sees the end soon. */
  die(code: number | null, signal?: string): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    this.activity = 'off';
    this.life++;
    if (code === 0) this.become('ended');
    else {
      this.deaths++;
      this.become('dead');
    }
    if (this.profile.promises.process === true) {
      this.env.sense(this, { kind: 'exited', code, ...(signal !== undefined && { signal }) });
    }
  }
}

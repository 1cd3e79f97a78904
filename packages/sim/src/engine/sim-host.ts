import { type Effect, type EffectKind, later } from '@holter/core';
import type { ActResult, Clock, Executor } from '@holter/server';
import { type ProcessIdentity, ProcessTree, type StopSignal, stopTree } from '@holter/server/process';
import { type Honesty, type Receipt, SimExecutor } from '../actors/sim-executor.ts';
import { SimProcessTable } from '../actors/sim-process-table.ts';
import { isResponsive } from '../agents/perform.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Execution } from '../audit/violation.ts';

/** How often a pid that became free is given to another process at once. */
const STRANGER_SHARE = 0.5;
const STRANGER_MS = [60_000, 20 * 60_000] as const;

/** An executor waits this long for its adapter, less than a claim lasts; a later receipt comes by itself. */
const ANSWER_MS = 50_000;
/** How often what waits is offered again, and how often a notice is still not read then. */
const OFFER_AGAIN_MS = 60_000;
const UNREAD_SHARE = 0.9;

interface SimHostPort {
  readonly now: number;
  find(agentId: string): SimAgent | undefined;
  after(ms: number, callback: () => void): void;
  lastCursor(): Promise<number>;
  notified(agent: SimAgent, effect: Effect): boolean;
  /** A receipt that comes by itself, after the one that answered the claim. */
  receive(effect: Effect, receipt: Receipt): void;
}

/** The server that an executor is attached to: it may be suspended or die in the middle of an execution. */
type Attachment = {
  readonly id: number;
  readonly clock: Clock;
  through<T>(where: string, call: () => Promise<T>): Promise<T>;
};

/** Where the simulated agents run: their processes, and executors for the real engine that act on them. */
export class SimHost {
  private readonly port: SimHostPort;
  private readonly audit: Auditor | null;
  private readonly honesty: Honesty;
  private readonly table = new SimProcessTable();
  /** By agent and life: the process, as its host wrote it down. */
  private readonly processes = new Map<string, ProcessIdentity>();
  /** By agent and incarnation: the life that registered as it. */
  private readonly lifeOf = new Map<string, number>();
  private readonly startedKeys = new Set<string>();

  constructor(port: SimHostPort, audit: Auditor | null, honesty: Honesty) {
    this.port = port;
    this.audit = audit;
    this.honesty = honesty;
  }

  executorFor(id: string | null, kinds: ReadonlySet<EffectKind>, server: Attachment): Executor {
    const executor = new SimExecutor(
      {
        after: (_agent, ms, callback) => void server.clock.after(ms, callback),
        stop: (agent, effect, stopped) =>
          void this.stop(agent, effect, server.clock).then(stopped, () => stopped(false)),
        notified: (agent, effect) => this.port.notified(agent, effect),
      },
      this.honesty,
      this.startedKeys,
    );
    return {
      name: id ?? 'anywhere',
      id,
      kinds,
      act: (effect) => server.through(`act ${effect.kind}`, () => this.act(effect, executor, server)),
    };
  }

  processBegan(agent: SimAgent): void {
    const key = `${agent.name} ${agent.life}`;
    if (this.processes.has(key)) return;
    this.processes.set(
      key,
      this.table.start((signal) => this.signalled(agent, signal)),
    );
  }

  registered(agent: SimAgent): void {
    this.lifeOf.set(`${agent.name} ${agent.incarnation}`, agent.life);
  }

  /** The newest process of the agent is gone; `life` has already moved on. */
  processEnded(agent: SimAgent): void {
    const identity = this.processes.get(`${agent.name} ${agent.life - 1}`);
    if (!identity) return;
    this.table.end(identity);
    if (!agent.random.chance(STRANGER_SHARE)) return;
    const stranger = this.table.start(() => this.audit?.killed(agent.name, this.port.now, false));
    this.port.after(agent.random.between(...STRANGER_MS), () => this.table.end(stranger));
  }

  private signalled(agent: SimAgent, signal: StopSignal): void {
    if (!agent.isRunning) return;
    this.audit?.killed(agent.name, this.port.now, true);
    const { life } = agent;
    const end = (): void => {
      if (agent.life === life) agent.die(null, signal);
    };
    if (signal === 'SIGKILL') end();
    else if (isResponsive(agent)) this.port.after(agent.random.between(20, 3_000), end);
  }

  /** Without an executor of its own an agent is told in a reply to its next request, and a notice waits until it is read. */
  private waitsFor(agent: SimAgent, { kind, executor }: Effect): string | null {
    if (executor !== null || kind === 'terminate' || kind === 'spawn') return null;
    if (kind === 'notify') return agent.random.chance(UNREAD_SHARE) ? 'not read yet' : null;
    return agent.isRunning && agent.canBeReached ? null : 'waits for its next request';
  }

  /** The server's own code for stopping a process tree, on simulated processes. */
  private async stop(
    agent: SimAgent,
    effect: Extract<Effect, { kind: 'terminate' }>,
    clock: Clock,
  ): Promise<boolean> {
    const life = this.lifeOf.get(`${agent.name} ${effect.incarnation}`);
    const identity = this.processes.get(`${agent.name} ${life}`);
    if (!identity) return true;
    const stopped = await stopTree({
      table: this.table,
      tree: new ProcessTree(this.table, identity, effect.id),
      clock,
      send: (pid, signal) => this.table.send(pid, signal),
      cleanupMs: effect.cleanupMs,
    });
    return stopped.kind !== 'still-there';
  }

  private async act(effect: Effect, executor: SimExecutor, server: Attachment): Promise<ActResult> {
    const agent = this.port.find(effect.agentId);
    const waitsFor = agent ? this.waitsFor(agent, effect) : null;
    if (waitsFor !== null) {
      const checkAgainAt = later(server.clock.now(), OFFER_AGAIN_MS);
      return { kind: 'underway', checkAgainAt, detail: waitsFor };
    }
    const execution: Execution = {
      effectId: effect.id,
      kind: effect.kind,
      agentId: effect.agentId,
      incarnation: effect.incarnation,
      by: server.id,
      from: this.port.now,
      to: Number.NaN,
      cursor: await this.port.lastCursor(),
    };
    this.audit?.begun(execution);
    if (!agent) return { kind: 'receipt', outcome: 'delivered', detail: 'about the fleet' };
    const receipt = await new Promise<Receipt | null>((resolve) => {
      server.clock.after(ANSWER_MS, () => resolve(null));
      executor.execute(agent, effect, (late) => {
        if (Number.isNaN(execution.to)) resolve(late);
        else if (!late.isLost) this.port.receive(effect, late);
      });
    });
    execution.to = this.port.now;
    if (receipt === null) return { kind: 'failed', detail: 'no answer in time' };
    const { outcome, detail, isLost, againAfterMs } = receipt;
    if (againAfterMs !== null) this.port.after(againAfterMs, () => this.port.receive(effect, receipt));
    return isLost ? { kind: 'failed', detail: 'the answer was lost' } : { kind: 'receipt', outcome, detail };
  }
}

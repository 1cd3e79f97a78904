import type { Effect, EffectKind } from '@holter/core';
import { type ActResult, AGENT_EFFECTS, type Executor } from '@holter/server';
import { type ProcessIdentity, ProcessTree, type StopSignal, stopTree } from '@holter/server/process';
import { SimProcessTable } from '../actors/sim-process-table.ts';
import { Act } from '../agents/agent-env.ts';
import { parameters } from '../agents/parameters.ts';
import { isResponsive } from '../agents/perform.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Execution } from '../audit/violation.ts';
import type { ServerProcess } from './server-process.ts';

/** Adapters lie: how often something else is true than what they say. */
const LIES = {
  nudgeNeverSeen: 0.1,
  nudgeUnknown: 0.03,
  /** Done, but the adapter says that it could not. */
  doneButFailed: 0.03,
  /** "Done", and the process lives on; only where it is looked at, or nobody could know better. */
  spared: 0.05,
  launchFails: 0.02,
} as const;

/** A pid that has become free is taken by somebody else at once. */
const STRANGER_SHARE = 0.5;
const STRANGER_MS = [60_000, 20 * 60_000] as const;

interface SimExecutorPort {
  readonly now: number;
  find(agentId: string): SimAgent | undefined;
  after(ms: number, callback: () => void): void;
  lastCursor(): Promise<number>;
  noticed(agent: SimAgent, effect: Effect): void;
}

/** Holter's executor in the simulated world: real code for killing, simulated processes to kill. */
export class SimExecutor {
  private readonly port: SimExecutorPort;
  private readonly audit: Auditor;
  private readonly machine = new SimProcessTable();
  /** By agent and life: the process, as its host wrote it down. */
  private readonly processes = new Map<string, ProcessIdentity>();
  private readonly lifeOf = new Map<string, number>();
  private readonly keys = new Set<string>();

  constructor(port: SimExecutorPort, audit: Auditor) {
    this.port = port;
    this.audit = audit;
  }

  hostFor(id: string | null, process: ServerProcess): Executor {
    return {
      name: id ?? 'anywhere',
      id,
      kinds: AGENT_EFFECTS,
      act: (effect) => process.through(`act ${effect.kind}`, () => this.act(effect, process)),
    };
  }

  people(process: ServerProcess): Executor {
    return {
      name: 'people',
      id: null,
      kinds: new Set<EffectKind>(['notify']),
      act: (effect) => process.through('act notify', () => this.act(effect, process)),
    };
  }

  /** The host sees a process come up. */
  processBegan(agent: SimAgent): void {
    const key = `${agent.name} ${agent.life}`;
    if (this.processes.has(key)) return;
    this.processes.set(
      key,
      this.machine.start((signal) => this.signalled(agent, signal)),
    );
  }

  /** This life speaks under that incarnation. */
  enrolled(agent: SimAgent): void {
    this.lifeOf.set(`${agent.name} ${agent.incarnation}`, agent.life);
  }

  /** The newest process of the agent is gone; `life` has already moved on. */
  processEnded(agent: SimAgent): void {
    const identity = this.processes.get(`${agent.name} ${agent.life - 1}`);
    if (!identity) return;
    this.machine.end(identity);
    if (!agent.random.chance(STRANGER_SHARE)) return;
    const stranger = this.machine.start(() => this.audit.killed(agent.name, this.port.now, false));
    this.port.after(agent.random.between(...STRANGER_MS), () => this.machine.end(stranger));
  }

  private signalled(agent: SimAgent, signal: StopSignal): void {
    if (!agent.isRunning) return;
    this.audit.killed(agent.name, this.port.now, true);
    const { life } = agent;
    const end = (): void => {
      if (agent.life === life) agent.die(null, signal);
    };
    if (signal === 'SIGKILL') end();
    else if (isResponsive(agent)) this.port.after(agent.random.between(20, 3_000), end);
  }

  private async act(effect: Effect, process: ServerProcess): Promise<ActResult> {
    const execution: Execution = {
      effectId: effect.id,
      kind: effect.kind,
      agentId: effect.agentId,
      by: process.id,
      from: this.port.now,
      to: Number.NaN,
      cursor: await this.port.lastCursor(),
    };
    this.audit.begun(execution);
    const agent = this.port.find(effect.agentId);
    const result = agent ? await this.actOn(agent, effect, process) : receipt('delivered', 'about the fleet');
    execution.to = this.port.now;
    return result;
  }

  private async actOn(agent: SimAgent, effect: Effect, process: ServerProcess): Promise<ActResult> {
    switch (effect.kind) {
      case 'nudge':
        return this.nudge(agent, effect);
      case 'inquire':
        if (isResponsive(agent) && agent.canBeReached)
          agent.plan(agent.random.between(500, 20_000), Act.pong);
        return receipt('delivered', 'asked');
      case 'request-handoff': {
        const { writeMinMs, writeMaxMs } = parameters.handoff;
        if (isResponsive(agent)) agent.plan(agent.random.between(writeMinMs, writeMaxMs), Act.handoff);
        return receipt('delivered', 'asked');
      }
      case 'notify':
        this.port.noticed(agent, effect);
        return receipt('delivered', 'read');
      case 'terminate':
        return this.terminate(agent, effect, process);
      case 'spawn':
        return this.spawn(agent, effect.key);
      default:
        return receipt('delivered', 'done');
    }
  }

  private nudge(agent: SimAgent, effect: Effect): ActResult {
    if (!agent.canBeReached || !agent.isRunning) return receipt('refused', 'it can not be reached');
    const { random } = agent;
    if (random.chance(LIES.nudgeUnknown)) return receipt('unknown', 'the answer was lost');
    const isDeaf =
      !isResponsive(agent) || (agent.activity === 'hung' && agent.behaviour.nudged === undefined);
    const { seenMinMs, seenMaxMs } = parameters.nudge;
    if (!isDeaf && !random.chance(LIES.nudgeNeverSeen))
      agent.plan(random.between(seenMinMs, seenMaxMs), Act.nudgeSeen, effect);
    return receipt('delivered', 'in its context');
  }

  private async terminate(
    agent: SimAgent,
    effect: Extract<Effect, { kind: 'terminate' }>,
    process: ServerProcess,
  ): Promise<ActResult> {
    const life = this.lifeOf.get(`${agent.name} ${effect.incarnation}`);
    const identity = this.processes.get(`${agent.name} ${life}`);
    if (!identity) return receipt('done', 'it is gone');
    if (agent.profile.promises.process === true && agent.random.chance(LIES.spared))
      return receipt('done', 'a wrapper of it is gone');
    const stopped = await stopTree({
      table: this.machine,
      tree: new ProcessTree(this.machine, identity, effect.id),
      clock: process.clock,
      send: (pid, signal) => this.machine.send(pid, signal),
      cleanupMs: effect.cleanupMs,
    });
    if (stopped.kind === 'still-there') return { kind: 'failed', detail: 'it would not go' };
    if (agent.random.chance(LIES.doneButFailed)) return { kind: 'failed', detail: 'the answer was lost' };
    return receipt('done', 'its process is gone');
  }

  private spawn(agent: SimAgent, key: string): ActResult {
    if (this.keys.has(key)) return receipt('done', 'started before');
    if (agent.isRunning) return receipt('refused', 'it runs already');
    if (agent.random.chance(LIES.launchFails)) return receipt('refused', 'the image can not be pulled');
    this.keys.add(key);
    agent.boot(key, agent.behaviour.bootMs?.(agent));
    if (agent.random.chance(LIES.doneButFailed)) return { kind: 'failed', detail: 'the answer was lost' };
    return receipt('done', 'started');
  }
}

const receipt = (outcome: 'delivered' | 'done' | 'refused' | 'unknown', detail: string): ActResult => ({
  kind: 'receipt',
  outcome,
  detail,
});

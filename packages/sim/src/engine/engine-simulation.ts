import { instant, type Signal } from '@holter/core';
import { type MemorySnapshot, openMemory } from '@holter/server';
import { BEHAVIOURS, drawBehaviour } from '../agents/mix.ts';
import { type Partition, passesToAgent } from '../agents/partition.ts';
import { SimAgent } from '../agents/sim-agent.ts';
import { auditedProfile } from '../audit/audit-witness.ts';
import { type AuditedProfile, Auditor } from '../audit/auditor.ts';
import type { InvariantNumber, Violation } from '../audit/violation.ts';
import { Random } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { drawEngineFaults, ENGINE_FAULTS, type EngineFault, type EngineFaultKind } from './engine-faults.ts';
import { EngineWorld } from './engine-world.ts';
import { FaultyStore } from './faulty-store.ts';
import { ServerPool } from './server-pool.ts';
import { StoreInspector } from './store-inspector.ts';
import { StreamReader } from './stream-reader.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = instant(1_000_000_000);
/** The last part is free of faults: by its end every agent must have reached its true state. */
const HEALING_MS = 2.5 * HOUR;
const GROUP_SIZE = 6;
const TWIN_EVERY = 3;
/** Violations that are kept; more of them would only say the same. */
const KEPT_MAX = 20;
const STREAMS = 2_000_000;
/** Of reports that are followed; agents have blockers of their own. */
const REPORT = 'report-';
/** Behaviours that need what only the other world has: a second process that wants the name, breakers. */
const ELSEWHERE: ReadonlySet<string> = new Set(['two-with-one-name', 'breaker-caller']);

export type EngineScenario = {
  readonly seed: number;
  readonly agents: number;
  readonly hours: number;
  readonly faults: readonly EngineFaultKind[];
};

export type EngineRun = {
  readonly scenario: EngineScenario;
  readonly agentHours: number;
  readonly violations: readonly Violation[];
  /** How often each fault struck, each type of event was written, and servers died where. */
  readonly struck: ReadonlyMap<string, number>;
  readonly seen: ReadonlyMap<string, number>;
  readonly deaths: readonly string[];
  readonly events: number;
  readonly reports: number;
  readonly wrongTerminations: number;
};

export const defaultEngineScenario: EngineScenario = { seed: 1, agents: 18, hours: 6, faults: ENGINE_FAULTS };

/** One fleet around the real engine on a store in memory, for some hours of virtual time, with all faults of its seed. */
class EngineSimulation {
  readonly scenario: EngineScenario;
  readonly world: EngineWorld;
  readonly audit: Auditor;
  readonly servers: ServerPool;
  private readonly clock = new VirtualClock(
    START,
    () => new Promise((resolve) => void setImmediate(resolve)),
  );
  private readonly store = openMemory();
  private readonly faultyStore: FaultyStore;
  private readonly log: StoreInspector;
  private readonly reader = new StreamReader();
  private readonly random: Random;
  private readonly struck = new Map<string, number>();
  private readonly groups: number;
  private readonly violations: Violation[] = [];
  private reportCount = 0;

  constructor(scenario: EngineScenario) {
    this.scenario = scenario;
    const { seed } = scenario;
    this.random = new Random(seed, STREAMS);
    this.groups = Math.ceil(scenario.agents / GROUP_SIZE);
    this.faultyStore = new FaultyStore(new Random(seed, STREAMS + 1), this.clock);
    const profileOf = (agentId: string): AuditedProfile | undefined => {
      const agent = this.world.agents.get(agentId);
      return agent && auditedProfile(agent);
    };
    this.audit = new Auditor(this.report.bind(this), { profileOf, isExact: false, isStored: true });
    const worldRandom = new Random(seed, STREAMS + 2);
    this.world = new EngineWorld({
      clock: this.clock,
      random: worldRandom,
      store: this.store,
      lastCursor: () => this.store.lastCursor(),
      sha256: (text) => text,
      honesty: 'lying',
      audit: this.audit,
      pickServer: () => this.servers.pick(worldRandom),
      acknowledged: (signal) => this.acknowledged(signal),
    });
    this.log = new StoreInspector(this.store, this.clock, this.audit);
    this.servers = new ServerPool({
      clock: this.clock,
      store: this.store,
      faultyStore: this.faultyStore,
      host: this.world.host,
      audit: this.audit,
      random: this.random,
      isShared: this.isShared,
      hosts: Array.from({ length: this.groups }, (_, index) => `host-${groupName(index)}`),
    });
  }

  /** Every other fleet is watched by servers that share their store; there may be two at a time. */
  private get isShared(): boolean {
    return this.scenario.seed % 2 === 0;
  }

  async run(): Promise<EngineRun> {
    const { scenario, audit, servers } = this;
    servers.want(1);
    await this.clock.advance(1_000);
    for (let slot = 0; slot < scenario.agents; slot++) this.addAgent(slot);
    const span = { from: START + 10 * MINUTE, to: START + scenario.hours * HOUR - HEALING_MS };
    const faults = drawEngineFaults(
      scenario.faults,
      span,
      this.groups,
      (stream) => new Random(scenario.seed, STREAMS + 10 + stream),
    );
    for (const fault of faults)
      if (this.concerns(fault)) this.clock.after(fault.at - this.clock.now(), () => this.strike(fault));
    const end = START + scenario.hours * HOUR;
    for (let second = 0; this.clock.now() < end; second++) {
      await this.clock.advance(1_000);
      await this.log.read();
      if (second % 5 === 0) this.sendReport();
      if (second % 30 === 0) await this.lookAfter();
    }
    audit.finish(this.clock.now());
    await this.log.lookAtEffects();
    await this.log.finish(this.reader.cursors);
    return {
      scenario,
      agentHours: scenario.agents * scenario.hours,
      violations: this.violations,
      struck: new Map([...this.struck, ...this.faultyStore.struck]),
      seen: audit.seen,
      deaths: servers.deaths,
      events: this.log.count,
      reports: audit.records.reports,
      wrongTerminations: audit.executions.wrongTerminations,
    };
  }

  private report(invariant: InvariantNumber, agentId: string, at: number, what: string): void {
    if (this.violations.length < KEPT_MAX) this.violations.push({ invariant, agentId, at, what });
  }

  /** A report that can be followed: once acknowledged, it must be on record exactly once. */
  private sendReport(): void {
    const agent = this.random.pick([...this.world.agents.values()]);
    if (!agent.isRunning || agent.incarnation === 0 || !agent.isReachable) return;
    this.reportCount += 1;
    const id = `${REPORT}${this.reportCount}`;
    this.world.send(agent, { kind: 'blocker', text: id }, id);
  }

  private acknowledged(signal: Signal): void {
    if (signal.kind === 'blocker' && signal.text.startsWith(REPORT))
      this.audit.records.heard(signal.text, signal.agentId, this.clock.now());
  }

  private async lookAfter(): Promise<void> {
    const { servers, reader, audit } = this;
    audit.look(this.clock.now());
    await this.log.lookAtSoft();
    await this.log.lookAtEffects();
    const [server] = servers.listening;
    if (!reader.isConnected && server) reader.connect(server, this.faultyStore.storeOf(this.store, server));
    if (this.random.chance(0.02) && server && !servers.isStoreWrong) await this.log.prune(server.clock.now());
  }

  private addAgent(slot: number): void {
    // Some are twins: the same life at the same moments, so that their deadlines fall together.
    const like = slot % TWIN_EVERY === TWIN_EVERY - 1 ? slot - 1 : slot;
    const random = new Random(this.scenario.seed, like);
    const allowed = BEHAVIOURS.filter(({ name }) => !ELSEWHERE.has(name));
    // Half of them as in life, half of them one after the other, so that small fleets hold all kinds.
    const drawn = drawBehaviour(random.unit());
    const turn = allowed[(like + this.scenario.seed) % allowed.length] ?? drawn;
    const behaviour = like % 2 === 0 || ELSEWHERE.has(drawn.name) ? turn : drawn;
    const agent = new SimAgent(
      slot,
      groupName(Math.floor(slot / GROUP_SIZE)),
      random.pick(behaviour.profiles),
      behaviour,
      random,
      this.world,
    );
    agent.haste = 4;
    // All at once, as one script starts them.
    this.world.add(agent, 2_000);
  }

  /**
   * A rival needs a store that may be shared. What servers that share one know of each other's stalls is a matter of
   * that store's own clock, which a store in memory has not.
   */
  private concerns({ kind }: EngineFault): boolean {
    return this.isShared ? kind !== 'suspend' : kind !== 'rival';
  }

  private strike(fault: EngineFault): void {
    this.struck.set(fault.kind, (this.struck.get(fault.kind) ?? 0) + 1);
    const { servers, clock, faultyStore } = this;
    switch (fault.kind) {
      case 'crash':
        return servers.crash(fault.awaits, fault.moment, fault.downMs);
      case 'suspend':
        return servers.suspend(fault.forMs);
      case 'rival':
        return this.rival(fault.forMs);
      case 'store':
        faultyStore.fault = fault.fault;
        servers.lookAround();
        clock.after(fault.forMs, () => {
          faultyStore.fault = null;
          servers.lookAround();
        });
        return;
      case 'snapshot':
        return void this.comeBackOld(fault.ageMs, fault.forMs);
      case 'partition':
        return this.cutOff(groupName(fault.group), fault.partition, fault.forMs);
      case 'power':
        return this.powerOff(groupName(fault.group));
    }
  }

  /** A second server beside the first, as while one is being replaced. */
  private rival(forMs: number): void {
    this.servers.want(2);
    this.clock.after(forMs, () => {
      this.servers.want(1);
      const [oldest, ...others] = this.servers.listening;
      if (oldest && others.length > 0) this.servers.kill(oldest);
    });
  }

  /** Somebody puts a backup in place under the running server, notices, puts the newest data back and restarts. */
  private async comeBackOld(ageMs: number, forMs: number): Promise<void> {
    const old = this.store.snapshot();
    const cursor = await this.store.lastCursor();
    this.clock.after(ageMs, () => void this.replaceStore(old, cursor, forMs));
  }

  private async replaceStore(old: MemorySnapshot, cursor: number, forMs: number): Promise<void> {
    const { servers, store, log, clock, audit } = this;
    // Of a server that slept all the while a backup is no older than what it was made from.
    if ((await store.lastCursor()) === cursor) return;
    // A server that starts right now would rightly accept the older copy.
    if (servers.isStarting) return void clock.after(5_000, () => void this.replaceStore(old, cursor, forMs));
    if (servers.isStoreWrong) return;
    const newest = store.snapshot();
    servers.isStoreWrong = true;
    servers.lookAround();
    const replacedAt = clock.now();
    store.restore(old);
    log.pause();
    clock.after(forMs, () => {
      for (const process of servers.listening) servers.kill(process);
      store.restore(newest);
      audit.authority.lostSince(replacedAt);
      log.goOn();
      servers.isStoreWrong = false;
      servers.want(1);
    });
  }

  private cutOff(group: string, partition: Partition, forMs: number): void {
    this.setPartition(group, partition);
    this.clock.after(forMs, () => this.setPartition(group, 'none'));
  }

  private setPartition(group: string, partition: Partition): void {
    const members = this.membersOf(group);
    for (const agent of members) {
      agent.groupPartition = partition;
      this.world.truthChanged(agent);
    }
    // An executor that can't be told anything is not attached.
    if (passesToAgent(partition)) this.servers.reach(`host-${group}`);
    else this.servers.cutOff(`host-${group}`);
  }

  private powerOff(group: string): void {
    for (const agent of this.membersOf(group)) if (agent.profile.isLocal) agent.die(null, 'SIGKILL');
  }

  private membersOf(group: string): readonly SimAgent[] {
    return [...this.world.agents.values()].filter((agent) => agent.group === group);
  }
}

const groupName = (index: number): string => `g${index}`;

export const runEngineSeed = (scenario: EngineScenario): Promise<EngineRun> =>
  new EngineSimulation(scenario).run();

/** The line to paste that runs this fleet again. */
export const engineReplayLine = ({ seed, agents, hours }: EngineScenario): string =>
  `npm run sim -- --engine --seed ${seed} --agents ${agents} --hours ${hours}`;

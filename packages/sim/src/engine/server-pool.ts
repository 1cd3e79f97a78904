import type { EffectKind } from '@holter/core';
import {
  AGENT_EFFECTS,
  type Clock,
  continuedClock,
  Engine,
  type MemoryStore,
  type Store,
} from '@holter/server';
import type { Auditor } from '../audit/auditor.ts';
import { simPolicies } from '../base/policies.ts';
import type { Random } from '../base/random.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';
import type { FaultyStore } from './faulty-store.ts';
import { ServerProcess } from './server-process.ts';
import type { SimHost } from './sim-host.ts';

const HOUR = 3_600_000;
/** So small that the work of a tick often takes several slices. */
const SLICE = 2;
/** So few that plain beats often find only the outline of their agent. */
const RECORDS = 4;
const PEOPLE_EFFECTS: ReadonlySet<EffectKind> = new Set(['notify']);

type ServerPoolOptions = {
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly faultyStore: FaultyStore;
  readonly host: SimHost;
  readonly audit: Auditor;
  readonly random: Random;
  /** Several servers may share the store: none may take what another has claimed. */
  readonly isShared: boolean;
  readonly hosts: readonly string[];
};

/** The server processes of Holter, and the supervisor that restarts them. */
export class ServerPool {
  private readonly options: ServerPoolOptions;
  private processes: ServerProcess[] = [];
  private wanted = 0;
  isStarting = false;
  private downMs = 1_000;
  private count = 0;
  private correlations = 0;
  /** Hosts that can't be reached: their executors are not attached. */
  private readonly unreachable = new Set<string>();
  private readonly detach = new Map<string, (() => void)[]>();
  /** Also of those that are still starting. */
  private readonly engines = new Map<ServerProcess, Engine>();
  /** Set while the store holds an older copy: a server that notices may not write or act. */
  isStoreWrong = false;
  readonly deaths: string[] = [];

  constructor(options: ServerPoolOptions) {
    this.options = options;
  }

  /** Those that take requests. */
  get listening(): readonly ServerProcess[] {
    return this.processes.filter(({ engine }) => engine !== null);
  }

  pick(random: Random): ServerProcess | undefined {
    const { listening } = this;
    return listening.length === 0 ? undefined : random.pick(listening);
  }

  /** So many servers from now on: started one by one where some are missing. */
  want(count: number): void {
    this.wanted = count;
    this.keepUp();
  }

  private keepUp(): void {
    // A start would accept an older copy of the store: so none is started while one is in place.
    if (this.isStarting || this.isStoreWrong || this.processes.length >= this.wanted) return;
    this.isStarting = true;
    void this.boot().finally(() => {
      this.isStarting = false;
      const { clock, random } = this.options;
      clock.after(random.between(1_000, 5_000), () => this.keepUp());
    });
  }

  /**
   * A start; the wall clock that it reads may be wrong by up to an hour, either way. Servers that share a store
   * go by its clock, so theirs agree.
   */
  private async boot(): Promise<void> {
    const { clock, store, faultyStore, random, isShared } = this.options;
    const skewMs = isShared || random.chance(0.7) ? 0 : random.between(-HOUR, HOUR);
    const rate = isShared ? 1 : random.between(0.99, 1.01);
    const process = new ServerProcess(++this.count, clock, { skewMs, rate }, (where) =>
      this.died(process, where),
    );
    this.processes.push(process);
    const view = faultyStore.storeOf(store, process);
    const start = async (): Promise<void> => {
      const engine = this.assemble(process, view, await continuedClock(view, process.clock));
      await engine.start();
      if (!process.isDead) process.engine = engine;
    };
    const started = start().catch(() => process.die('at its start: the store was away'));
    await Promise.race([started, process.death]);
    this.lookAround();
  }

  private assemble(process: ServerProcess, store: Store, clock: Clock): Engine {
    const { host, hosts, isShared } = this.options;
    const engine = new Engine({
      store,
      clock,
      policies: simPolicies,
      executors: [
        host.executorFor(null, PEOPLE_EFFECTS, process),
        host.executorFor(null, AGENT_EFFECTS, process),
      ],
      sha256: (text) => text,
      newId: () => `c${++this.correlations}`,
      newSecret: () => `k${++this.correlations}`,
      isAlone: !isShared,
      sliceMax: SLICE,
      cellsMax: RECORDS,
      onBug: (error) => this.bug(process, error),
    });
    for (const name of hosts) if (!this.unreachable.has(name)) this.attach(process, engine, name);
    this.engines.set(process, engine);
    return engine;
  }

  /** The oldest process dies at its nth await from now or at a moment, and is started again after a while. */
  crash(awaits: number, moment: string | null, downMs: number): void {
    const [process] = this.processes;
    if (!process) return;
    process.dieSoon(awaits, moment);
    this.downMs = downMs;
  }

  /** The order from outside: this one ends now. */
  kill(process: ServerProcess): void {
    process.die('on request');
  }

  suspend(forMs: number): void {
    const [process] = this.processes;
    process?.suspend(forMs);
    this.lookAround();
    this.options.clock.after(forMs + 1, () => this.lookAround());
  }

  cutOff(host: string): void {
    this.unreachable.add(host);
    for (const stop of this.detach.get(host) ?? []) stop();
    this.detach.delete(host);
  }

  reach(host: string): void {
    if (!this.unreachable.delete(host)) return;
    for (const [process, engine] of this.engines) this.attach(process, engine, host);
  }

  /** Records the times in which no server looks and is able to write. */
  lookAround(): void {
    const { clock, faultyStore, audit } = this.options;
    const isCalm = faultyStore.fault === null || faultyStore.fault === 'contended';
    const isWatched = isCalm && !this.isStoreWrong && this.listening.some(({ isSuspended }) => !isSuspended);
    audit.truth.watched(isWatched, clock.now());
  }

  private attach(process: ServerProcess, engine: Engine, host: string): void {
    const stop = engine.addExecutor(this.options.host.executorFor(host, AGENT_EFFECTS, process));
    this.detach.set(host, [...(this.detach.get(host) ?? []), stop]);
  }

  private died(process: ServerProcess, where: string): void {
    this.deaths.push(where);
    this.processes = this.processes.filter((other) => other !== process);
    this.engines.delete(process);
    this.options.clock.after(this.downMs, () => this.keepUp());
    this.options.audit.serverDied(process.id, this.options.clock.now());
    this.lookAround();
  }

  private bug(process: ServerProcess, error: unknown): void {
    const { audit, clock } = this.options;
    const message = error instanceof Error ? error.message : String(error);
    audit.report(0, `server ${process.id}`, clock.now(), `a bug: ${message}`);
  }
}

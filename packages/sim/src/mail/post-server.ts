import {
  Engine,
  Intake,
  type MemoryStore,
  PostOffice,
  ReplyQueue,
  type Store,
  startPinger,
} from '@holter/server';
import { simPolicies } from '../base/policies.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';
import { ServerProcess } from '../engine/server-process.ts';

export const OWN_NAME = 'ecos-chief-of-staff';
export const OPERATOR = { role: 'operator', agentId: null, incarnation: null } as const;

type PostServerOptions = {
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly newId: () => string;
  readonly bug: (error: unknown) => void;
  readonly died: () => void;
};

/** One process of Holter with its post office. It can be killed at any await; what it has stored is all that stays. */
export class PostServer {
  readonly engine: Engine;
  readonly office: PostOffice;
  private readonly intake: Intake;
  private readonly process: ServerProcess;
  private readonly store: Store;
  private readonly bug: (error: unknown) => void;

  constructor({ clock: world, store, newId, bug, died }: PostServerOptions) {
    this.process = new ServerProcess(1, world, { skewMs: 0, rate: 1 }, died);
    this.bug = bug;
    const { clock } = this.process;
    this.store = this.mortal(store);
    const sha256 = (text: string): string => text;
    const replies = new ReplyQueue(clock, (effect, outcome, detail) =>
      this.engine.receive(effect, outcome, detail),
    );
    this.engine = new Engine({
      store: this.store,
      clock,
      policies: simPolicies,
      executors: [replies],
      sha256,
      newId,
      newSecret: newId,
      isAlone: true,
      onBug: bug,
    });
    replies.follow(this.engine);
    this.intake = new Intake({ engine: this.engine, replies, store: this.store, clock });
    this.office = new PostOffice({
      engine: this.engine,
      intake: this.intake,
      replies,
      store: this.store,
      clock,
      sha256,
      newId,
      name: () => OWN_NAME,
    });
  }

  get isDead(): boolean {
    return this.process.isDead;
  }

  async start(): Promise<void> {
    await this.engine.start();
    const { engine, office, store, bug } = this;
    startPinger({ engine, store, office, clock: this.process.clock, failed: bug });
  }

  async assign(agentId: string, taskId: string, expectedAt: number): Promise<void> {
    const incarnation = (await this.engine.read(agentId))?.hard.incarnation;
    const signal = { kind: 'task-assigned', taskId, expectedAt, incarnation };
    const taken = await this.intake.take(signal, OPERATOR, { agentId });
    if (taken.kind === 'refused') throw new Error(taken.message);
  }

  /** It dies at its nth await from now. */
  dieIn(awaits: number): void {
    this.process.dieSoon(awaits, null);
  }

  private mortal(store: MemoryStore): Store {
    return new Proxy<Store>(store, {
      get: (target, name) => {
        const method = target[name as keyof Store] as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => this.process.through(String(name), () => method.apply(target, args));
      },
    });
  }
}

import { type Store, StoreUnavailable } from '@holter/server';
import type { Random } from '../base/random.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';
import type { ServerProcess } from './server-process.ts';

/**
 * `failing` refuses most operations; `hanging` answers late, or gives up late; `forgetful` does what it was
 * asked and loses the connection before it can say so; `contended` reports conflicts that are none.
 */
export const STORE_FAULTS = ['failing', 'hanging', 'forgetful', 'contended'] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];

/** The chance of a fault per operation: in normal operation, and while a fault is set. */
const ODDS = { calm: 0.0004, fault: 0.5 } as const;
const SLOW_SHARE = 0.05;
const SLOW_MEAN_MS = 15;
const HANGS_MS = [1_000, 45_000] as const;

/** What a database does to its callers. It keeps what it said that it keeps; all else may happen. */
export class FaultyStore {
  fault: StoreFault | null = null;
  readonly struck = new Map<StoreFault, number>();
  private readonly random: Random;
  private readonly clock: VirtualClock;

  constructor(random: Random, clock: VirtualClock) {
    this.random = random;
    this.clock = clock;
  }

  /** The store as one process sees it, through this weather. */
  storeOf(store: Store, process: ServerProcess): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const operation = String(name);
        const method = target[name as keyof Store] as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) =>
          process.through(operation, () => this.around(operation, args, () => method.apply(target, args)));
      },
    });
  }

  private async around(
    operation: string,
    args: readonly unknown[],
    perform: () => Promise<unknown>,
  ): Promise<unknown> {
    if (this.random.chance(SLOW_SHARE)) await this.wait(this.random.exponential(SLOW_MEAN_MS));
    switch (this.draw()) {
      case 'failing':
        throw new StoreUnavailable('unknown', `${operation}: the connection was refused`);
      case 'hanging':
        await this.wait(this.random.between(...HANGS_MS));
        if (this.random.chance(0.5)) throw new StoreUnavailable('unknown', `${operation}: timed out`);
        break;
      case 'forgetful':
        await perform();
        throw new StoreUnavailable('unknown', `${operation}: the connection was lost`);
      case 'contended':
        if (operation === 'commit')
          return (args[0] as readonly unknown[]).map(() => ({ kind: 'conflict', what: 'agent' }));
        break;
      default:
        break;
    }
    const answer = await perform();
    if (this.random.chance(SLOW_SHARE)) await this.wait(this.random.exponential(SLOW_MEAN_MS));
    return answer;
  }

  private draw(): StoreFault | null {
    if (this.fault !== null) return this.random.chance(ODDS.fault) ? this.strike(this.fault) : null;
    return this.random.chance(ODDS.calm) ? this.strike(this.random.pick(STORE_FAULTS)) : null;
  }

  private strike(fault: StoreFault): StoreFault {
    this.struck.set(fault, (this.struck.get(fault) ?? 0) + 1);
    return fault;
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.after(ms, resolve));
  }
}

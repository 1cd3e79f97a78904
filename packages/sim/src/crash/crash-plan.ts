import type { Store } from '@holter/server';

const macrotask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const forever = (): Promise<never> => new Promise(() => undefined);

export type CrashChoice = {
  /** Whether to crash at this moment; they count from 1. */
  readonly isCrash?: (moment: number) => boolean;
  /** Whether the awaits of this call count; all do by default. */
  readonly isCounted?: (name: string) => boolean;
};

/**
 * Kills Holter at chosen awaits. Every call that leaves the process has two such moments: before it was
 * carried out, and after it was, with the answer lost. From then on nothing of that process happens any
 * more: its calls never return, as those of a killed process.
 */
export class CrashPlan {
  private readonly choice: CrashChoice;
  private readonly onCrash: (where: string) => void;
  private moments = 0;
  private underWay = 0;
  /** Called when no call is under way. */
  private readonly waiting: (() => void)[] = [];
  private generation = 0;

  constructor(choice: CrashChoice, onCrash: (where: string) => void) {
    this.choice = choice;
    this.onCrash = onCrash;
  }

  /** How many moments there were: a run without a crash tells how many crashes there are to try. */
  get count(): number {
    return this.moments;
  }

  /** Until every call that left the process has come back, and what it led to has gone out. */
  async quiet(): Promise<void> {
    for (let calm = 0; calm < 2; calm = this.underWay === 0 ? calm + 1 : 0) {
      if (this.underWay > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
      await macrotask();
    }
  }

  /** The next process; what the one before still has under way belongs to the dead. */
  nextGeneration(): number {
    this.generation += 1;
    return this.generation;
  }

  /** A call that is never crashed, but that `quiet` waits for. */
  async follow<T>(call: Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await call;
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) for (const resolve of this.waiting.splice(0)) resolve();
    }
  }

  async through<T>(generation: number, name: string, call: () => Promise<T>): Promise<T> {
    if (this.isDead(generation) || this.isMoment('before', name)) return forever();
    const answer = await this.follow(call());
    if (this.isDead(generation) || this.isMoment('after', name)) return forever();
    return answer;
  }

  private isDead(generation: number): boolean {
    return generation !== this.generation;
  }

  private isMoment(when: 'before' | 'after', name: string): boolean {
    const { isCounted, isCrash } = this.choice;
    if (isCounted?.(name) === false) return false;
    this.moments += 1;
    if (!isCrash?.(this.moments)) return false;
    this.generation += 1;
    this.onCrash(`${this.moments} (${when} ${name})`);
    return true;
  }
}

/** The store as one process sees it. */
export function storeOf(store: Store, plan: CrashPlan, generation: number): Store {
  return new Proxy(store, {
    get(target, name) {
      const method = target[name as keyof Store] as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]) => plan.through(generation, String(name), () => method.apply(target, args));
    },
  });
}

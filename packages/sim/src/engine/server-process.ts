import { type Instant, instant } from '@holter/core';
import type { Clock, Engine } from '@holter/server';
import type { VirtualClock } from '../base/virtual-clock.ts';
import { type Door, engineDoor } from './door.ts';

const forever = (): Promise<never> => new Promise(() => undefined);

/** So many awaits, half an hour or so, one that is to die at a rare moment waits for it; then any moment will do. */
const PATIENCE = 20_000;

/**
 * One process of Holter around a real engine: it can be suspended, and killed at any await. A dead one hangs
 * in whatever it was doing; a suspended one continues where it stopped, and does not know how long it was
 * suspended.
 */
export class ServerProcess {
  readonly id: number;
  readonly clock: ProcessClock;
  engine: Engine | null = null;
  isDead = false;
  /** Settles when it dies. */
  readonly death: Promise<void>;
  private announceDeath: () => void = () => undefined;
  private readonly world: VirtualClock;
  private resumed: Promise<void> | null = null;
  private resume: () => void = () => undefined;
  /** It dies at this await from now, or at this moment; NaN and null when no crash is planned. */
  private diesIn = Number.NaN;
  private diesAt: string | null = null;
  private readonly onDeath: (where: string) => void;

  constructor(
    id: number,
    world: VirtualClock,
    time: { readonly skewMs: number; readonly rate: number },
    onDeath: (where: string) => void,
  ) {
    this.id = id;
    this.world = world;
    this.onDeath = onDeath;
    this.death = new Promise((resolve) => {
      this.announceDeath = resolve;
    });
    this.clock = new ProcessClock(this, world, time);
  }

  get door(): Door | null {
    return this.engine && engineDoor(this.engine);
  }

  get isSuspended(): boolean {
    return this.resumed !== null;
  }

  /** A crash that already waits for its moment is kept. */
  dieSoon(awaits: number, moment: string | null): void {
    if (this.diesAt !== null) return;
    this.diesAt = moment;
    this.diesIn = moment === null ? awaits : PATIENCE;
  }

  suspend(forMs: number): void {
    if (this.resumed !== null || this.isDead) return;
    this.resumed = new Promise((resolve) => {
      this.resume = resolve;
    });
    this.world.after(forMs, () => {
      this.resumed = null;
      this.resume();
    });
  }

  /** Waits while it is suspended; never returns once it is dead. */
  async pass(): Promise<void> {
    while (this.resumed !== null) await this.resumed;
    if (this.isDead) await forever();
  }

  /** Something that leaves the process: before it and after it is a moment to die in. */
  async through<T>(where: string, call: () => Promise<T>): Promise<T> {
    await this.pass();
    if (this.maybeDie(`before ${where}`)) return forever();
    const answer = await call();
    await this.pass();
    if (this.maybeDie(`after ${where}`)) return forever();
    return answer;
  }

  die(where: string): void {
    if (this.isDead) return;
    this.isDead = true;
    this.engine = null;
    this.announceDeath();
    this.onDeath(where);
  }

  private maybeDie(where: string): boolean {
    if (Number.isNaN(this.diesIn)) return false;
    this.diesIn -= 1;
    if (this.diesIn > 0 && where !== this.diesAt) return false;
    this.die(where);
    return true;
  }
}

/**
 * A process reads the wall clock once, when it starts, and counts from there: so its time is off by what the
 * wall clock was off then, and runs a little fast or slow, but never back.
 */
class ProcessClock implements Clock {
  private readonly process: ServerProcess;
  private readonly world: VirtualClock;
  private readonly bornAt: number;
  private readonly rate: number;
  private offset: number;

  constructor(
    process: ServerProcess,
    world: VirtualClock,
    { skewMs, rate }: { readonly skewMs: number; readonly rate: number },
  ) {
    this.process = process;
    this.world = world;
    this.bornAt = world.now();
    this.rate = rate;
    this.offset = this.bornAt + skewMs;
  }

  now(): Instant {
    return instant(Math.floor(this.offset + (this.world.now() - this.bornAt) * this.rate));
  }

  after(ms: number, callback: () => void): () => void {
    return this.world.after(ms / this.rate, () => {
      if (!this.process.isSuspended) {
        if (!this.process.isDead) callback();
        return;
      }
      void this.process.pass().then(callback);
    });
  }
}

import { instant, type LinkLook } from '@holter/core';
import type { Random } from '../base/random.ts';
import { type Machine, SECOND, type TrueProcess } from './truth.ts';

const CPU_SHARE = 0.002;
const CPU_SHARE_BUSY = 0.8;

/** The Holter server as it really is, and as the daemon sees it. */
export class TrueServer {
  process: TrueProcess | null = null;
  /** A person has stopped it. */
  isStoppedOnPurpose = false;
  /** So many more starts crash soon. */
  crashesLeft = 0;
  private readonly machine: Machine;
  private readonly random: Random;
  private known: string | null = null;
  private tick = 0;
  private crashAt = Number.POSITIVE_INFINITY;

  constructor(machine: Machine, random: Random) {
    this.machine = machine;
    this.random = random;
    this.start();
  }

  start(): void {
    this.process = this.machine.start('server');
    this.isStoppedOnPurpose = false;
    this.tick = this.machine.wall;
    this.crashAt = Number.POSITIVE_INFINITY;
    if (this.crashesLeft === 0) return;
    this.crashesLeft -= 1;
    this.crashAt = this.machine.now + this.random.between(1, 40) * SECOND;
  }

  /** Whether requests are answered. */
  get isUp(): boolean {
    return this.process?.condition === 'well';
  }

  step(ms: number): void {
    const { process, machine } = this;
    if (!process) return;
    if (machine.now >= this.crashAt) {
      this.process = null;
      return;
    }
    if (machine.now >= process.healsAt) process.become('well');
    if (process.condition === 'slow' || process.condition === 'spinning')
      process.cpuMs += ms * CPU_SHARE_BUSY;
    if (process.condition !== 'well') return;
    process.cpuMs += ms * CPU_SHARE;
    this.tick = machine.wall;
  }

  look(): LinkLook {
    const { process, machine } = this;
    const at = instant(machine.wall);
    if (!process) {
      const state = this.isStoppedOnPurpose ? 'ended' : 'gone';
      return { at, process: this.known, state, cpuMs: null, tick: null };
    }
    this.known = process.incarnation;
    return {
      at,
      process: process.incarnation,
      state: process.condition === 'stopped' ? 'stopped' : 'running',
      cpuMs: Math.floor(process.cpuMs / 10) * 10,
      tick: this.isUp ? this.tick : null,
    };
  }
}

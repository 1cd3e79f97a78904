import { type EndOrder, instant, type LinkLook, type MemberLink } from '@holter/core';
import type { Random } from '../base/random.ts';
import { type Machine, SECOND, type TrueProcess } from './truth.ts';

/** A witness or another agent of the town as it really is: a session, and a process in it. */
export class TrueMember {
  process: TrueProcess | null = null;
  crashesLeft = 0;
  /** Why the run that was there last has ended, as the server knows it; null for a crash. */
  private end: 'meant' | EndOrder | null = null;
  readonly name: MemberLink;
  private readonly machine: Machine;
  private readonly random: Random;
  private known: string | null = null;
  private crashAt = Number.POSITIVE_INFINITY;

  constructor(name: MemberLink, machine: Machine, random: Random) {
    this.name = name;
    this.machine = machine;
    this.random = random;
  }

  start(): void {
    this.process = this.machine.start(this.name);
    this.end = null;
    this.crashAt = Number.POSITIVE_INFINITY;
    if (this.crashesLeft === 0) return;
    this.crashesLeft -= 1;
    this.crashAt = this.machine.now + this.random.between(1, 40) * SECOND;
  }

  /** By itself, or because a person has ordered it through the server. */
  stop(end: 'meant' | EndOrder): void {
    this.process = null;
    this.end = end;
  }

  step(): void {
    if (this.machine.now >= this.crashAt) this.process = null;
  }

  look(): LinkLook {
    const { process, machine } = this;
    const at = instant(machine.wall);
    const unseen = { at, cpuMs: null, tick: null } as const;
    if (machine.isTmuxHung) return { ...unseen, process: this.known, state: 'unknown' };
    if (!process) {
      const { end } = this;
      const more = end !== null && end !== 'meant' ? { order: end } : {};
      return { ...unseen, process: this.known, state: end === null ? 'gone' : 'ended', ...more };
    }
    this.known = process.incarnation;
    return { ...unseen, process: process.incarnation, state: 'running' };
  }
}

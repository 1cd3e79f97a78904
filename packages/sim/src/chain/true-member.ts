import { instant, type LinkLook, type MemberLink } from '@holter/core';
import type { Random } from '../base/random.ts';
import { type Machine, SECOND, type TrueProcess } from './truth.ts';

/** A witness or another agent of the town as it really is: a session, and a process in it. */
export class TrueMember {
  process: TrueProcess | null = null;
  crashesLeft = 0;
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
    this.crashAt = Number.POSITIVE_INFINITY;
    if (this.crashesLeft === 0) return;
    this.crashesLeft -= 1;
    this.crashAt = this.machine.now + this.random.between(1, 40) * SECOND;
  }

  step(): void {
    if (this.machine.now >= this.crashAt) this.process = null;
  }

  look(): LinkLook {
    const { process, machine } = this;
    const at = instant(machine.wall);
    const unseen = { at, cpuMs: null, tick: null } as const;
    if (machine.isWithoutTmux) return { ...unseen, process: this.known, state: 'unknown' };
    if (!process) return { ...unseen, process: this.known, state: 'gone' };
    this.known = process.incarnation;
    return { ...unseen, process: process.incarnation, state: 'running' };
  }
}

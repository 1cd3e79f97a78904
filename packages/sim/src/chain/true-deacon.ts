import {
  type ChainRun,
  type HeartbeatReading,
  instant,
  type LinkLook,
  type ProcessSample,
  type SessionState,
} from '@holter/core';
import type { Random } from '../base/random.ts';
import { type Machine, MINUTE, SECOND, type TrueProcess } from './truth.ts';

/** Below what counts as idle: a patrol that waits for its next cycle. */
const CPU_SHARE = 0.001;
const CPU_SHARE_BUSY = 0.1;

/** The Deacon as it really is: its session, its process and its heartbeat file. */
export class TrueDeacon {
  process: TrueProcess | null = null;
  /** The session of tmux is there, with or without a process in it. */
  hasSession = false;
  /** An agent that the operator names; else Holter's own patrol. */
  isAgent = true;
  /** Then text can be typed, and a prompt can be seen; else it is reached through its mailbox. */
  isInPane = true;
  /** Letters of others that wait for it. */
  letters = 0;
  crashesLeft = 0;
  /** The run that was there last has ended at its usage limit, which resets then. */
  private endedAtLimit: number | null = null;
  /** The run that was there last has ended on purpose. */
  private hasHandedOver = false;
  /** Why the file can't be read as it was written, and until when. */
  damage: 'torn' | 'future' | null = null;
  damagedUntil = 0;
  private readonly machine: Machine;
  private readonly random: Random;
  private known: string | null = null;
  private heartbeat: { readonly at: number; readonly incarnation: string } | null = null;
  private cycleAt = 0;
  private crashAt = Number.POSITIVE_INFINITY;

  constructor(machine: Machine, random: Random) {
    this.machine = machine;
    this.random = random;
    this.start();
  }

  start(): void {
    const { machine, random } = this;
    this.process = machine.start('deacon');
    this.hasHandedOver = false;
    this.endedAtLimit = null;
    this.hasSession = !machine.isWithoutTmux;
    this.isInPane = this.isAgent && !machine.isWithoutTmux;
    this.cycleAt = machine.now + random.between(0, 2) * MINUTE;
    this.crashAt = Number.POSITIVE_INFINITY;
    if (this.crashesLeft === 0) return;
    this.crashesLeft -= 1;
    this.crashAt = machine.now + random.between(1, 40) * SECOND;
  }

  die(leavesSession: boolean): void {
    this.process = null;
    this.hasSession &&= leavesSession;
  }

  handOver(): void {
    this.die(false);
    this.hasHandedOver = true;
  }

  /** It stays at its prompt, or ends. */
  reachLimit(process: TrueProcess, until: number, isEnd: boolean): void {
    if (!isEnd) return process.become('limited', until);
    this.die(this.random.chance(0.5));
    this.endedAtLimit = until;
  }

  /** How long its usage limit lasts, as its program has said; null if it has none. */
  get limitedMs(): number | null {
    const { process, machine } = this;
    const until = process ? (process.condition === 'limited' ? process.healsAt : null) : this.endedAtLimit;
    return until === null ? null : Math.max(0, until - machine.now);
  }

  step(ms: number): void {
    const { process, machine } = this;
    if (machine.now >= this.damagedUntil) this.damage = null;
    if (!process) return;
    if (machine.now >= this.crashAt) return this.die(this.random.chance(0.5));
    if (machine.now >= process.healsAt) this.heal(process);
    if (process.condition === 'slow' || process.condition === 'back') process.cpuMs += ms * CPU_SHARE_BUSY;
    if (process.condition !== 'well') return;
    process.cpuMs += ms * CPU_SHARE;
    if (machine.now >= this.cycleAt) this.patrol(process);
  }

  private patrol({ incarnation }: TrueProcess): void {
    const { machine, random, isAgent } = this;
    this.heartbeat = { at: machine.wall, incarnation };
    this.letters = 0;
    this.cycleAt = machine.now + (isAgent ? random.between(1, 4) : 1) * MINUTE;
  }

  /** Its first work may take minutes before its next heartbeat, or lead to a question. */
  private heal(process: TrueProcess): void {
    const { machine, random } = this;
    if (process.condition === 'limited') {
      const { wokenAt } = process;
      process.become('sleepy');
      process.wokenAt = wokenAt;
      return;
    }
    const isBack = process.condition === 'back';
    if (isBack && this.isInPane && random.chance(0.2))
      process.become('asking', machine.now + random.between(1, 60) * MINUTE);
    else if (isBack || random.chance(0.3)) process.become('well');
    else process.become('back', machine.now + random.between(0, 10) * MINUTE);
  }

  /** A message has reached it. An agent may take some minutes until it begins to work. */
  hear(message: 'WAKE' | 'NUDGE'): void {
    const { process, machine, random } = this;
    if ((process?.condition === 'sleepy' || process?.condition === 'limited') && message === 'WAKE')
      process.wokenAt = [...process.wokenAt, machine.now];
    if (process?.condition === 'sleepy' && process.healsAt === Number.POSITIVE_INFINITY)
      process.healsAt = machine.now + (this.isAgent ? random.between(0, 8) * MINUTE : 0);
    if (process?.condition === 'well') this.cycleAt = machine.now;
  }

  get session(): SessionState {
    if (this.machine.isTmuxHung) return 'unknown';
    return this.process ? 'alive' : 'dead';
  }

  get run(): ChainRun | null {
    const { process } = this;
    return process && { incarnation: process.incarnation, startedAt: instant(process.startedAt) };
  }

  /** What its processes show. */
  get sample(): ProcessSample {
    const { process } = this;
    return {
      incarnation: process?.incarnation ?? 'none',
      cpuMs: process?.cpuMs ?? null,
      isStopped: process?.condition === 'stopped',
    };
  }

  /** Where its prompt can be seen. */
  get isAsking(): boolean {
    return this.isInPane && this.process?.condition === 'asking';
  }

  /** As it is read now. */
  get reading(): HeartbeatReading {
    const { heartbeat, machine } = this;
    if (this.damage === 'torn') return { kind: 'unreadable', because: 'it is not a JSON object' };
    if (this.damage === 'future' || (heartbeat && heartbeat.at > machine.wall))
      return { kind: 'unreadable', because: 'it is dated in the future' };
    if (!heartbeat) return { kind: 'none' };
    return { kind: 'read', heartbeat: { ...heartbeat, at: instant(heartbeat.at) } };
  }

  /** Whether it is stuck is Boot's to say, so that its CPU time is not looked at here. */
  look(): LinkLook {
    const { process, machine, reading } = this;
    const at = instant(machine.wall);
    if (machine.isTmuxHung) return { at, process: this.known, state: 'unknown', cpuMs: null, tick: null };
    if (!process) {
      const state = this.hasHandedOver ? 'ended' : 'gone';
      return { at, process: this.known, state, cpuMs: null, tick: null };
    }
    this.known = process.incarnation;
    const isOwn = reading.kind === 'read' && reading.heartbeat.incarnation === process.incarnation;
    return {
      at,
      process: process.incarnation,
      state: process.condition === 'stopped' ? 'stopped' : 'running',
      cpuMs: null,
      tick: isOwn ? reading.heartbeat.at : null,
    };
  }
}

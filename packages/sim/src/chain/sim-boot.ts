import {
  type BootMemory,
  type DeaconLook,
  freshnessOf,
  type Instant,
  instant,
  type LinkLook,
  remember,
  type Triage,
  triage,
  UNSENT_MAX,
  unwatchedSilence,
  whyNotRestart,
} from '@holter/core';
import type { ChainJudge } from './chain-judge.ts';
import type { TrueDeacon } from './true-deacon.ts';
import type { TrueServer } from './true-server.ts';
import type { Machine, TrueProcess } from './truth.ts';

type BootParts = {
  readonly machine: Machine;
  readonly server: TrueServer;
  readonly deacon: TrueDeacon;
  readonly judge: ChainJudge;
};

/** Of a Deacon that can't be seen. */
const NO_SAMPLE = { incarnation: 'none', cpuMs: null, isStopped: false } as const;

/** Boot: one triage at a time, which may crash or hang. */
export class SimBoot {
  /** Who has shut the Deacon down, as the daemon has written it down. */
  downBy: string | null = null;
  /** Why the next triage does not come to its end. */
  nextFault: 'crash' | 'hang' | null = null;
  private readonly parts: BootParts;
  private process: TrueProcess | null = null;
  private isCrashed = false;
  private isHanging = false;
  private memory: (BootMemory & { readonly at: Instant }) | null = null;
  private decided: { readonly incarnation: string; readonly triage: Triage } | null = null;

  constructor(parts: BootParts) {
    this.parts = parts;
  }

  get isRunning(): boolean {
    return this.isHanging;
  }

  run(): void {
    this.process = this.parts.machine.start('boot');
    const fault = this.nextFault;
    this.nextFault = null;
    this.isCrashed = fault === 'crash';
    this.isHanging = fault === 'hang';
    if (fault === null) this.triage();
  }

  stop(): void {
    this.isHanging = false;
    this.isCrashed = true;
  }

  look(): LinkLook {
    const at = instant(this.parts.machine.wall);
    const process = this.process?.incarnation ?? null;
    if (!process) return { at, process, state: 'unknown', cpuMs: null, tick: null };
    if (this.isHanging) return { at, process, state: 'running', cpuMs: 0, tick: null };
    return { at, process, state: this.isCrashed ? 'gone' : 'ended', cpuMs: null, tick: null };
  }

  /** What was decided about this run of the Deacon since it was asked last. */
  take(incarnation: string | undefined): Triage | null {
    const { decided } = this;
    this.decided = null;
    return decided?.incarnation === incarnation ? (decided?.triage ?? null) : null;
  }

  /** Why the Deacon is not to be restarted now, although it was decided. */
  get doubt(): string | null {
    const { deacon, machine } = this.parts;
    return whyNotRestart(this.memory, { ...deacon.sample, at: machine.wall }, deacon.isAsking);
  }

  /** What the daemon says itself about the Deacon while no triage comes to its end. */
  get unseenSilence(): string | null {
    const { deacon, machine } = this.parts;
    const { run, reading, session } = deacon;
    if (!run || session === 'unknown' || !this.memory) return null;
    const freshness = freshnessOf(reading, run, instant(machine.wall));
    return unwatchedSilence(freshness, machine.wall - this.memory.at);
  }

  private triage(): void {
    const { machine, deacon, server, judge } = this.parts;
    const { run, reading } = deacon;
    const sample = deacon.session === 'unknown' ? NO_SAMPLE : deacon.sample;
    const wall = machine.wall;
    const isSeen = deacon.session !== 'unknown';
    const freshness = isSeen && run ? freshnessOf(reading, run, instant(wall)) : null;
    const at = instant(wall);
    const {
      memory,
      process: evidence,
      unknownMs,
      sinceWakeMs,
      limitedMs,
    } = remember(this.memory, sample, { at, reading, freshness, limitedUntil: this.limitedUntil });
    const isDegraded = machine.isWithoutTmux;
    const look: DeaconLook = {
      session: deacon.session,
      freshness,
      unknownMs,
      pendingLetters: server.isUp ? deacon.letters : null,
      process: evidence,
      isAsking: deacon.isAsking,
      wakes: memory.wakes,
      sinceWakeMs,
      limitedMs,
      downBy: this.downBy,
      canBeTold: (deacon.isInPane || server.isUp) && memory.unsent < UNSENT_MAX,
      isDegraded,
    };
    const decided = triage(look);
    judge.triaged(decided.action, deacon, look);
    const { action } = decided;
    const isWoken = action === 'WAKE' || action === 'NUDGE' ? this.tell(action) : null;
    const { wakes, unsent } = memory;
    const told = { ...(isWoken ? { wakes: wakes + 1, unsent: 0 } : { unsent: unsent + 1 }), wakeTriedAt: at };
    this.memory = { ...memory, ...(decided.action === 'WAKE' && told), at };
    if (decided.action === 'ESCALATE') this.memory = { ...this.memory, unsent: 0 };
    if (decided.action === 'ESCALATE' && run) judge.told('deacon', run.incarnation);
    if (isSeen && run) this.decided = { incarnation: run.incarnation, triage: decided };
  }

  /** As the server knows it. */
  private get limitedUntil(): number | null | undefined {
    const { deacon, server, machine } = this.parts;
    if (!server.isUp) return undefined;
    return deacon.limitedMs === null ? null : machine.wall + deacon.limitedMs;
  }

  /** Whether the message was sent. At its terminal it waits while the agent works or asks. */
  private tell(message: 'WAKE' | 'NUDGE'): boolean {
    const { deacon, server } = this.parts;
    const { condition } = deacon.process ?? {};
    const isBusy = condition === 'slow' || condition === 'back' || condition === 'asking';
    const isSent = deacon.isInPane ? !isBusy : server.isUp;
    if (isSent) deacon.hear(message);
    return isSent;
  }
}

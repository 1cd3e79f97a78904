import {
  type ChainProcess,
  type DeaconLook,
  freshnessOf,
  instant,
  type LinkLook,
  milliseconds,
  type Triage,
  triage,
} from '@holter/core';
import type { ChainJudge } from './chain-judge.ts';
import type { TrueDeacon } from './true-deacon.ts';
import type { TrueServer } from './true-server.ts';
import { type Machine, MINUTE, type TrueProcess } from './truth.ts';

type Memory = {
  readonly incarnation: string;
  readonly wakes: number;
  readonly heartbeatAt: number | null;
  readonly cpuMs: number;
  readonly isStopped: boolean;
  readonly unknownSince: number | null;
  readonly at: number;
};

type BootParts = {
  readonly machine: Machine;
  readonly server: TrueServer;
  readonly deacon: TrueDeacon;
  readonly judge: ChainJudge;
};

/** Boot: one triage at a time, which may crash or hang. */
export class SimBoot {
  /** Why the next triage does not come to its end. */
  nextFault: 'crash' | 'hang' | null = null;
  private readonly parts: BootParts;
  private process: TrueProcess | null = null;
  private isCrashed = false;
  private isHanging = false;
  private memory: Memory | null = null;
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

  private triage(): void {
    const { machine, deacon, server, judge } = this.parts;
    const { run, reading, process } = deacon;
    const wall = machine.wall;
    const freshness = run && freshnessOf(reading, run, instant(wall));
    const before = run && this.memory?.incarnation === run.incarnation ? this.memory : null;
    const isStopped = process?.condition === 'stopped';
    const sample = { incarnation: run?.incarnation ?? '', cpuMs: process?.cpuMs ?? 0, isStopped, at: wall };
    const unknownSince = freshness?.kind === 'unknown' ? Math.min(before?.unknownSince ?? wall, wall) : null;
    const heartbeatAt = reading.kind === 'read' ? reading.heartbeat.at : (before?.heartbeatAt ?? null);
    const isSame = before?.heartbeatAt === heartbeatAt && freshness?.kind !== 'fresh';
    const wakes = isSame ? (before?.wakes ?? 0) : 0;
    const isDegraded = machine.isWithoutTmux;
    const look: DeaconLook = {
      session: deacon.session,
      freshness,
      unknownMs: milliseconds(unknownSince === null ? 0 : wall - unknownSince),
      pendingLetters: server.isUp ? deacon.letters : null,
      process: evidenceOf(before, sample),
      isAsking: deacon.isInPane && process?.condition === 'asking',
      wakes,
      canBeTold: deacon.isInPane || server.isUp,
      isDegraded,
    };
    const decided = triage(look);
    judge.triaged(decided.action, deacon, look);
    const isTold = decided.action === 'WAKE' || decided.action === 'NUDGE';
    if (isTold) deacon.wake();
    this.memory = { ...sample, unknownSince, heartbeatAt, wakes: wakes + Number(decided.action === 'WAKE') };
    if (run) this.decided = { incarnation: run.incarnation, triage: decided };
  }
}

const IDLE_SHARE = 0.005;

function evidenceOf(before: Memory | null, after: Pick<Memory, 'cpuMs' | 'isStopped' | 'at'>): ChainProcess {
  if (!before || after.at - before.at < 1_000 || after.at - before.at > 15 * MINUTE) return 'unknown';
  if (before.isStopped && after.isStopped) return 'stopped';
  if (after.isStopped) return 'unknown';
  return after.cpuMs - before.cpuMs <= (after.at - before.at) * IDLE_SHARE ? 'idle' : 'busy';
}

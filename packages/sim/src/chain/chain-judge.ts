import type { DeaconLook, LifecycleRequest, MemberLink, TriageAction } from '@holter/core';
import type { Violation } from '../audit/violation.ts';
import type { TrueDeacon } from './true-deacon.ts';
import { type Machine, MINUTE, type TrueProcess } from './truth.ts';

/** What is to be kept running. */
type Name = 'server' | 'deacon' | MemberLink;

const KEPT_MAX = 20;
const WAKES_MAX = 2;
const TICK_MS = 3 * MINUTE;
/** Far above what a process uses that waits. */
const AT_WORK_SHARE = 0.05;
/** A Deacon that is woken needs the time to answer, which is about a tick. */
const ANSWER_MS_MIN = 2 * MINUTE;
/** A dead link is restored within two ticks; those of a daemon that is started again and again come sooner. */
const DEAD_TICKS_MAX = 2;
const DEAD_MS_MAX = DEAD_TICKS_MAX * TICK_MS;
/**
 * One that is lost needs two looks, and after a stall of the daemon the ladder waits; the Deacon first gets very stale
 * and is woken twice.
 */
const LOST_TICKS_MAX = { server: 12, other: 20 } as const;
/** One that answers nothing and uses CPU time is told to a person after five looks; a look may fail, or not count. */
const SPINNING_TICKS_MAX = 8;
const SPINNING_MS_MAX = SPINNING_TICKS_MAX * TICK_MS;
const STARTS_WITHIN_MS = 15 * MINUTE;
/** The first, four that back off, and one that a crash loop lets through. */
const STARTS_MAX = 6;

type Spinning = { readonly since: number; ticks: number; isTold: boolean };

/** Knows how everything really is, and what the rules of the chain promise. */
export class ChainJudge {
  readonly violations: Violation[] = [];
  readonly seen = new Map<string, number>();
  private readonly machine: Machine;
  private readonly deadTicks = new Map<Name, number>();
  /** Of the first of these ticks. */
  private readonly deadSince = new Map<Name, number>();
  /** The process about which a person was told last. */
  private readonly toldOf = new Map<Name | 'boot', string | null>();
  private readonly lostTicks = new Map<Name, number>();
  /** A server that spins, since when, and whether a person knows. */
  private spinning: Spinning | null = null;
  /** A person knows that the server does not answer now. */
  private isSilenceTold = false;
  /** Nothing could have woken the Deacon when Boot decided last. */
  private isOutOfReach = false;
  private lastSeen: { readonly incarnation: string; readonly cpuMs: number; readonly at: number } | null =
    null;
  /** Since the last triage: Boot does not know how long ago its last WAKE was, and waits from its next look on. */
  private isClockSet = false;
  /** When Boot wanted to wake it last. */
  private wokenAt = Number.NEGATIVE_INFINITY;
  private readonly startedAt = new Map<Name, readonly number[]>();
  /** Runs that a person has ordered to be ended, and who is to stay down. */
  private readonly ordered = new Set<string>();
  readonly down = new Set<Name>();
  /** Whose start a person has asked for. */
  private readonly mayStart = new Set<Name>();
  /** The run whose usage limit could be known to Boot. */
  private limitKnownOf: string | null = null;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  /** What was asked for, and is being carried out. */
  asked({ action, name, process }: LifecycleRequest): void {
    this.count(`${action} asked for`);
    this.mayStart.add(name);
    if (action === 'shutdown') this.down.add(name);
    else this.down.delete(name);
    if (process !== null && action !== 'resume') this.ordered.add(process);
  }

  killed(name: Name, { isLost, condition, incarnation, wokenAt }: TrueProcess): void {
    const isOrdered = this.ordered.has(incarnation);
    this.count(`killed ${name}, ${isOrdered ? 'as ordered' : condition}`);
    if (isOrdered) return;
    // One that sleeps on after two messages, or that nothing can reach, is restarted by the table of Boot.
    const isAsleep =
      condition === 'sleepy' && (this.isOutOfReach || isWokenInVain(wokenAt, this.machine.now));
    // While the server is down nobody knows of its limit.
    const isUnknown = condition === 'limited' && this.limitKnownOf !== incarnation;
    if (!isLost && !isAsleep && !isUnknown) this.complain(1, name, `was killed, but it was ${condition}`);
  }

  started(name: Name, isAlive: boolean, isLimited: boolean): void {
    this.count(`started ${name}`);
    if (isLimited && !this.mayStart.has(name))
      this.complain(8, name, 'was started before its usage limit has reset');
    this.mayStart.delete(name);
    if (isAlive) this.complain(5, name, 'was started beside one that runs');
    if (this.down.has(name)) this.complain(8, name, 'was started, although it was shut down on purpose');
    const { now } = this.machine;
    const recent = (this.startedAt.get(name) ?? []).filter((at) => now - at < STARTS_WITHIN_MS);
    this.startedAt.set(name, [...recent, now]);
    if (recent.length >= STARTS_MAX)
      this.complain(8, name, `was started ${recent.length + 1} times in 15 min`);
  }

  /** The clock of the daemon has jumped: how many starts were recent is not known to it. */
  clockJumped(): void {
    this.startedAt.clear();
  }

  /** How old a heartbeat is changes with it, so that one that is lost may have to be waited for again. */
  clockSet(): void {
    this.lostTicks.delete('deacon');
    this.isClockSet = true;
  }

  told(name: Name | 'boot', incarnation: string | null): void {
    this.count(`told of ${name}`);
    this.toldOf.set(name, incarnation);
    if (name === 'server') this.isSilenceTold = true;
    if (name !== 'server' || !this.spinning || this.spinning.isTold) return;
    this.spinning.isTold = true;
    this.count('told of a server that spins');
  }

  /** The daemon has not looked for a while: nothing is promised for that time. */
  stalled(): void {
    this.deadTicks.clear();
    if (this.spinning) this.spinning = { ...this.spinning, ticks: 0, since: this.machine.now };
  }

  /** A triage that hangs and can't be ended is a person's business, and nobody judges the Deacon meanwhile. */
  isBootTold(incarnation: string | null): boolean {
    return incarnation !== null && this.toldOf.get('boot') === incarnation;
  }

  /** After each tick of the daemon that could see and act. `isExcused`: it may not be started yet. */
  ticked(name: Name, process: TrueProcess | null, isExcused: boolean): void {
    // Somebody has started it again by hand, and it was seen.
    if (process && !this.ordered.has(process.incarnation)) this.down.delete(name);
    const deadTicks = process || isExcused ? 0 : (this.deadTicks.get(name) ?? 0) + 1;
    const isLeft = process?.isLost && !isExcused && this.toldOf.get(name) !== process.incarnation;
    const lostTicks = isLeft ? (this.lostTicks.get(name) ?? 0) + 1 : 0;
    const { now } = this.machine;
    if (deadTicks === 1) this.deadSince.set(name, now);
    const isDead = deadTicks > DEAD_TICKS_MAX && now - (this.deadSince.get(name) ?? now) >= DEAD_MS_MAX;
    const isLost = lostTicks > LOST_TICKS_MAX[name === 'server' ? 'server' : 'other'];
    if (isDead) this.complain(9, name, 'is dead, and was not restored within two ticks');
    if (isLost) this.complain(2, name, `is ${process?.condition}, and nobody has done anything about it`);
    if (name === 'server') this.noteSpinning(process);
    this.deadTicks.set(name, isDead ? 0 : deadTicks);
    this.lostTicks.set(name, isLost ? 0 : lostTicks);
  }

  private noteSpinning(process: TrueProcess | null): void {
    const { now } = this.machine;
    if (process?.condition !== 'spinning') this.spinning = null;
    else this.spinning ??= { since: now, ticks: 0, isTold: this.isSilenceTold };
    // It may spin right after it was busy for long, without an answer in between.
    if (process?.condition !== 'spinning' && process?.condition !== 'slow') this.isSilenceTold = false;
    if (!this.spinning) return;
    this.spinning.ticks += 1;
    const { since, ticks, isTold } = this.spinning;
    if (isTold || ticks <= SPINNING_TICKS_MAX || now - since < SPINNING_MS_MAX) return;
    this.complain(2, 'server', 'answers nothing and uses CPU time, and nobody was told');
    this.spinning.isTold = true;
  }

  /** The decision matrix of Boot, once more and from the truth. */
  triaged(
    action: TriageAction,
    deacon: TrueDeacon,
    { canBeTold, pendingLetters: letters, limitedMs }: DeaconLook,
  ): void {
    this.count(action);
    this.isOutOfReach = !canBeTold;
    const { now, wall } = this.machine;
    const { run } = deacon;
    const isServerUp = letters !== null;
    if (!deacon.limitedMs || isServerUp)
      this.limitKnownOf = deacon.limitedMs ? (run?.incarnation ?? null) : null;
    const isDown = this.down.has('deacon');
    const usual = expectedOf(deacon, wall, canBeTold ? letters : 0, this.isAtWork(deacon), isDown);
    const isUsual = !deacon.limitedMs || usual.includes('NOTHING');
    const expected: readonly TriageAction[] = isUsual
      ? usual
      : isServerUp
        ? ['NOTHING']
        : ['NOTHING', ...usual];
    // What Boot remembers of a limit while the server is down moves with the clock.
    if (this.isClockSet) this.wokenAt = now;
    this.isClockSet = false;
    const isPatient = now - this.wokenAt < TICK_MS || (!isServerUp && limitedMs > 0);
    const isWaiting = action === 'NOTHING' && expected.includes('WAKE') && isPatient;
    if (action === 'WAKE') this.wokenAt = now;
    if (!expected.includes(action) && !isWaiting)
      this.complain(3, 'deacon', `Boot decided ${action}, and not ${expected.join(' or ')}`);
  }

  /** By its CPU time since the last triage, or because it asks a person. */
  private isAtWork({ process, isAsking }: TrueDeacon): boolean {
    const { now } = this.machine;
    const before = this.lastSeen;
    this.lastSeen = process && { incarnation: process.incarnation, cpuMs: process.cpuMs, at: now };
    if (!process || before?.incarnation !== process.incarnation) return isAsking;
    return isAsking || process.cpuMs - before.cpuMs > (now - before.at) * AT_WORK_SHARE;
  }

  complain(invariant: Violation['invariant'], agentId: string, what: string): void {
    if (this.violations.length < KEPT_MAX)
      this.violations.push({ invariant, agentId, at: this.machine.now, what });
  }
}

/** It was woken twice, and had the time to answer after each. */
function isWokenInVain(wokenAt: readonly number[], now: number): boolean {
  const chances = wokenAt.filter((at, n) => (wokenAt[n + 1] ?? now) - at >= ANSWER_MS_MIN);
  return chances.length >= WAKES_MAX;
}

function expectedOf(
  deacon: TrueDeacon,
  wall: number,
  letters: number | null,
  isAtWork: boolean,
  isDown: boolean,
): readonly TriageAction[] {
  const { run, reading, session } = deacon;
  if (session === 'unknown') return ['NOTHING'];
  if (!run) return [isDown ? 'NOTHING' : 'START'];
  if (reading.kind === 'unreadable') return ['NOTHING', 'ESCALATE'];
  const isOwn = reading.kind === 'read' && reading.heartbeat.incarnation === run.incarnation;
  const ageMs = wall - (isOwn ? reading.heartbeat.at : (run.startedAt ?? 0));
  if (ageMs < 5 * MINUTE) return ['NOTHING'];
  if (ageMs >= 15 * MINUTE) return isAtWork ? ['WAKE', 'ESCALATE'] : ['WAKE', 'RESTART', 'ESCALATE'];
  return letters ? ['NUDGE'] : ['NOTHING'];
}

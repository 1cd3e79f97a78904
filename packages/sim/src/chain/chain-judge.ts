import type { DeaconLook, TriageAction } from '@holter/core';
import type { Violation } from '../audit/violation.ts';
import type { TrueDeacon } from './true-deacon.ts';
import { type Machine, MINUTE, type TrueProcess } from './truth.ts';

type Name = 'server' | 'deacon';

const KEPT_MAX = 20;
/** A dead link is restored within two ticks. */
const DEAD_TICKS_MAX = 2;
/**
 * One that is lost needs two looks, and after a stall of the daemon the ladder waits; the Deacon first gets very stale
 * and is woken twice.
 */
const LOST_TICKS_MAX = { server: 12, deacon: 20 } as const;
const STARTS_WITHIN_MS = 15 * MINUTE;
/** The first, four that back off, and one that a crash loop lets through. */
const STARTS_MAX = 6;

/** Knows how everything really is, and what the rules of the chain promise. */
export class ChainJudge {
  readonly violations: Violation[] = [];
  readonly seen = new Map<string, number>();
  private readonly machine: Machine;
  private readonly deadTicks = { server: 0, deacon: 0 };
  /** The process about which a person was told last. */
  private readonly toldOf: Record<Name | 'boot', string | null> = { server: null, deacon: null, boot: null };
  private readonly lostTicks = { server: 0, deacon: 0 };
  /** Nothing could have woken the Deacon when Boot decided last. */
  private isOutOfReach = false;
  private readonly startedAt: Record<Name, readonly number[]> = { server: [], deacon: [] };

  constructor(machine: Machine) {
    this.machine = machine;
  }

  count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  killed(name: Name, { isLost, condition }: TrueProcess): void {
    this.count(`killed ${name}, ${condition}`);
    if (!isLost && !(condition === 'sleepy' && this.isOutOfReach))
      this.complain(1, name, `was killed, but it was ${condition}`);
  }

  started(name: Name, isAlive: boolean): void {
    this.count(`started ${name}`);
    if (isAlive) this.complain(5, name, 'was started beside one that runs');
    const { now } = this.machine;
    const recent = this.startedAt[name].filter((at) => now - at < STARTS_WITHIN_MS);
    this.startedAt[name] = [...recent, now];
    if (recent.length >= STARTS_MAX)
      this.complain(8, name, `was started ${recent.length + 1} times in 15 min`);
  }

  /** The clock of the daemon has jumped: how many starts were recent is not known to it. */
  clockJumped(): void {
    this.startedAt.server = [];
    this.startedAt.deacon = [];
  }

  told(name: Name | 'boot', incarnation: string | null): void {
    this.count(`told of ${name}`);
    this.toldOf[name] = incarnation;
  }

  /** The daemon has not looked for a while: nothing is promised for that time. */
  stalled(): void {
    this.deadTicks.server = 0;
    this.deadTicks.deacon = 0;
  }

  /** A triage that hangs and can't be ended is a person's business, and nobody judges the Deacon meanwhile. */
  isBootTold(incarnation: string | null): boolean {
    return incarnation !== null && this.toldOf.boot === incarnation;
  }

  /** After each tick of the daemon that could see and act. `isExcused`: it may not be started yet. */
  ticked(name: Name, process: TrueProcess | null, isExcused: boolean): void {
    this.deadTicks[name] = process || isExcused ? 0 : this.deadTicks[name] + 1;
    const isLeft = process?.isLost && !isExcused && this.toldOf[name] !== process.incarnation;
    this.lostTicks[name] = isLeft ? this.lostTicks[name] + 1 : 0;
    if (this.deadTicks[name] > DEAD_TICKS_MAX) {
      this.complain(9, name, 'is dead, and was not restored within two ticks');
      this.deadTicks[name] = 0;
    }
    if (this.lostTicks[name] > LOST_TICKS_MAX[name]) {
      this.complain(2, name, `is ${process?.condition}, and nobody has done anything about it`);
      this.lostTicks[name] = 0;
    }
  }

  /** The decision matrix of Boot, once more and from the truth. */
  triaged(
    action: TriageAction,
    deacon: TrueDeacon,
    { canBeTold, pendingLetters: letters }: DeaconLook,
  ): void {
    this.count(action);
    this.isOutOfReach = !canBeTold;
    const expected = expectedOf(deacon, this.machine.wall, canBeTold ? letters : 0);
    if (!expected.includes(action))
      this.complain(3, 'deacon', `Boot decided ${action}, and not ${expected.join(' or ')}`);
  }

  complain(invariant: Violation['invariant'], agentId: string, what: string): void {
    if (this.violations.length < KEPT_MAX)
      this.violations.push({ invariant, agentId, at: this.machine.now, what });
  }
}

function expectedOf(deacon: TrueDeacon, wall: number, letters: number | null): readonly TriageAction[] {
  const { run, reading } = deacon;
  if (!run) return ['START'];
  if (reading.kind === 'unreadable') return ['NOTHING', 'ESCALATE'];
  const isOwn = reading.kind === 'read' && reading.heartbeat.incarnation === run.incarnation;
  const ageMs = wall - (isOwn ? reading.heartbeat.at : (run.startedAt ?? 0));
  if (ageMs < 5 * MINUTE) return ['NOTHING'];
  if (ageMs >= 15 * MINUTE) return ['WAKE', 'RESTART', 'ESCALATE'];
  return letters ? ['NUDGE'] : ['NOTHING'];
}

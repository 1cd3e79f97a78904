import type { HealthState, HoldKind, LadderStep, LivenessWord } from '@holter/core';
import { contract } from './contract.ts';
import { Repeats } from './repeats.ts';

/** What an outside observer of one agent knows, from the words that were delivered and the events that came out. */
export class Ledger {
  incarnation = 0;
  instanceId = '';
  startedAt = 0;
  isEnded = false;
  /** When the end became known. */
  endedAt = 0;

  /** The last accepted word of the agent itself, and the one before it that is surely in the store. */
  signAt = 0;
  signBeforeAt = 0;
  signBeforeThatAt = 0;
  /** Said "busy", or answered an inquiry: its next deadline may be longer. */
  mayBeBusy = false;

  readonly openCalls = new Set<string>();
  /** Calls whose end overtook their beginning. */
  readonly endedEarly = new Set<string>();
  readonly holds = new Map<HoldKind, number>();
  private heldSince = 0;
  private heldTotal = 0;
  doingAt = 0;
  /** When it last did something after a long time without. */
  resumedAt = 0;
  private heldAtDoing = 0;
  taskId: string | null = null;
  progressAt = 0;
  failuresInRow = 0;
  private readonly results = new Set<string>();

  lookedAt = 0;
  cpuMs = 0;
  ioBytes = 0;
  flatSince = 0;
  stoppedSince = 0;

  /** What its calls have in common. */
  calls = new Repeats();
  /** The count when the first nudge of this incident was seen; NaN before. */
  repeatsAtNudge = Number.NaN;

  health: HealthState = 'HEALTHY';
  healthAt = 0;
  liveness: LivenessWord = 'alive';
  readonly acts = new Set<string>();
  /** When the last break of one of its breakers was over. */
  breakOverAt = 0;

  incident: { id: string; cause: string; step: LadderStep; attempt: number } | null = null;
  past: { cause: string; step: LadderStep; closedAt: number; incarnation: number } | null = null;
  /** A person has decided about the open incident. */
  isOrdered = false;
  probationUntil = 0;
  spawnKey = '';
  spawnedAt: number[] = [];
  spawnsForTask = 0;
  spawnTask: string | null = null;

  begin(incarnation: number, instanceId: string, at: number): void {
    this.incarnation = incarnation;
    this.instanceId = instanceId;
    this.startedAt = at;
    this.isEnded = false;
    this.signAt = at;
    this.signBeforeAt = at;
    this.signBeforeThatAt = at;
    this.mayBeBusy = false;
    this.openCalls.clear();
    this.endedEarly.clear();
    this.holds.clear();
    this.heldTotal = 0;
    this.doingAt = at;
    this.heldAtDoing = 0;
    this.progressAt = at;
    this.failuresInRow = 0;
    this.lookedAt = 0;
    this.flatSince = 0;
    this.stoppedSince = 0;
    this.calls = new Repeats();
    this.results.clear();
    this.liveness = 'alive';
    this.acts.clear();
  }

  sign(at: number): void {
    if (at - this.signAt >= 1_000) {
      this.signBeforeThatAt = this.signBeforeAt;
      this.signBeforeAt = this.signAt;
    }
    this.signAt = at;
  }

  beginHold(kind: HoldKind, until: number, at: number): void {
    if (this.holds.size === 0) this.heldSince = at;
    this.holds.set(kind, until);
  }

  endHold(kind: HoldKind, at: number): void {
    if (!this.holds.delete(kind)) return;
    if (this.holds.size === 0) this.heldTotal += at - this.heldSince;
  }

  endExpired(at: number): void {
    for (const [kind, until] of this.holds) if (until <= at) this.endHold(kind, until);
  }

  /** A result that this incarnation has had before is no progress. */
  isNewResult(result: string): boolean {
    const isNew = !this.results.has(result);
    if (isNew) this.results.add(result);
    return isNew;
  }

  does(at: number): void {
    if (at - this.doingAt > contract.restMs) this.resumedAt = at;
    this.doingAt = at;
    this.heldAtDoing = this.heldMs(at);
  }

  /** For how long, on hold not counted, the agent has done nothing. */
  quietMs(at: number): number {
    return at - this.doingAt - this.heldSinceDoingMs(at);
  }

  heldSinceDoingMs(at: number): number {
    return this.heldMs(at) - this.heldAtDoing;
  }

  private heldMs(at: number): number {
    return this.heldTotal + (this.holds.size > 0 ? at - this.heldSince : 0);
  }

  /** On hold for another reason than an open tool. */
  get isHeldOutsideTools(): boolean {
    return this.holds.size > (this.holds.has('in-tool') ? 1 : 0);
  }
}

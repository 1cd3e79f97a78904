import {
  contextOf,
  type DaemonState,
  daemonDefaults,
  daemonTick,
  type Effect,
  foldClaim,
  foldLook,
  foldReceipt,
  foldStart,
  type Instant,
  instant,
  isOrderedByPerson,
  type LifecycleRequest,
  type Link,
  type LinkContext,
  type LinkLook,
  type LinkName,
  type LinkStep,
  linkOf,
  newDaemonState,
  startAllowedAt,
  stillWanted,
} from '@holter/core';
import { policyFor } from '@holter/server/policy';
import { simPolicies } from '../base/policies.ts';
import type { Random } from '../base/random.ts';
import type { ChainJudge } from './chain-judge.ts';
import type { SimBoot } from './sim-boot.ts';
import type { TrueDeacon } from './true-deacon.ts';
import type { TrueMember } from './true-member.ts';
import type { TrueServer } from './true-server.ts';
import type { Machine } from './truth.ts';

const SETTINGS = { ...daemonDefaults, policy: policyFor(simPolicies, 'chain', 'server', 'chain') };
const FAILED_LOOKS = 0.01;
const LEASE_MS = 120_000;

/** Thrown where the daemon is killed; what it has committed stays. */
export class Killed extends Error {}

type DaemonParts = {
  readonly machine: Machine;
  readonly server: TrueServer;
  readonly deacon: TrueDeacon;
  readonly boot: SimBoot;
  readonly members: readonly TrueMember[];
  readonly judge: ChainJudge;
  readonly random: Random;
  /** Some seconds pass, in which anything may happen. */
  readonly pass: () => void;
};

type Kept = Exclude<LinkName, 'boot'>;
type Pending = { readonly effect: Effect; leasedUntil: number };

/** The shell of the daemon around the rules of the product: looks, commits, looks again, acts. */
export class SimDaemon {
  isHeld = false;
  /** Killed at one of the next points between a commit and an act. */
  diesAfter = Number.POSITIVE_INFINITY;
  private readonly parts: DaemonParts;
  /** What a person has asked for since the last tick. */
  asked: LifecycleRequest[] = [];
  private state: DaemonState = newDaemonState;
  private pending: Pending[] = [];
  private startedAt = { clock: 0, awake: 0 };

  constructor(parts: DaemonParts) {
    this.parts = parts;
    this.startAgain();
  }

  /** Its own clock: monotonic, set once when it starts, and never behind what it has written. It sleeps with the machine. */
  get now(): Instant {
    const { awake } = this.parts.machine;
    return instant(this.startedAt.clock + (awake - this.startedAt.awake));
  }

  startAgain(): void {
    const { wall, awake } = this.parts.machine;
    this.startedAt = { clock: Math.max(wall, this.state.tickedAt ?? 0), awake };
    this.parts.judge.clockJumped();
  }

  link(name: LinkName): Link {
    return linkOf(this.state, name);
  }

  isDown(name: LinkName): boolean {
    return this.state.down[name] !== undefined;
  }

  private target(name: Kept): TrueServer | TrueDeacon | TrueMember {
    if (name === 'server' || name === 'deacon') return this.parts[name];
    const member = this.parts.members.find((each) => each.name === name);
    if (!member) throw new Error(`no member is called ${name}`);
    return member;
  }

  private get kept(): readonly Kept[] {
    return ['server', 'deacon', ...this.parts.members.map(({ name }) => name)];
  }

  private get names(): readonly LinkName[] {
    return [...this.kept, 'boot'];
  }

  /** One tick, in the order of the product: look, decide, commit, act. */
  tick(): void {
    const { boot, deacon, judge } = this.parts;
    const looks = new Map(this.names.map((name) => [name, this.look(name)]));
    const of = (name: LinkName): LinkLook => looks.get(name) ?? this.look(name);
    const sight = {
      at: this.now,
      isHeld: this.isHeld,
      ...{ server: of('server'), boot: of('boot'), deacon: of('deacon') },
      isBootRunning: boot.isRunning,
      triage: boot.take(deacon.process?.incarnation),
      silence: boot.unseenSilence,
      members: this.parts.members.map(({ name }) => [name, of(name)] as const),
      lifecycle: this.asked,
    };
    this.asked = [];
    const { state, steps, acts, says } = daemonTick(this.state, sight, SETTINGS);
    this.state = state;
    boot.downBy = state.down.deacon?.by ?? null;
    for (const [, step] of steps) this.keep(step);
    for (const each of says) {
      if (each.what === 'asked' && each.because === null) judge.asked(each.request);
      else this.noteSaid(each.name, each.what === 'asked' ? 'asked in vain' : each.what);
    }
    if (says.some(({ what }) => what === 'stalled')) judge.stalled();
    this.carryOut();
    for (const act of acts) {
      if (act.kind === 'triage') boot.run();
      if (act.kind === 'start') this.start(act.name);
      if (act.kind === 'wake') judge.count('woken by the daemon');
    }
    for (const name of this.kept)
      if (of(name).state !== 'unknown') judge.ticked(name, this.target(name).process, this.isExcused(name));
  }

  /** Under its lock, whoever starts it looks once more. */
  private start(name: Kept): void {
    const target = this.target(name);
    const { judge, server, deacon, machine } = this.parts;
    if (target.process || (machine.isTmuxHung && name !== 'server')) return;
    judge.started(name, false, name === 'deacon' && server.isUp && (deacon.limitedMs ?? 0) > 0);
    target.start();
  }

  lookAgain(): void {
    for (const name of this.names) {
      const look = this.look(name);
      const isDown = look.state === 'gone' && this.state.down[name] !== undefined;
      const seen: LinkLook = isDown ? { ...look, state: 'ended' } : look;
      this.fold(name, (link, context) => foldLook(link, seen, context));
    }
    this.carryOut();
  }

  get isRecovering(): boolean {
    return this.names.some((name) => this.link(name).agent?.hard.incident?.step === 'recover');
  }

  private isExcused(name: Kept): boolean {
    const { server, boot, judge } = this.parts;
    const at = this.now;
    if (name === 'deacon' && boot.isRunning && judge.isBootTold(this.link('boot').look?.process ?? null))
      return true;
    if (judge.down.has(name)) return true;
    if (name === 'deacon' && this.parts.deacon.limitedMs) return true;
    if (this.isHeld || (name === 'server' && server.isStoppedOnPurpose)) return true;
    return startAllowedAt(this.link(name).budget, at, SETTINGS.limits) > at;
  }

  private look(name: LinkName): LinkLook {
    if (!this.parts.random.chance(FAILED_LOOKS)) {
      const doubt = name === 'deacon' ? this.parts.boot.doubt : null;
      const look = name === 'boot' ? this.parts.boot.look() : this.target(name).look();
      return { ...this.withLimit(name, look), at: this.now, ...(doubt !== null && { doubt }) };
    }
    const process = this.link(name).look?.process ?? null;
    return { at: this.now, process, state: 'unknown', cpuMs: null, tick: null };
  }

  /** Whether the Deacon has ended at its usage limit is known to the server. */
  private withLimit(name: LinkName, look: LinkLook): LinkLook {
    const { deacon, server } = this.parts;
    const { limitedMs } = deacon;
    if (name !== 'deacon' || look.state !== 'gone' || limitedMs === null || !server.isUp) return look;
    return { ...look, state: 'ended', notBefore: instant(this.now + limitedMs) };
  }

  private fold(name: LinkName, folding: (link: Link, context: LinkContext) => LinkStep): LinkStep {
    const moment = { at: this.now, isHeld: this.isHeld };
    const step = folding(this.link(name), contextOf(name, this.state, moment, SETTINGS));
    this.state = { ...this.state, links: { ...this.state.links, [name]: step.link } };
    if (step.says) this.noteSaid(name, step.says);
    this.keep(step);
    return step;
  }

  private noteSaid(name: string, what: string): void {
    const { judge } = this.parts;
    judge.count(`${name} ${what}`);
    // It is told to the same people.
    if (name === 'server' && what === 'unheard') judge.told(name, this.link(name).look?.process ?? null);
  }

  private keep({ effects, over }: LinkStep): void {
    const all = [...this.pending, ...effects.map((effect) => ({ effect, leasedUntil: 0 }))];
    const wanted = new Set(
      stillWanted(
        all.map(({ effect }) => effect),
        over,
      ),
    );
    this.pending = all.filter(({ effect }) => wanted.has(effect));
  }

  private settle({ id }: Effect): void {
    this.pending = this.pending.filter(({ effect }) => effect.id !== id);
  }

  private carryOut(): void {
    for (;;) {
      this.mayDie();
      const { now } = this;
      const claimed = this.pending.find(
        ({ effect, leasedUntil }) =>
          leasedUntil <= now && (!this.isHeld || effect.executor === null || this.isOrdered(effect)),
      );
      if (!claimed) return;
      claimed.leasedUntil = now + LEASE_MS;
      this.carryOutOne(claimed.effect);
    }
  }

  private isOrdered({ agentId }: Effect): boolean {
    return isOrderedByPerson(this.link(agentId as LinkName));
  }

  private carryOutOne(effect: Effect): void {
    const name = effect.agentId as LinkName;
    if (effect.kind === 'terminate') this.stopLink(name, effect);
    else if (effect.kind === 'spawn') this.startLink(name, effect);
    else {
      if (effect.kind === 'notify') this.parts.judge.told(name, this.link(name).look?.process ?? null);
      this.receive(name, effect, effect.kind === 'notify' ? 'posted' : 'refused');
    }
  }

  private stopLink(name: LinkName, effect: Effect): void {
    const { judge, boot } = this.parts;
    if (!this.secondLook(name, effect)) return;
    const process = this.link(name).look?.process ?? null;
    this.mayDie();
    if (name === 'boot') boot.stop();
    else if (this.parts.machine.isTmuxHung && name !== 'server') return this.receive(name, effect, 'unknown');
    else {
      const target = this.target(name);
      if (target.process?.incarnation === process && target.process) {
        judge.killed(name, target.process);
        target.process = null;
      }
    }
    this.mayDie();
    this.receive(name, effect, 'done');
    const gone = { at: this.now, process, state: 'gone', cpuMs: null, tick: null } as const;
    this.fold(name, (link, context) => foldLook(link, gone, context));
  }

  private startLink(name: LinkName, effect: Effect): void {
    const { boot } = this.parts;
    if (!this.secondLook(name, effect)) return;
    this.mayDie();
    if (name === 'boot') boot.run();
    else this.start(name);
    this.mayDie();
    const { process, state } = name === 'boot' ? boot.look() : this.target(name).look();
    if (process && (state === 'running' || state === 'ended')) {
      this.fold(name, (link, context) => foldStart(link, process, context));
      this.receive(name, effect, 'done');
    } else this.receive(name, effect, 'refused');
  }

  private secondLook(name: LinkName, effect: Effect): boolean {
    const { pass, judge } = this.parts;
    if (effect.kind === 'terminate') pass();
    const look = this.look(name);
    this.fold(name, (link, context) => foldLook(link, look, context));
    const { claim } = this.fold(name, (link, context) => foldClaim(link, effect, effect.id, context));
    if (claim === 'proceed') return true;
    judge.count(`${effect.kind} of ${name} called off`);
    this.settle(effect);
    return false;
  }

  private receive(name: LinkName, effect: Effect, outcome: 'done' | 'refused' | 'posted' | 'unknown'): void {
    this.fold(name, (link, context) => foldReceipt(link, effect, { outcome, detail: outcome }, context));
    this.settle(effect);
  }

  private mayDie(): void {
    this.diesAfter -= 1;
    if (this.diesAfter > 0) return;
    this.diesAfter = Number.POSITIVE_INFINITY;
    throw new Killed();
  }
}

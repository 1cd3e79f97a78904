import {
  type DaemonAct,
  type DaemonSays,
  type DaemonSettings,
  type DaemonSight,
  foldClaim,
  foldLook,
  foldReceipt,
  foldStart,
  type Instant,
  instant,
  type LinkLook,
  type LinkName,
} from '@holter/core';
import type { ClaimedEffect } from '@holter/server/own-store';
import type { Clock } from '@holter/server/process';
import type { ChainBook } from './chain-book.ts';

/** One link, as the daemon handles it. */
export type Hand = {
  look(before: LinkLook | null): Promise<LinkLook>;
  /** Ends exactly this process; null when it is gone, else why not. */
  stop(process: string): Promise<string | null>;
  /** Throws if it does not come up. */
  start(): Promise<void>;
};

/** What the daemon does in its town besides looking after the links. */
export type TownDuties = {
  see(): Promise<Pick<DaemonSight, 'isBootRunning' | 'triage' | 'members'>>;
  act(act: DaemonAct): Promise<void>;
};

type DaemonParts = {
  readonly book: ChainBook;
  readonly clock: Clock;
  readonly settings: DaemonSettings;
  readonly hands: Readonly<Record<LinkName, Hand>>;
  readonly duties: TownDuties;
  /** A person has stopped Holter's own acts. */
  readonly isHeld: () => boolean;
  readonly newSecret: () => string;
  readonly say: (line: string) => void;
  /** Tells the person in charge; null if that is done, else why not. */
  readonly tell: (message: string) => Promise<string | null>;
};

/** How much later the second look comes, before anything is ended. */
const SECOND_LOOK_SHARE = 1 / 36;
const LOOK_SHARE_MIN = 1 / 60;
const KEEP_MS = 30 * 86_400_000;

/**
 * The mechanical part of the chain: looks, feeds what it saw to the rules, and carries out what they ordered. It never
 * decides anything itself.
 */
export class Daemon {
  private readonly parts: DaemonParts;

  constructor(parts: DaemonParts) {
    this.parts = parts;
  }

  /** One tick; returns when the next look is due. */
  async tick(): Promise<Instant> {
    const { book, clock, settings, duties, isHeld } = this.parts;
    const begunAt = clock.now();
    const [server, boot, deacon] = await Promise.all([
      this.look('server'),
      this.look('boot'),
      this.look('deacon'),
    ]);
    const seen = await duties.see();
    const sight = { at: clock.now(), isHeld: isHeld(), server, boot, deacon, ...seen };
    const { acts, says, steps } = await book.tick(sight);
    for (const each of says) this.sayOf(each);
    for (const [name, { events }] of steps) this.sayEvents(name, events);
    await this.carryOut();
    for (const act of acts) await this.attempt(() => duties.act(act), act.kind);
    await book.prune(instant(begunAt - KEEP_MS));
    return instant(Math.min(begunAt + settings.tickMs, this.nextLook(begunAt)));
  }

  /** A look at the links between two ticks, because one of them has just been started or waits to be. */
  async lookAgain(): Promise<Instant> {
    const { book, clock, isHeld } = this.parts;
    for (const name of ['server', 'boot', 'deacon'] as const) {
      const look = await this.look(name);
      const moment = { at: clock.now(), isHeld: isHeld() };
      const { events, says } = await book.fold(name, moment, (link, context) =>
        foldLook(link, look, context),
      );
      if (says) this.sayOf({ name, what: says });
      this.sayEvents(name, events);
    }
    await this.carryOut();
    return instant(this.nextLook(clock.now()));
  }

  /** Soon after a start, to see whether it lasts, and when a backoff ends. */
  private nextLook(now: number): number {
    const { book, settings } = this.parts;
    const soon = now + settings.tickMs * LOOK_SHARE_MIN;
    const checkAt = book.isRecovering ? now + settings.limits.backoffMs : Number.POSITIVE_INFINITY;
    return Math.max(soon, Math.min(checkAt, book.wakeAt));
  }

  private async look(name: LinkName): Promise<LinkLook> {
    const { hands, book, clock, say } = this.parts;
    const { look: before } = book.link(name);
    try {
      return await hands[name].look(before);
    } catch (error) {
      say(`${name}: it could not be looked at: ${(error as Error).message}`);
      const process = before?.process ?? null;
      return { at: clock.now(), process, state: 'unknown', cpuMs: null, tick: null };
    }
  }

  /** Effects of this tick, and those that an earlier daemon has left. One leads to the next: a stop to a start. */
  private async carryOut(): Promise<void> {
    const { book } = this.parts;
    for (;;) {
      const claimed = await book.claim(this.moment);
      for (const each of claimed) await this.carryOutOne(each);
      if (!claimed.some(({ effect: { kind } }) => kind === 'terminate' || kind === 'spawn')) return;
    }
  }

  private async carryOutOne(claimed: ClaimedEffect): Promise<void> {
    const { effect } = claimed;
    const name = effect.agentId as LinkName;
    switch (effect.kind) {
      case 'terminate':
        return this.stopLink(name, claimed);
      case 'spawn':
        return this.startLink(name, claimed);
      case 'notify':
        return this.tellPerson(claimed);
      default:
        // The link itself is not told anything: it does not listen.
        return this.receive(name, claimed, 'refused', 'nothing carries this to a link of the chain');
    }
  }

  private async stopLink(name: LinkName, claimed: ClaimedEffect): Promise<void> {
    const { book, hands, say } = this.parts;
    if (!(await this.secondLook(name, claimed))) return;
    const process = book.link(name).look?.process;
    const left = process ? await this.tried(() => hands[name].stop(process)) : 'its process is not known';
    if (left !== null) {
      say(`${name}: it was not ended: ${left}`);
      return this.receive(name, claimed, 'unknown', left);
    }
    say(`${name}: ended`);
    await this.receive(name, claimed, 'done', 'its process is gone');
    const { at } = this.moment;
    const gone = { at, process: process ?? null, state: 'gone', cpuMs: null, tick: null } as const;
    await book.fold(name, this.moment, (link, context) => foldLook(link, gone, context));
  }

  private async startLink(name: LinkName, claimed: ClaimedEffect): Promise<void> {
    const { book, hands, say } = this.parts;
    if (!(await this.secondLook(name, claimed))) return;
    const failure = await this.tried(async () => {
      await hands[name].start();
      return null;
    });
    const look = failure === null ? await this.look(name) : null;
    if (look?.process && (look.state === 'running' || look.state === 'ended')) {
      const { process } = look;
      say(`${name}: started`);
      await book.fold(name, this.moment, (link, context) => foldStart(link, process, context));
      return this.receive(name, claimed, 'done', 'it is up');
    }
    const detail = failure ?? 'it is not there after its start';
    say(`${name}: it could not be started: ${detail}`);
    return this.receive(name, claimed, 'refused', detail);
  }

  /** Looks again right before acting: the rules cancel what is no longer justified. */
  private async secondLook(name: LinkName, { effect }: ClaimedEffect): Promise<boolean> {
    const { book, clock, settings, newSecret, say } = this.parts;
    if (effect.kind === 'terminate')
      await new Promise<void>((resolve) => void clock.after(settings.tickMs * SECOND_LOOK_SHARE, resolve));
    const look = await this.look(name);
    await book.fold(name, this.moment, (link, context) => foldLook(link, look, context));
    const { claim } = await book.fold(name, this.moment, (link, context) =>
      foldClaim(link, effect, newSecret(), context),
    );
    if (claim === 'proceed') return true;
    say(`${name}: ${effect.kind} was called off, because the second look was different`);
    await book.settle(effect, this.moment.at, 'cancelled', 'the second look was different');
    return false;
  }

  private async tellPerson(claimed: ClaimedEffect): Promise<void> {
    const { book, clock, settings, tell } = this.parts;
    const { effect } = claimed;
    const message = effect.kind === 'notify' ? effect.message : '';
    const failure = await this.tried(() => tell(message));
    if (failure !== null) return book.retry(claimed, instant(clock.now() + settings.tickMs / 2), failure);
    return this.receive(effect.agentId as LinkName, claimed, 'posted', 'sent to the overseer');
  }

  private async receive(
    name: LinkName,
    { effect }: ClaimedEffect,
    outcome: 'done' | 'refused' | 'unknown' | 'posted',
    detail: string,
  ): Promise<void> {
    const { book } = this.parts;
    const step = await book.fold(name, this.moment, (link, context) =>
      foldReceipt(link, effect, { outcome, detail }, context),
    );
    if (step.says) this.sayOf({ name, what: step.says });
    await book.settle(effect, this.moment.at, outcome, detail);
  }

  private get moment(): { readonly at: Instant; readonly isHeld: boolean } {
    const { clock, isHeld } = this.parts;
    return { at: clock.now(), isHeld: isHeld() };
  }

  private async tried(act: () => Promise<string | null>): Promise<string | null> {
    try {
      return await act();
    } catch (error) {
      return (error as Error).message;
    }
  }

  private async attempt(act: () => Promise<void>, what: string): Promise<void> {
    const failure = await this.tried(async () => {
      await act();
      return null;
    });
    if (failure !== null) this.parts.say(`${what} failed: ${failure}`);
  }

  private sayOf({ name, what }: DaemonSays): void {
    const { say, settings } = this.parts;
    const { loopCrashes, loopMs, probeEveryMs } = settings.limits;
    const inMinutes = (ms: number): string => `${Math.round(ms / 60_000)} min`;
    switch (what) {
      case 'latched':
        return say(
          `${name}: crash loop: ${loopCrashes} crashes within ${inMinutes(loopMs)}; from now on it is tried every ${inMinutes(probeEveryMs)}`,
        );
      case 'cleared':
        return say(`${name}: it stays up again; the crash loop is over`);
      case 'stalled':
        return say('the daemon itself did not run for a while; looks from before do not count');
    }
  }

  private sayEvents(
    name: LinkName,
    events: readonly { readonly type: string; readonly payload: object }[],
  ): void {
    for (const { type, payload } of events) {
      const { evidence, reason } = payload as { readonly evidence?: string; readonly reason?: string };
      if (type === 'FINDING_RAISED' && evidence) this.parts.say(`${name}: ${evidence}`);
      else if (type === 'INCIDENT_CLOSED' && reason) this.parts.say(`${name}: ${reason}`);
    }
  }
}

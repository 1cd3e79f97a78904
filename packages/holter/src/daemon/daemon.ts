import {
  type DaemonAct,
  type DaemonSettings,
  type DaemonSight,
  foldClaim,
  foldFailedStart,
  foldLook,
  foldReceipt,
  foldStart,
  type Instant,
  instant,
  isOrderedByPerson,
  type LifecycleRequest,
  type LinkLook,
  type LinkName,
  type LinkStep,
  type MemberLink,
} from '@holter/core';
import type { ClaimedEffect } from '@holter/server/own-store';
import type { Clock } from '@holter/server/process';
import type { ChainBook } from './chain-book.ts';
import { inWords } from './news.ts';
import type { Condition, OutsideVoice } from './outside-voice.ts';

/** One link, as the daemon handles it. */
export type Hand = {
  look(before: LinkLook | null): Promise<LinkLook>;
  /** Ends exactly this process; null when it is gone, else why not. An order needs no evidence against it. */
  stop(process: string, isOrdered: boolean): Promise<string | null>;
  /** How it was started, if there is more to say than that. Throws if it does not come up. */
  start(): Promise<string | undefined>;
};

/** What the daemon sees and does in its town besides looking after the links. */
export type TownDuties = {
  /** `members` are the looks at the agents of the town, by their links. */
  see(looks: TownLooks): Promise<Pick<DaemonSight, 'isBootRunning' | 'triage' | 'silence' | 'lifecycle'>>;
  triage(): Promise<void>;
  /** Wakes the Deacon in the place of Boot. */
  wake(): Promise<void>;
  /** The next run of one that is cycled finds it in its box. */
  handOver(request: LifecycleRequest): Promise<void>;
};

export type TownLooks = Pick<DaemonSight, 'deacon' | 'members'>;

export type Hands = Readonly<Record<'server' | 'boot' | 'deacon', Hand>> & {
  readonly members: ReadonlyMap<MemberLink, Hand>;
};

type DaemonParts = {
  readonly book: ChainBook;
  readonly clock: Clock;
  readonly settings: DaemonSettings;
  readonly hands: Hands;
  readonly duties: TownDuties;
  /** Acts on this link alone: what is to be done about others waits for the daemon of the town. */
  readonly only?: LinkName;
  /** How long a look may take. */
  readonly lookMs: number;
  /** A person has stopped Holter's own acts. */
  readonly isHeld: () => boolean;
  readonly newSecret: () => string;
  readonly say: (line: string) => void;
  /** Tells the person in charge by a letter through the server; null if that is done, else why not. */
  readonly tell: (message: string) => Promise<string | null>;
  /** Tells people while the server can't. */
  readonly outside: Pick<OutsideVoice, 'tell' | 'settle'>;
};

/** Longer than the server, tmux and the disk may take to answer. */
export const LOOK_MS = 30_000;
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
    const { book, clock, settings, hands, isHeld, say } = this.parts;
    const begunAt = clock.now();
    const [server, boot, deacon] = await Promise.all([
      this.look('server'),
      this.look('boot'),
      this.look('deacon'),
    ]);
    const members = await Promise.all(
      [...hands.members.keys()].map(async (name) => [name, await this.look(name)] as const),
    );
    const seen = await this.see({ deacon, members });
    const sight = { at: clock.now(), isHeld: isHeld(), server, boot, deacon, members, ...seen };
    const { acts, says, steps } = await book.tick(sight);
    for (const each of says) say(inWords(each, settings.limits));
    for (const [name, { events }] of steps) this.sayEvents(name, events);
    await this.carryOut();
    for (const act of acts) await this.act(act);
    await this.tellNews();
    await book.prune(instant(begunAt - KEEP_MS));
    return instant(Math.min(begunAt + settings.tickMs, this.nextLook(begunAt)));
  }

  /** A look at the links between two ticks, because one of them has just been started or waits to be. */
  async lookAgain(): Promise<Instant> {
    const { book, clock } = this.parts;
    for (const name of book.names) {
      const look = await this.look(name);
      await this.fold(name, (link, context) => foldLook(link, look, context));
    }
    await this.carryOut();
    await this.tellNews();
    return instant(this.nextLook(clock.now()));
  }

  /** Soon after a start, to see whether it lasts, and when a backoff ends. */
  private nextLook(now: number): number {
    const { book, settings } = this.parts;
    const soon = now + settings.tickMs * LOOK_SHARE_MIN;
    const checkAt = book.isRecovering ? now + settings.limits.backoffMs : Number.POSITIVE_INFINITY;
    return Math.max(soon, Math.min(checkAt, book.wakeAt));
  }

  private handOf(name: LinkName): Hand {
    const { hands } = this.parts;
    const hand = isMember(name) ? hands.members.get(name) : hands[name];
    if (!hand) throw new Error('it is no longer named in holter.yaml');
    return hand;
  }

  private async look(name: LinkName): Promise<LinkLook> {
    const { book, clock, say } = this.parts;
    const { look: before } = book.link(name);
    try {
      return await this.inTime(this.handOf(name).look(before));
    } catch (error) {
      say(`${name}: it could not be looked at: ${(error as Error).message}`);
      const process = before?.process ?? null;
      return { at: clock.now(), process, state: 'unknown', cpuMs: null, tick: null };
    }
  }

  /** What can't be seen of the town must not keep the links from being looked after. */
  private async see(looks: TownLooks): ReturnType<TownDuties['see']> {
    try {
      return await this.inTime(this.parts.duties.see(looks));
    } catch (error) {
      this.parts.say(`the town could not be looked at: ${(error as Error).message}`);
      return { isBootRunning: true, triage: null, silence: null, lifecycle: [] };
    }
  }

  /** One link that can't be looked at must not hold up the look at another. */
  private inTime<T>(look: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the look took too long')), this.parts.lookMs);
      look.then(resolve, reject).finally(() => clearTimeout(timer));
    });
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
    const { book, clock, settings, isHeld, only } = this.parts;
    const { effect } = claimed;
    const name = effect.agentId as LinkName;
    if (only !== undefined && name !== only)
      return book.retry(claimed, instant(clock.now() + settings.tickMs), 'it is left to the daemon');
    const isOwnAct = effect.kind !== 'notify' && !isOrderedByPerson(book.link(name));
    if (isOwnAct && isHeld())
      return book.retry(claimed, instant(clock.now() + settings.tickMs), 'acts are stopped');
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
    const { book, say } = this.parts;
    if (!(await this.secondLook(name, claimed))) return;
    const { effect } = claimed;
    const process = book.link(name).look?.process;
    const isOrdered = effect.kind === 'terminate' && effect.order === 'person';
    const left = process
      ? await this.tried(() => this.handOf(name).stop(process, isOrdered))
      : 'its process is not known';
    if (left !== null) {
      say(`${name}: it was not ended: ${left}`);
      return this.receive(name, claimed, 'unknown', left);
    }
    say(`${name}: ended`);
    await this.receive(name, claimed, 'done', 'its process is gone');
    const { at } = this.moment;
    const gone = { at, process: process ?? null, state: 'gone', cpuMs: null, tick: null } as const;
    await this.fold(name, (link, context) => foldLook(link, gone, context));
  }

  private async startLink(name: LinkName, claimed: ClaimedEffect): Promise<void> {
    const { say } = this.parts;
    if (!(await this.secondLook(name, claimed))) return;
    let how: string | undefined;
    const failure = await this.tried(async () => {
      how = await this.handOf(name).start();
      return null;
    });
    const look = failure === null ? await this.look(name) : null;
    // Only a triage may have come to its end already.
    const isUp = look?.state === 'running' || (name === 'boot' && look?.state === 'ended');
    if (look?.process && isUp) {
      const { process } = look;
      say(`${name}: ${how ?? STARTED}`);
      await this.fold(name, (link, context) => foldStart(link, process, context));
      return this.receive(name, claimed, 'done', 'it is up');
    }
    const detail = failure ?? 'it is not there after its start';
    say(`${name}: ${notStarted(detail)}`);
    return this.receive(name, claimed, 'refused', detail);
  }

  /** Looks again right before acting: the rules cancel what is no longer justified. */
  private async secondLook(name: LinkName, { effect }: ClaimedEffect): Promise<boolean> {
    const { book, clock, settings, newSecret, say } = this.parts;
    if (effect.kind === 'terminate')
      await new Promise<void>((resolve) => void clock.after(settings.tickMs * SECOND_LOOK_SHARE, resolve));
    const look = await this.look(name);
    await this.fold(name, (link, context) => foldLook(link, look, context));
    const { claim } = await this.fold(name, (link, context) => foldClaim(link, effect, newSecret(), context));
    if (claim === 'proceed') return true;
    say(`${name}: ${effect.kind} was called off, because the second look was different`);
    await book.settle(effect, this.moment.at, 'cancelled', 'the second look was different');
    return false;
  }

  private async tellPerson(claimed: ClaimedEffect): Promise<void> {
    const { book, clock, settings, tell } = this.parts;
    const { effect } = claimed;
    if (effect.kind !== 'notify') return;
    const { message, incidentId, agentId } = effect;
    const failure = await this.tried(() => tell(message));
    if (failure !== null) {
      await book.retry(claimed, instant(clock.now() + settings.tickMs / 2), failure);
      if (incidentId === null) return;
      const link = agentId as LinkName;
      // What a letter offers to decide can't be decided while the server does not answer.
      const [evidence] = (book.link(link).agent?.hard.points ?? []).map((point) => point.evidence);
      const words = evidence === undefined ? message : `${link}: ${evidence}`;
      return this.tellOutside({ link, about: incidentId, message: words });
    }
    return this.receive(effect.agentId as LinkName, claimed, 'posted', 'sent to the overseer');
  }

  private async receive(
    name: LinkName,
    { effect }: ClaimedEffect,
    outcome: 'done' | 'refused' | 'unknown' | 'posted',
    detail: string,
  ): Promise<void> {
    const { book } = this.parts;
    await this.fold(name, (link, context) => foldReceipt(link, effect, { outcome, detail }, context));
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

  private async act(act: DaemonAct): Promise<void> {
    const { duties, say } = this.parts;
    let how: string | undefined;
    const failure = await this.tried(async () => {
      if (act.kind === 'triage') await duties.triage();
      else if (act.kind === 'wake') await duties.wake();
      else if (act.kind === 'hand-over') await duties.handOver(act.request);
      else how = await this.handOf(act.name).start();
      return null;
    });
    if (act.kind === 'start')
      say(`${act.name}: ${failure === null ? (how ?? STARTED) : notStarted(failure)}`);
    else if (failure !== null) say(`${act.kind} failed: ${failure}`);
    if (act.kind === 'start' && failure !== null) await this.fold(act.name, foldFailedStart);
  }

  /** By letter, in order, each once; what can't be sent now is sent later. */
  private async tellNews(): Promise<void> {
    const { book, settings, tell } = this.parts;
    for (let news = book.untold[0]; news; news = book.untold[0]) {
      const message = inWords(news, settings.limits);
      if ((await this.tried(() => tell(message))) !== null) break;
      await book.noteTold();
    }
    // The end of a condition is told to those who know of its beginning.
    for (const news of book.untold)
      if (news.what === 'latched' || news.what === 'unheard')
        await this.tellOutside({
          link: news.name as LinkName,
          about: news.what,
          message: inWords(news, settings.limits),
        });
    await this.tried(async () => {
      await this.parts.outside.settle();
      return null;
    });
  }

  private async tellOutside(condition: Condition): Promise<void> {
    const failure = await this.tried(async () => {
      await this.parts.outside.tell(condition);
      return null;
    });
    if (failure !== null) this.parts.say(`people could not be told: ${failure}`);
  }

  private async fold(name: LinkName, folding: Parameters<ChainBook['fold']>[2]): Promise<LinkStep> {
    const { book, say, settings } = this.parts;
    const step = await book.fold(name, this.moment, folding);
    if (step.says) say(inWords({ name, what: step.says }, settings.limits));
    this.sayEvents(name, step.events);
    return step;
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

const STARTED = 'started';

const notStarted = (why: string): string => `it could not be started: ${why}`;

const isMember = (name: LinkName): name is MemberLink => name.startsWith('agent:');

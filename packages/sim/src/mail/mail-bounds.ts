import type { HolterEvent } from '@holter/core';
import { contract, pulseOfRole, TOLERANCE_MS } from '../audit/contract.ts';
import type { Report } from '../audit/violation.ts';
import { Gaps } from '../checker/gaps.ts';
import type { MailAgent, Sign } from './mail-agent.ts';

/** What a server that dies may not have written yet, and how far its ticks are from its death and its start. */
const LOST_MS = 2 * contract.tickMs;
const SIGNS_KEPT = 8;

type Watched = {
  /** The newest signs of life that Holter has taken, oldest first. */
  readonly signs: number[];
  /** The newest sign that Holter may have taken. */
  maybeAt: number;
  /** It said so, or answered an inquiry: its next deadline may be twice as long. */
  mayBeBusy: boolean;
  liveness: 'alive' | 'unknown' | 'gone';
  unknownAt: number;
  isFailing: boolean;
  failedAt: number;
  /** When it may have said that it can't continue, in this life; and when it surely has. */
  givingUpAt: number;
  gaveUpAt: number;
  /** Since when it answers every letter, can be reached, and a server runs. */
  wellSince: number;
};

/**
 * Invariants 1 and 2 for agents that are pinged: the earliest and the latest lawful moment at which one is called
 * unknown, and then FAILING, from the signs of life that Holter took; that it is pinged in time; and that nobody who
 * answers is called FAILING.
 */
export class MailBounds {
  private readonly report: Report;
  private readonly watched = new Map<string, Watched>();
  /** Times without a server: surely lost, and lost at the most. */
  readonly least = new Gaps();
  readonly most = new Gaps();
  private readonly deaths: number[] = [];

  constructor(report: Report) {
    this.report = report;
  }

  private of({ name }: MailAgent): Watched {
    const known = this.watched.get(name);
    if (known) return known;
    const unheard: Watched = {
      signs: [],
      maybeAt: 0,
      mayBeBusy: false,
      liveness: 'gone',
      unknownAt: Number.NaN,
      isFailing: false,
      failedAt: 0,
      givingUpAt: Number.POSITIVE_INFINITY,
      gaveUpAt: Number.POSITIVE_INFINITY,
      wellSince: Number.POSITIVE_INFINITY,
    };
    this.watched.set(name, unheard);
    return unheard;
  }

  hearing(agent: MailAgent, sign: Sign, at: number): void {
    const watched = this.of(agent);
    watched.maybeAt = at;
    if (sign === 'busy') watched.mayBeBusy = true;
  }

  heard(agent: MailAgent, sign: Sign, at: number): void {
    const watched = this.of(agent);
    watched.signs.push(at);
    if (watched.signs.length > SIGNS_KEPT) watched.signs.shift();
    if (sign !== 'act') watched.mayBeBusy = sign === 'busy';
  }

  givingUp(agent: MailAgent, at: number): void {
    const watched = this.of(agent);
    watched.givingUpAt = Math.min(watched.givingUpAt, at - TOLERANCE_MS);
  }

  gaveUp(agent: MailAgent, at: number): void {
    this.of(agent).gaveUpAt = at;
  }

  isWell(agent: MailAgent, isWell: boolean, at: number): void {
    const watched = this.of(agent);
    if (!isWell) watched.wellSince = Number.POSITIVE_INFINITY;
    else if (watched.wellSince === Number.POSITIVE_INFINITY) watched.wellSince = at;
  }

  down(from: number, to: number): void {
    this.deaths.push(from);
    this.least.add(from, to);
    this.most.add(from - LOST_MS, to + LOST_MS);
  }

  read(agent: MailAgent, event: HolterEvent): void {
    const watched = this.of(agent);
    const { at } = event;
    if (event.type === 'AGENT_REGISTERED') begin(watched, at);
    if (event.type === 'LIVENESS_CHANGED') {
      watched.liveness = event.payload.to;
      if (event.payload.to === 'alive') watched.mayBeBusy = true;
      if (event.payload.to === 'unknown') this.becameUnknown(agent, watched, at);
    }
    if (event.type === 'HEALTH_STATE_CHANGED') {
      watched.isFailing = event.payload.to === 'FAILING';
      if (watched.isFailing) watched.failedAt = at;
      if (watched.isFailing && watched.givingUpAt > at) this.becameFailing(agent, watched, at);
    }
  }

  inspect(agent: MailAgent, at: number): void {
    const watched = this.of(agent);
    const { intervalMs, missed, slackMs } = pulseOfRole(agent.role);
    const heardAt = Math.max(watched.signs.at(-1) ?? 0, watched.maybeAt);
    const waitMs = (watched.mayBeBusy ? 2 : 1) * missed * intervalMs + slackMs;
    const unknownBy = this.most.latest(heardAt, waitMs, intervalMs);
    if (watched.liveness === 'alive' && at > unknownBy + TOLERANCE_MS)
      this.violate(2, agent, watched, at, `not heard for ${seconds(at - heardAt)} and still taken for alive`);
    const isBelieved = watched.isFailing || watched.failedAt >= watched.givingUpAt;
    if (!isBelieved && at > watched.gaveUpAt + LOST_MS) {
      this.violate(2, agent, watched, at, 'has said that it cannot continue, and is not called FAILING');
      watched.gaveUpAt = Number.POSITIVE_INFINITY;
    }
    const failingBy = this.most.latest(watched.unknownAt, contract.inquiryMs, intervalMs);
    if (watched.liveness === 'unknown' && !watched.isFailing && at > failingBy + LOST_MS)
      this.violate(2, agent, watched, at, 'has not answered its inquiry and is not called FAILING');
  }

  /** A ping lies in its box; the next one follows within an interval. */
  pinged(agent: MailAgent, pingedAt: number, at: number): void {
    const { intervalMs } = pulseOfRole(agent.role);
    const watched = this.of(agent);
    const since = Math.max(pingedAt, watched.signs[0] ?? at);
    if (watched.liveness !== 'gone' && at > this.most.latest(since, intervalMs, 0) + LOST_MS)
      this.violate(2, agent, watched, at, `not pinged for ${seconds(at - since)}`);
  }

  private becameUnknown(agent: MailAgent, watched: Watched, at: number): void {
    watched.unknownAt = at;
    const keptAt = this.keptSign(watched.signs.filter((sign) => sign < at));
    if (!this.mayBeLost(agent, at))
      this.violate(1, agent, watched, at, `called unknown ${seconds(at - keptAt)} after it was heard`);
  }

  /** Whether it may have missed as many pings as its role permits. */
  mayBeLost(agent: MailAgent, at: number): boolean {
    const { intervalMs, missed, slackMs } = pulseOfRole(agent.role);
    const { signs, maybeAt } = this.of(agent);
    const keptAt = this.keptSign(signs.filter((sign) => sign < at));
    // One that Holter may have taken after an outage ends the grace for it: then the deadline is earlier.
    return [keptAt, maybeAt].some(
      (sign) =>
        sign < at &&
        at >= this.least.earliest(sign, missed * intervalMs + slackMs, intervalMs) - TOLERANCE_MS,
    );
  }

  lostSince(agent: MailAgent): number | null {
    const { liveness, unknownAt } = this.of(agent);
    return liveness === 'unknown' ? unknownAt : null;
  }

  private becameFailing(agent: MailAgent, watched: Watched, at: number): void {
    const askedMs = at - watched.unknownAt;
    if (watched.liveness !== 'unknown' || askedMs < contract.inquiryMs - TOLERANCE_MS)
      this.violate(1, agent, watched, at, `called FAILING ${seconds(askedMs)} after it was asked`);
    if (at - watched.wellSince > contract.inquiryMs)
      this.violate(
        1,
        agent,
        watched,
        at,
        'called FAILING, though it has answered every letter since it was asked',
      );
  }

  /** A server that dies may take the newest signs with it. */
  private keptSign(signs: readonly number[]): number {
    const isKept = (sign: number): boolean =>
      !this.deaths.some((death) => sign <= death + LOST_MS && sign >= death - LOST_MS);
    return signs.filter(isKept).at(-1) ?? signs[0] ?? 0;
  }

  /** Once for each silence. */
  private violate(invariant: 1 | 2, agent: MailAgent, watched: Watched, at: number, what: string): void {
    this.report(
      invariant,
      agent.name,
      at,
      `${what} (${agent.condition}${agent.isCutOff ? ', cut off' : ''})`,
    );
    watched.signs.push(at);
    watched.unknownAt = at;
  }
}

/** What was heard since belongs to the new incarnation: the log is read a little later. */
function begin(watched: Watched, at: number): void {
  const since = watched.signs.filter((sign) => sign > at);
  watched.signs.splice(0, Number.POSITIVE_INFINITY, at, ...since);
  watched.mayBeBusy = false;
  watched.liveness = 'alive';
  watched.isFailing = false;
  watched.givingUpAt = Number.POSITIVE_INFINITY;
  watched.gaveUpAt = Number.POSITIVE_INFINITY;
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

import type {
  Acquired,
  BreakerAct,
  BreakerState,
  Effect,
  HolterEvent,
  InputBody,
  Transition,
} from '@holter/core';
import { breakerContract, contract, TOLERANCE_MS } from './contract.ts';
import type { Report } from './violation.ts';

type Outcomes = Extract<BreakerAct, { kind: 'report' }>['report'];
type Permit = { readonly generation: number; readonly permitId: number; readonly at: number };
type Change = Extract<HolterEvent, { type: 'CIRCUIT_BREAKER_STATE_CHANGED' }>;

/** Of a call that was reported. */
type Outcome = { readonly isFailure: boolean; readonly durationMs: number };

/** As far back as any of them looks. */
const OUTCOMES_MAX = 20;

/** What callers and events show of one breaker. */
type Seen = {
  state: BreakerState;
  openedAt: number;
  /** Trips in a row, without a time of being closed in between. */
  trips: number;
  /** How the calls went that count while it is closed, oldest first. */
  outcomes: Outcome[];
  isolatedUntil: number;
  /** Permits given since the newest change of any kind; what was given before it is of the past. */
  permits: Permit[];
};

/** In this world, only strangers name a start, and only they call the breaker of Holter's own starts. */
const isForged = ({ name, act, incarnation }: Extract<InputBody, { kind: 'breaker' }>): boolean =>
  incarnation !== undefined || (name === 'recovery_attempt' && act.kind === 'report');

/**
 * Invariant 10, from the callers' side: who was let through and when, who reported what, and what the events
 * said about it. Breakers belong to the name, so a new start of the agent changes nothing here.
 */
export class BreakerAudit {
  private readonly report: Report;
  private readonly seen = new Map<string, Seen>();

  constructor(report: Report) {
    this.report = report;
  }

  private of(agentId: string, name: string): Seen {
    const key = `${agentId} ${name}`;
    let seen = this.seen.get(key);
    if (seen === undefined) {
      seen = { state: 'CLOSED', openedAt: 0, trips: 0, outcomes: [], isolatedUntil: 0, permits: [] };
      this.seen.set(key, seen);
    }
    return seen;
  }

  private stateOf(agentId: string, name: string): BreakerState {
    return this.of(agentId, name).state;
  }

  folded(agentId: string, at: number, input: InputBody, result: Transition): void {
    if (input.kind === 'breaker' && isForged(input)) {
      if (result.rejection === undefined)
        this.report(12, agentId, at, `a stranger reached its breaker ${input.name}`);
      return;
    }
    const changes = result.events.filter(
      (event): event is Change => event.type === 'CIRCUIT_BREAKER_STATE_CHANGED',
    );
    if (changes.length === 0 && input.kind !== 'breaker') return;
    // What time alone has done comes before what the input did.
    const isByTime = ({ payload }: Change): boolean => payload.from === 'OPEN' && payload.to === 'HALF_OPEN';
    for (const change of changes.filter(isByTime)) this.changed(agentId, change);
    const others = changes.filter((change) => !isByTime(change));
    if (input.kind === 'breaker') {
      const own = others.filter(({ payload }) => payload.name === input.name);
      this.acted(agentId, at, input.name, input.act, result.permit, own);
    }
    for (const change of others) this.changed(agentId, change);
  }

  private changed(agentId: string, { at, payload: { name, from, to } }: Change): void {
    const seen = this.of(agentId, name);
    if (seen.state !== from)
      this.report(10, agentId, at, `the breaker ${name} went from ${from}, but it was ${seen.state}`);
    if (to === 'HALF_OPEN' && at < this.halfOpenFrom(name, seen) - TOLERANCE_MS)
      this.report(10, agentId, at, `the breaker ${name} is half open before its time`);
    if (to === 'OPEN') {
      seen.openedAt = at;
      seen.trips++;
    } else if (to === 'CLOSED') seen.trips = 0;
    seen.state = to;
    seen.outcomes = [];
    seen.permits = [];
  }

  private halfOpenFrom(name: string, { openedAt, trips }: Seen): number {
    const { openGrowth, openMsMax } = contract.breaker;
    return openedAt + Math.min(openMsMax, breakerContract(name).openMs * openGrowth ** (trips - 1));
  }

  private acted(
    agentId: string,
    at: number,
    name: string,
    act: BreakerAct,
    answer: Acquired | undefined,
    own: readonly Change[],
  ): void {
    const seen = this.of(agentId, name);
    switch (act.kind) {
      case 'acquire':
        return answer?.kind === 'permit'
          ? this.letThrough(agentId, at, name, seen, answer)
          : this.refused(agentId, at, name, seen, answer?.because);
      case 'report':
        return this.reported(agentId, at, name, seen, act.report, own);
      case 'isolate':
        seen.isolatedUntil = at + act.forMs;
        seen.permits = [];
        return;
      case 'reset':
        seen.isolatedUntil = 0;
        seen.permits = [];
        seen.outcomes = [];
        seen.trips = 0;
        return;
    }
  }

  private letThrough(
    agentId: string,
    at: number,
    name: string,
    seen: Seen,
    { generation, permitId }: { readonly generation: number; readonly permitId: number },
  ): void {
    const say = (what: string): void => this.report(10, agentId, at, `${name} let a call through ${what}`);
    if (at < seen.isolatedUntil - TOLERANCE_MS) say('while an operator holds it open');
    else if (seen.state === 'OPEN') say('while it is open');
    else if (seen.state === 'HALF_OPEN') {
      const out = this.stillOut(seen, at + TOLERANCE_MS).length;
      if (out >= breakerContract(name).permits) say(`although ${out} are out already`);
    }
    seen.permits.push({ generation, permitId, at });
  }

  private stillOut({ permits }: Seen, at: number): readonly Permit[] {
    return permits.filter((permit) => at - permit.at < contract.breaker.permitMs);
  }

  private refused(agentId: string, at: number, name: string, seen: Seen, because: string | undefined): void {
    const say = (what: string): void => this.report(10, agentId, at, `${name} refused a call ${what}`);
    switch (because) {
      case 'isolated':
        if (at > seen.isolatedUntil + TOLERANCE_MS) say('as isolated, though that is over');
        return;
      case 'open': {
        const openMs = (this.halfOpenFrom(name, seen) - seen.openedAt) * (1 + contract.breaker.jitterMax);
        if (seen.state !== 'OPEN' || at > seen.openedAt + openMs + TOLERANCE_MS)
          say('as open, though its time is over');
        return;
      }
      case 'half-open':
        if (this.stillOut(seen, at - TOLERANCE_MS).length < breakerContract(name).permits)
          say('for permits that were lost long ago');
        return;
      default:
        return say('without a reason');
    }
  }

  /** A report counts when its permit is of the present and has not expired; any other must change nothing. */
  private reported(
    agentId: string,
    at: number,
    name: string,
    seen: Seen,
    report: Outcomes,
    own: readonly Change[],
  ): void {
    const say = (what: string): void => this.report(10, agentId, at, `${name}: a ${report.outcome} ${what}`);
    const isOfNow = ({ generation, permitId }: Permit): boolean =>
      generation === report.generation && permitId === report.permitId;
    const permit = seen.permits.find(isOfNow);
    const isExpired =
      seen.state === 'HALF_OPEN' && permit !== undefined && at - permit.at >= contract.breaker.permitMs;
    if (permit === undefined || isExpired || at < seen.isolatedUntil) {
      if (own.length > 0) say('that came too late changed it');
      return;
    }
    seen.permits = seen.permits.filter((other) => other !== permit);
    const outcome = { isFailure: report.outcome === 'failure', durationMs: report.durationMs ?? 0 };
    const became = own[0]?.payload.to ?? seen.state;
    if (seen.state === 'CLOSED') {
      seen.outcomes = [...seen.outcomes, outcome].slice(-OUTCOMES_MAX);
      const has = `with ${seen.outcomes.filter((each) => isBad(name, each)).length} bad of ${seen.outcomes.length}`;
      const should = opens(name, seen.outcomes) ? 'OPEN' : 'CLOSED';
      if (became !== should) say(`${has} ${should === 'OPEN' ? 'did not open' : 'opened'} it`);
    } else if (seen.state === 'HALF_OPEN') {
      const should = isBad(name, outcome) ? 'OPEN' : 'CLOSED';
      if (became !== should) say(`of a trial call left it ${became}`);
    }
  }

  /** Holter's own starts go through a breaker too; only a person's order passes it while it is open. */
  ordered({ kind, agentId }: Effect, isOrdered: boolean, at: number): void {
    if (kind !== 'spawn' || isOrdered) return;
    if (this.stateOf(agentId, 'recovery_attempt') === 'OPEN')
      this.report(10, agentId, at, 'a start is wanted while starts are broken off');
  }
}

function isBad(name: string, { isFailure, durationMs }: Outcome): boolean {
  const { opens } = breakerContract(name);
  return isFailure || ('slowMs' in opens && durationMs > opens.slowMs);
}

function opens(name: string, outcomes: readonly Outcome[]): boolean {
  const { opens: by } = breakerContract(name);
  if ('inRow' in by)
    return outcomes.length >= by.inRow && outcomes.slice(-by.inRow).every(({ isFailure }) => isFailure);
  const newest = outcomes.slice(-by.of);
  return (
    newest.length >= by.min && newest.filter((each) => isBad(name, each)).length > by.share * newest.length
  );
}

import { hashText } from '../base/hash.ts';
import type { DurationMs, Instant } from '../base/time.ts';
import { between } from '../base/time.ts';
import { emptyFleetGuard } from '../fleet/guard.ts';
import { heldGuard } from '../fleet/held.ts';
import { fleetDefaults } from '../policy/defaults.ts';
import type { FleetPolicy, Policy } from '../policy/policy.ts';
import type { Agent } from '../record/agent.ts';
import type { ClaimVerdict, InputBody } from '../record/input.ts';
import { enroll } from '../transition/enroll.ts';
import { transition } from '../transition/transition.ts';
import type { Effect, Life, ReceiptOutcome } from '../vocabulary/effect.ts';
import { stillWanted } from '../vocabulary/effect.ts';
import type { HolterEvent } from '../vocabulary/event.ts';
import type { Finding, FindingKind } from '../vocabulary/finding.ts';
import { ASKING_STEPS } from '../vocabulary/ladder.ts';
import type { SignalBody } from '../vocabulary/signal.ts';
import type { StallLog } from '../vocabulary/stall.ts';
import {
  type BudgetLimits,
  noteCrash,
  noteStart,
  noteUp,
  type StartBudget,
  startAllowedAt,
} from './budget.ts';
import { chainPolicy, NO_NOTICES } from './chain-policy.ts';
import { CHAIN_EXECUTOR, CHAIN_GROUP, type LinkName } from './link-name.ts';
import {
  hasMoved,
  isMoving,
  isTooEarly,
  isTooSoon,
  type LinkLook,
  type LookGap,
  type Stillness,
  stillnessOf,
  UNHEARD_LOOKS_MAX,
  type Unheard,
  unheardAfter,
  unheardInWords,
} from './server-look.ts';

/** One link: its record as that of any agent, the last look at it, and its budget of starts. */
export type Link = {
  readonly agent: Agent | null;
  readonly look: LinkLook | null;
  readonly budget: StartBudget;
  /** Of the server alone, which always answers: while it does not. */
  readonly unheard?: Unheard;
};

export type LinkContext = {
  readonly name: LinkName;
  readonly at: Instant;
  /** When the daemon itself did not look. */
  readonly stalls: StallLog;
  /** As for every agent; the chain changes what it must. */
  readonly policy: Policy;
  readonly limits: BudgetLimits;
  readonly gap: LookGap;
  /** A person has stopped Holter's own acts: every step is deferred. */
  readonly isHeld: boolean;
  /** It was shut down on purpose, and is not to be started. */
  readonly isDown: boolean;
};

export type LinkSays = 'latched' | 'cleared' | 'unheard' | 'heard';

/** What one input leads to, to be committed before any of its effects is carried out. */
export type LinkStep = {
  readonly link: Link;
  readonly events: readonly HolterEvent[];
  readonly effects: readonly Effect[];
  readonly over: readonly Life[];
  readonly claim?: ClaimVerdict;
  /** The budget was latched or cleared, or the server is not heard, or is heard again. Said once. */
  readonly says?: LinkSays;
};

/** What a look says, as inputs of the same rules that every agent is judged by. */
export function foldLook(link: Link, seen: LinkLook, context: LinkContext): LinkStep {
  // What was shut down on purpose has not crashed.
  const state = context.isDown && seen.state === 'gone' ? 'ended' : seen.state;
  // A look that fails says nothing about what is known of its end.
  const { notBefore, order } = state === 'unknown' && link.look ? link.look : seen;
  const overOrderAt = state === 'running' || state === 'stopped' ? undefined : link.look?.overOrderAt;
  const look: LinkLook = {
    ...{ ...seen, state },
    ...(notBefore !== undefined && { notBefore }),
    ...(order !== undefined && { order }),
    ...(overOrderAt !== undefined && { overOrderAt }),
  };
  const fold = new Fold(link, context);
  fold.meet(look);
  if (look.state === 'running' || (look.state === 'ended' && context.name === 'boot')) fold.noteUp();
  // Somebody has started it again, and that start has crashed before it was seen.
  if (look.state === 'gone' && fold.isSettled) fold.enroll(`unseen at ${context.at}`, undefined);
  if (fold.isRunning) {
    const stillness = stillnessOf(link.look, look, context.gap);
    if (look.state === 'gone') fold.signal({ kind: 'exited', code: null });
    else if (look.state === 'ended') fold.signal({ kind: 'stopped', reason: 'it was stopped on purpose' });
    else if (hasMoved(link.look, look)) fold.hear();
    else if (stillness) fold.reportStillness(stillness);
    else if (look.doubt !== undefined || isMoving(link.look, look)) fold.clear('frozen');
  }
  if (context.isDown) fold.accept('it was shut down on purpose');
  else if (isTooEarly(look, context)) fold.accept('it waits for its usage limit to reset');
  if (context.name === 'server') fold.countUnheard(link.look, look);
  fold.apply({ kind: 'tick' });
  fold.repair();
  return fold.done(isTooSoon(link.look, look, context.gap) ? link.look : look);
}

/** Another judge of the link, such as Boot's triage, has found it to stand still. */
export function foldStillness(link: Link, stillness: Stillness, context: LinkContext): LinkStep {
  const fold = new Fold(link, context);
  if (fold.isRunning) fold.reportStillness(stillness);
  return fold.done(link.look);
}

/** Nobody says any more that it stands still. */
export function foldDoubt(link: Link, context: LinkContext): LinkStep {
  const fold = new Fold(link, context);
  if (fold.isRunning) fold.clear('frozen');
  return fold.done(link.look);
}

/** Whether a person has ordered what is being done about it now: that is done also while Holter's own acts are stopped. */
export const isOrderedByPerson = ({ agent }: Link): boolean =>
  agent?.hard.incident?.order?.source === 'person';

/** Only people can help: it does not report, and nothing is known against its process. */
export function foldSilence(link: Link, silence: Omit<Stillness, 'seen'>, context: LinkContext): LinkStep {
  const fold = new Fold(link, context);
  if (fold.isRunning) {
    fold.clear('frozen');
    fold.raise('missed-heartbeats', 'agent-reports', silence.since, silence.reported);
  }
  return fold.done(link.look);
}

/** The last check before an effect is carried out; the newest look was folded before. `key` is a fresh secret. */
export function foldClaim(link: Link, effect: Effect, key: string, context: LinkContext): LinkStep {
  const fold = new Fold(link, context);
  const isLeft = context.isDown || (link.look !== null && isTooEarly(link.look, context));
  if (effect.kind === 'spawn' && isLeft) return { ...fold.done(link.look), claim: 'cancelled' };
  // A second look that fails confirms nothing.
  const isBlind = link.look?.state === 'unknown' && !isOrderedByPerson(link);
  if (effect.kind === 'terminate' && isBlind) return { ...fold.done(link.look), claim: 'cancelled' };
  const claim = fold.apply({ kind: 'claim', effect, evidence: { spawnKey: key } });
  if (claim === 'proceed' && effect.kind === 'spawn') fold.budget = noteStart(fold.budget, context.at);
  return { ...fold.done(link.look), claim: claim ?? 'cancelled' };
}

type Receipt = { readonly outcome: ReceiptOutcome; readonly detail: string };

/** The outcome of an effect. A termination is done when its process is seen to be gone. */
export function foldReceipt(link: Link, effect: Effect, receipt: Receipt, context: LinkContext): LinkStep {
  const fold = new Fold(link, context);
  const isFailedStart = effect.kind === 'spawn' && receipt.outcome === 'refused';
  if (isFailedStart) fold.crash();
  fold.apply({ kind: 'receipt', effect, ...receipt });
  return fold.done(link.look);
}

/** Somebody who may has ordered its end, for good or for a successor. */
export function foldOrder(
  link: Link,
  order: {
    readonly decision: 'terminate' | 'terminate_and_recover';
    readonly by: string;
    readonly reason: string;
  },
  context: LinkContext,
): LinkStep {
  const fold = new Fold(link, context);
  if (fold.isRunning) fold.apply({ kind: 'decision', decision: order });
  return fold.done(link.look);
}

/** It could not be started, by a start that no incident has asked for. */
export function foldFailedStart(link: Link, context: LinkContext): LinkStep {
  const fold = new Fold(link, context);
  fold.crash();
  return fold.done(link.look);
}

/** The successor that a claimed start has brought up. */
export function foldStart(link: Link, process: string, context: LinkContext): LinkStep {
  const fold = new Fold(link, context);
  fold.enroll(process, link.agent?.hard.spawnKey);
  fold.unheard = undefined;
  return fold.done({ at: context.at, process, state: 'running', cpuMs: null, tick: null });
}

class Fold {
  agent: Agent | null;
  budget: StartBudget;
  unheard: Unheard | undefined;
  private readonly before: Link;
  private readonly context: LinkContext;
  private readonly events: HolterEvent[] = [];
  private effects: readonly Effect[] = [];
  private readonly over: Life[] = [];

  constructor(link: Link, context: LinkContext) {
    this.agent = link.agent;
    this.budget = link.budget;
    this.unheard = link.unheard;
    this.before = link;
    this.context = context;
  }

  get isRunning(): boolean {
    return this.agent !== null && !this.agent.hard.end;
  }

  /** Its end is nobody's business any more. */
  get isSettled(): boolean {
    return this.agent?.hard.end !== undefined && !this.agent.hard.incident;
  }

  /** Registers the process that was seen, if it is not the known one. */
  meet({ process, state }: LinkLook): void {
    const known = this.agent?.hard;
    // It was never seen, and should run.
    if (!known && state === 'gone') return this.enroll(process ?? 'none', undefined);
    if (process === null || (state !== 'running' && state !== 'stopped')) return;
    if (known && !known.end && known.instanceHash === hashText(process)) return;
    // Somebody else has replaced it: there is one at most, so the one before has ended.
    if (known && !known.end) this.signal({ kind: 'stopped', reason: 'another start has replaced it' });
    this.enroll(process, undefined);
  }

  enroll(process: string, spawnKey: string | undefined): void {
    const { name, at, stalls } = this.context;
    const enrollment = enroll(
      this.agent,
      {
        agentId: name,
        instanceId: process,
        role: CHAIN_GROUP,
        group: CHAIN_GROUP,
        mode: 'act',
        promises: {},
        can: ['terminate', 'spawn', 'resume'],
        executor: CHAIN_EXECUTOR,
        source: 'operator',
        ...(spawnKey !== undefined && { spawnKey }),
      },
      { at, stalls, policy: this.policy },
    );
    if (enrollment.kind === 'refused') return;
    this.agent = enrollment.agent;
    this.events.push(...enrollment.events);
    this.over.push(...enrollment.over);
  }

  signal(body: SignalBody, origin: 'holter' | 'agent' = 'holter'): void {
    const { agent } = this;
    if (!agent) return;
    const { agentId, incarnation } = agent.hard;
    this.apply({ kind: 'signal', origin, signal: { agentId, incarnation, ...body } });
  }

  hear(): void {
    this.signal({ kind: 'heartbeat' }, 'agent');
    this.clear('frozen');
    this.clear('missed-heartbeats');
  }

  noteUp(): void {
    this.budget = noteUp(this.budget, this.context.at, this.context.limits);
  }

  /** A person was told of it while it ran, and it has ended since: its end is repaired like any other. */
  repair(): void {
    const { at, limits, isHeld } = this.context;
    const { end, incident } = this.agent?.hard ?? {};
    if (end?.how !== 'crash' || incident?.step !== 'human' || isHeld) return;
    if (startAllowedAt(this.budget, at, limits) > at) return;
    const given = { by: CHAIN_EXECUTOR, source: 'run', reason: 'its process is gone' } as const;
    this.apply({ kind: 'decision', decision: { decision: 'recover', ...given } });
  }

  /** It is meant to stay down. */
  accept(reason: string): void {
    const { end, incident } = this.agent?.hard ?? {};
    if (!end || !incident || incident.phase === 'acting') return;
    const given = { by: CHAIN_EXECUTOR, source: 'run', reason } as const;
    this.apply({ kind: 'decision', decision: { decision: 'dismiss', ...given } });
  }

  /** Both at once: the first alone must not send for a person, whom the second would make superfluous. */
  reportStillness({ since, reported, seen }: Stillness): void {
    this.raise('missed-heartbeats', 'agent-reports', since, reported, NO_NOTICES);
    this.raise('frozen', 'operating-system', since, seen);
  }

  raise(
    kind: FindingKind,
    source: Finding['source'],
    since: Instant,
    evidence: string,
    fleetPolicy = fleetDefaults,
  ): void {
    const { agent } = this;
    if (!agent) return;
    const finding: Finding = { kind, severity: 'act', source, since, evidence, threshold: 'two looks' };
    const { agentId, incarnation } = agent.hard;
    const signal = { agentId, incarnation, kind: 'finding', finding } as const;
    this.apply({ kind: 'signal', origin: 'holter', signal }, fleetPolicy);
  }

  clear(findingKind: FindingKind): void {
    if (this.agent?.hard.points.some(({ kind }) => kind === findingKind))
      this.signal({ kind: 'finding-cleared', findingKind });
  }

  apply(body: InputBody, fleetPolicy: FleetPolicy = fleetDefaults): ClaimVerdict | undefined {
    const { agent } = this;
    if (!agent) return undefined;
    const { at, stalls, isHeld } = this.context;
    // The end is a crash before the rules decide when to start again.
    if (body.kind === 'signal' && body.signal.kind === 'exited' && !isStopping(agent)) this.crash();
    const context = { policy: this.policy, fleetPolicy, groupSize: 1 };
    const fleet = isHeld ? heldGuard(CHAIN_GROUP, at) : emptyFleetGuard;
    const step = transition(agent, fleet, { at, stalls, ...body }, context);
    this.agent = step.agent;
    this.events.push(...step.events);
    this.effects = [...stillWanted(this.effects, step.over), ...step.effects];
    this.over.push(...step.over);
    return step.claim;
  }

  crash(): void {
    this.budget = noteCrash(this.budget, this.context.at, this.context.limits);
  }

  /**
   * After so many looks without an answer a person is told, never more: of a server that runs by an incident. While acts
   * are stopped its notice would wait, so that the chain says it, as it does where no process is known.
   */
  countUnheard(before: LinkLook | null, look: LinkLook): void {
    const { unheard: earlier, context } = this;
    const isMeant = look.state === 'ended' || context.isDown;
    // A look that has failed says nothing about a server that is known.
    const isFailed = look.state === 'unknown' && this.agent !== null;
    const isOver = isMeant || hasMoved(before, look) || (isFailed && !earlier);
    this.unheard = isOver ? undefined : unheardAfter(earlier, look, context.gap, !isFailed);
    const { unheard } = this;
    if (!unheard || isFailed || unheard.looks < UNHEARD_LOOKS_MAX) return;
    const { points = [], incident } = this.agent?.hard ?? {};
    const isRaised = (kind: FindingKind): boolean => points.some((point) => point.kind === kind);
    if (unheard.isSaid || (incident?.phase === 'waiting' && ASKING_STEPS.has(incident.step))) return;
    const isAtWork = this.isRunning && look.state === 'running' && !isRaised('frozen');
    if (!isAtWork || context.isHeld) {
      if (this.budget.latchedAt === undefined) this.unheard = { ...unheard, isSaid: true };
    } else if (!isRaised('missed-heartbeats'))
      this.raise('missed-heartbeats', 'agent-reports', unheard.since, unheardInWords(unheard));
  }

  done(look: LinkLook | null): LinkStep {
    const { agent, budget, unheard, events, effects, over, says } = this;
    const link = { agent, look, budget, ...(unheard && { unheard }) };
    return { link, events, effects, over, ...(says && { says }) };
  }

  private get says(): LinkSays | null {
    const { before, budget, unheard } = this;
    if (before.budget.latchedAt !== budget.latchedAt)
      return budget.latchedAt === undefined ? 'cleared' : 'latched';
    if (before.unheard?.isSaid === unheard?.isSaid) return null;
    return unheard?.isSaid ? 'unheard' : 'heard';
  }

  private get policy(): Policy {
    return chainPolicy(this.context.policy, this.startWaitMs);
  }

  /** The rules count the wait for a first attempt from the end of the link, and for the next ones from now. */
  private get startWaitMs(): DurationMs {
    const { at, limits } = this.context;
    const { end, incident } = this.agent?.hard ?? {};
    const isTried = incident?.step === 'recover' && (incident.attempt > 1 || incident.wait !== undefined);
    const from = isTried ? at : (end?.at ?? at);
    return between(from, startAllowedAt(this.budget, at, limits));
  }
}

/** Holter has ended it itself. */
const isStopping = ({ hard }: Agent): boolean =>
  hard.incident?.step === 'terminate' && hard.incident.phase === 'acting';

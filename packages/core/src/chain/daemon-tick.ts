import type { DurationMs, Instant } from '../base/time.ts';
import { between, milliseconds } from '../base/time.ts';
import type { Policy } from '../policy/policy.ts';
import { stillWanted } from '../vocabulary/effect.ts';
import { NO_STALLS, type StallLog, withStall } from '../vocabulary/stall.ts';
import { type BudgetLimits, budgetDefaults, fullBudget, noteStart, startAllowedAt } from './budget.ts';
import { type LifecycleRequest, type Shutdown, whyNotCarryOut } from './lifecycle.ts';
import {
  foldDoubt,
  foldLook,
  foldOrder,
  foldSilence,
  foldStillness,
  type Link,
  type LinkContext,
  type LinkSays,
  type LinkStep,
} from './link.ts';
import type { LinkName, MemberLink } from './link-name.ts';
import { isTooEarly, type LinkLook, type LookGap } from './server-look.ts';
import { type TriageAction, triageDefaults } from './triage.ts';

/** All that the daemon remembers. */
export type DaemonState = {
  readonly tickedAt: Instant | null;
  /** When the daemon itself did not tick. */
  readonly stalls: StallLog;
  readonly links: Readonly<Record<LinkName, Link>>;
  /** Links that were shut down on purpose. */
  readonly down: Readonly<Partial<Record<LinkName, Shutdown>>>;
  /** What the person in charge has not been told yet. */
  readonly untold: readonly DaemonSays[];
};

export const noLink: Link = { agent: null, look: null, budget: fullBudget };

export const newDaemonState: DaemonState = {
  tickedAt: null,
  stalls: NO_STALLS,
  links: { server: noLink, boot: noLink, deacon: noLink },
  down: {},
  untold: [],
};

/** All that a tick sees. */
export type DaemonSight = {
  readonly at: Instant;
  /** A person has stopped Holter's own acts (`holter estop`). */
  readonly isHeld: boolean;
  readonly server: LinkLook;
  /** The newest triage that this daemon has started. */
  readonly boot: LinkLook;
  /** A triage runs, whoever has started it. */
  readonly isBootRunning: boolean;
  readonly deacon: LinkLook;
  /** What Boot has decided about this very run of the Deacon since the last tick; null if nothing. */
  readonly triage: { readonly action: TriageAction; readonly reason: string } | null;
  /** What the daemon says itself about a Deacon that runs, while Boot does not look; see `unwatchedSilence`. */
  readonly silence: string | null;
  /** Witnesses, refineries and any other agents, in the order of the operator's file. */
  readonly members: readonly (readonly [name: MemberLink, look: LinkLook])[];
  /** What was asked for since the last tick. */
  readonly lifecycle: readonly LifecycleRequest[];
};

/** What is to be done besides the effects of the links, in this order. */
export type DaemonAct =
  | { readonly kind: 'triage' }
  /** The first one, or the successor of one that has ended on purpose. */
  | { readonly kind: 'start'; readonly name: 'deacon' | MemberLink }
  /** The Deacon is to be woken in the place of Boot. */
  | { readonly kind: 'wake' }
  /** A letter for the next run of one that is cycled. */
  | { readonly kind: 'hand-over'; readonly request: LifecycleRequest };

export type DaemonSays =
  | { readonly name: string; readonly what: LinkSays | 'stalled' }
  /** Its end was ordered elsewhere, so that it is not started again. */
  | { readonly name: string; readonly what: 'left-down'; readonly by: string; readonly reason: string }
  /** What has become of a request; `because` is null if it is carried out. */
  | {
      readonly name: string;
      readonly what: 'asked';
      readonly request: LifecycleRequest;
      readonly because: string | null;
    };

export type DaemonTick = {
  readonly state: DaemonState;
  /** To be committed before any of their effects is carried out; the server first, because the others report to it. */
  readonly steps: readonly (readonly [name: LinkName, step: LinkStep])[];
  readonly acts: readonly DaemonAct[];
  readonly says: readonly DaemonSays[];
};

export type DaemonSettings = {
  readonly tickMs: DurationMs;
  readonly limits: BudgetLimits;
  readonly policy: Policy;
};

/** Of a town that says nothing else. */
export const daemonDefaults = { tickMs: triageDefaults.tickMs, limits: budgetDefaults };

/**
 * Two looks prove something together if they are between half a tick and a tick and a half apart. After a longer gap
 * the daemon itself was suspended, or starved of CPU time.
 */
const gapOf = (tickMs: DurationMs): LookGap => ({
  msMin: milliseconds(tickMs / 2),
  msMax: milliseconds(1.5 * tickMs),
});

export const contextOf = (
  name: LinkName,
  { stalls, down }: DaemonState,
  { at, isHeld }: Pick<DaemonSight, 'at' | 'isHeld'>,
  { tickMs, limits, policy }: DaemonSettings,
): LinkContext => ({
  ...{ name, at, isHeld, stalls, policy, limits },
  isDown: down[name] !== undefined,
  gap: gapOf(tickMs),
});

/**
 * One tick of the daemon, in this order: Boot's triage, the Deacon's heartbeat as belt and braces, the agents of the
 * groups, and what was asked for; and the Holter server before all of them. It reasons about nothing: what it sees goes
 * in, what it does comes out.
 */
export function daemonTick(before: DaemonState, sight: DaemonSight, settings: DaemonSettings): DaemonTick {
  return new Tick(before, sight, settings).run();
}

class Tick {
  private readonly before: DaemonState;
  private readonly sight: DaemonSight;
  private readonly settings: DaemonSettings;
  private state: DaemonState;
  private readonly steps: (readonly [name: LinkName, step: LinkStep])[] = [];
  private readonly acts: DaemonAct[] = [];
  private readonly says: DaemonSays[] = [];

  constructor(before: DaemonState, sight: DaemonSight, settings: DaemonSettings) {
    this.before = before;
    this.sight = sight;
    this.settings = settings;
    this.state = beginTick(before, sight.at, settings.tickMs, this.says);
  }

  run(): DaemonTick {
    const { sight, steps, says } = this;
    this.fold('server', (link, context) => foldLook(link, sight.server, context));
    const boot = this.fold('boot', (link, context) => foldLook(link, sight.boot, context));
    // A triage that has crashed is run again by its incident, within its budget.
    if (!sight.isBootRunning && !boot.link.agent?.hard.incident) this.acts.push({ kind: 'triage' });
    const isNews = !isSilent(this.linkOf('deacon'));
    this.tickKept('deacon', sight.deacon, this.before.tickedAt === null, (link, look, context) =>
      foldDeacon(link, { ...sight, deacon: look }, this.before.tickedAt, context),
    );
    if (sight.silence !== null && isNews && isSilent(this.linkOf('deacon')) && !sight.isHeld)
      this.acts.push({ kind: 'wake' });
    for (const [name, look] of sight.members)
      this.tickKept(name, look, !Object.hasOwn(this.before.links, name), foldLook);
    for (const request of sight.lifecycle) this.carryOut(request);
    const { state } = this;
    const acts = this.acts.filter((act) => act.kind !== 'start' || state.down[act.name] === undefined);
    return { state, steps, acts, says };
  }

  /**
   * One that is to be kept running. A town that begins has none yet, and that is no crash; neither is an end on purpose,
   * whose successor is started without an incident, as often as its budget allows.
   */
  private tickKept(
    name: 'deacon' | MemberLink,
    look: LinkLook,
    isNew: boolean,
    folding: (link: Link, look: LinkLook, context: LinkContext) => LinkStep,
  ): void {
    const isFirst = isNew && look.state === 'gone';
    this.noteRunning(name, look);
    this.noteOrdered(name, look);
    const isDown = this.state.down[name] !== undefined;
    const seen: LinkLook = isFirst ? { ...look, state: 'unknown' } : look;
    this.fold(name, (link, context) => folding(link, seen, context));
    const mayStart = !isDown && !this.sight.isHeld && !isTooEarly(look, this.sight);
    if ((isFirst || seen.state === 'ended') && mayStart) this.start(name);
  }

  /** Somebody has started what was shut down: it is looked after again. */
  private noteRunning(name: LinkName, { state, process }: LinkLook): void {
    const { [name]: shutdown, ...down } = this.state.down;
    if (shutdown && (state === 'running' || state === 'stopped') && process !== shutdown.process)
      this.state = { ...this.state, down };
  }

  /** Somebody has ordered its end through the server: as if it were shut down, once. */
  private noteOrdered(name: LinkName, { state, order, process }: LinkLook): void {
    const { down } = this.state;
    if (state !== 'ended' || !order || down[name]) return;
    if (this.linkOf(name).look?.overOrderAt === order.at) return;
    const { by, reason } = order;
    this.state = { ...this.state, down: { ...down, [name]: { by, reason, at: this.sight.at, process } } };
    this.says.push({ name, what: 'left-down', by, reason });
  }

  private start(name: 'deacon' | MemberLink): void {
    const { at } = this.sight;
    const link = this.linkOf(name);
    if (startAllowedAt(link.budget, at, this.settings.limits) > at) return;
    this.put(name, { ...link, budget: noteStart(link.budget, at) });
    this.acts.push({ kind: 'start', name });
  }

  /** The last step of a tick. What a person asks for is done also while Holter's own acts are stopped. */
  private carryOut(request: LifecycleRequest): void {
    const { name, action, by, reason, process } = request;
    const { at } = this.sight;
    const isKept = name === 'deacon' || this.sight.members.some(([member]) => member === name);
    const isDown = this.state.down[name] !== undefined;
    const because = whyNotCarryOut(request, isKept ? this.linkOf(name) : undefined, isDown, at);
    this.says.push({ name, what: 'asked', request, because });
    if (because !== null) return;
    const { [name]: shutdown, ...down } = this.state.down;
    if (action === 'shutdown')
      this.state = { ...this.state, down: { ...down, [name]: { by, reason, at, process } } };
    else if (shutdown) {
      this.state = { ...this.state, down };
      this.noteOrderOver(name);
    }
    const isRunning = process !== null && action !== 'resume';
    if (!isRunning) {
      if (shutdown && action !== 'shutdown') this.start(name);
      return;
    }
    const decision = action === 'shutdown' ? 'terminate' : 'terminate_and_recover';
    this.fold(name, (link, context) => foldOrder(link, { decision, by, reason }, context));
    if (action === 'cycle') this.acts.push({ kind: 'hand-over', request });
  }

  /** What was ordered before does not count any more, also if the start fails that is asked for now. */
  private noteOrderOver(name: LinkName): void {
    const link = this.linkOf(name);
    const { order } = link.look ?? {};
    if (link.look && order) this.put(name, { ...link, look: { ...link.look, overOrderAt: order.at } });
  }

  private linkOf(name: LinkName): Link {
    return linkOf(this.state, name);
  }

  private put(name: LinkName, link: Link): void {
    this.state = { ...this.state, links: { ...this.state.links, [name]: link } };
  }

  private fold(name: LinkName, folding: (link: Link, context: LinkContext) => LinkStep): LinkStep {
    const context = contextOf(name, this.state, this.sight, this.settings);
    const step = folding(this.linkOf(name), context);
    this.put(name, step.link);
    this.steps.push([name, step]);
    if (step.says) this.says.push({ name, what: step.says });
    return step;
  }
}

/** People were told that it does not report. */
const isSilent = ({ agent }: Link): boolean =>
  agent?.hard.points.some(({ kind }) => kind === 'missed-heartbeats') === true;

export const linkOf = ({ links }: Pick<DaemonState, 'links'>, name: LinkName): Link => links[name] ?? noLink;

function beginTick(state: DaemonState, at: Instant, tickMs: DurationMs, says: DaemonSays[]): DaemonState {
  const { tickedAt, stalls } = state;
  if (tickedAt === null || between(tickedAt, at) <= gapOf(tickMs).msMax) return { ...state, tickedAt: at };
  says.push({ name: 'daemon', what: 'stalled' });
  return { ...state, tickedAt: at, stalls: withStall(stalls, tickedAt, at) };
}

/**
 * The daemon's own look decides about a Deacon that is gone, with or without Boot. Whether one that runs is stuck is
 * Boot's to say. Its word is some minutes old: it counts for one tick, and not for a Deacon that was heard since, or
 * whose process has begun to work.
 */
function foldDeacon(
  link: Link,
  { deacon, triage, silence, at }: Pick<DaemonSight, 'deacon' | 'triage' | 'silence' | 'at'>,
  tickedAt: Instant | null,
  context: LinkContext,
): LinkStep {
  const looked = foldLook(link, deacon, context);
  if (deacon.state !== 'running' && deacon.state !== 'stopped') return looked;
  const isHeard = (looked.link.agent?.soft.beatAt ?? 0) > (tickedAt ?? 0);
  // A heartbeat that can't be read any more has been written since.
  const isChanged = link.look?.process === deacon.process && link.look.tick !== deacon.tick;
  const isOver = isHeard || isChanged || (triage?.action === 'RESTART' && deacon.doubt !== undefined);
  const action = isOver ? undefined : triage?.action;
  const reported = triage?.reason ?? silence ?? '';
  const isSilenceTold = action === 'ESCALATE' || (action === undefined && silence !== null && !isHeard);
  const more =
    action === 'RESTART'
      ? foldStillness(looked.link, { since: at, reported, seen: reported }, context)
      : isSilenceTold
        ? foldSilence(looked.link, { since: at, reported }, context)
        : foldDoubt(looked.link, context);
  return {
    ...more,
    events: [...looked.events, ...more.events],
    effects: [...stillWanted(looked.effects, more.over), ...more.effects],
    over: [...looked.over, ...more.over],
    ...(looked.says && { says: looked.says }),
  };
}

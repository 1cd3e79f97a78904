import type { DurationMs, Instant } from '../base/time.ts';
import { between, milliseconds, minutes } from '../base/time.ts';
import type { Policy } from '../policy/policy.ts';
import { stillWanted } from '../vocabulary/effect.ts';
import { NO_STALLS, type StallLog, withStall } from '../vocabulary/stall.ts';
import { type BudgetLimits, budgetDefaults, fullBudget } from './budget.ts';
import {
  foldDoubt,
  foldLook,
  foldSilence,
  foldStillness,
  type Link,
  type LinkContext,
  type LinkName,
  type LinkStep,
} from './link.ts';
import { type Member, type MemberMemory, tickMembers } from './members.ts';
import type { LinkLook, LookGap } from './server-look.ts';
import type { TriageAction } from './triage.ts';

/** All that the daemon remembers. */
export type DaemonState = {
  readonly tickedAt: Instant | null;
  /** When the daemon itself did not tick. */
  readonly stalls: StallLog;
  readonly links: Readonly<Record<LinkName, Link>>;
  readonly members: Readonly<Record<string, MemberMemory>>;
};

const noLink: Link = { agent: null, look: null, budget: fullBudget };

export const newDaemonState: DaemonState = {
  tickedAt: null,
  stalls: NO_STALLS,
  links: { server: noLink, boot: noLink, deacon: noLink },
  members: {},
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
  /** Witnesses, refineries and any other agents, in the order of the operator's file. */
  readonly members: readonly Member[];
};

/** What is to be done besides the effects of the links, in this order. */
export type DaemonAct =
  | { readonly kind: 'triage' }
  /** The first one, or the successor of one that has handed over on purpose. */
  | { readonly kind: 'start-deacon' }
  | { readonly kind: 'start-member'; readonly name: string };

export type DaemonSays = { readonly name: string; readonly what: 'latched' | 'cleared' | 'stalled' };

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
export const daemonDefaults = { tickMs: minutes(3), limits: budgetDefaults };

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
  { stalls }: DaemonState,
  { at, isHeld }: Pick<DaemonSight, 'at' | 'isHeld'>,
  { tickMs, limits, policy }: DaemonSettings,
): LinkContext => ({ name, at, isHeld, stalls, policy, limits, gap: gapOf(tickMs) });

/**
 * One tick of the daemon, in this order: Boot's triage, the Deacon's heartbeat as belt and braces, the
 * agents of the groups; and the Holter server before all of them. It reasons about nothing: what it sees goes in, what
 * it does comes out.
 */
export function daemonTick(before: DaemonState, sight: DaemonSight, settings: DaemonSettings): DaemonTick {
  const says: DaemonSays[] = [];
  const state = beginTick(before, sight.at, settings.tickMs, says);
  const context = (name: LinkName): LinkContext => contextOf(name, state, sight, settings);
  const { links } = state;
  const server = foldLook(links.server, sight.server, context('server'));
  const boot = foldLook(links.boot, sight.boot, context('boot'));
  // A town that begins has no Deacon yet, and that is no crash.
  const isFirst = before.tickedAt === null && sight.deacon.state === 'gone';
  const deacon = isFirst
    ? foldLook(links.deacon, { ...sight.deacon, state: 'unknown' }, context('deacon'))
    : foldDeacon(links.deacon, sight, before.tickedAt, context('deacon'));
  const { limits } = settings;
  const { members, starts, says: said } = tickMembers(state.members, sight.members, { ...sight, limits });
  const steps = [
    ['server', server],
    ['boot', boot],
    ['deacon', deacon],
  ] as const;
  for (const [name, { says: what }] of steps) if (what) says.push({ name, what });
  const acts: DaemonAct[] = [];
  // A triage that has crashed is run again by its incident, within its budget.
  const isTriageDue = !sight.isBootRunning && !boot.link.agent?.hard.incident && !sight.isHeld;
  if (isTriageDue) acts.push({ kind: 'triage' });
  if ((isFirst || sight.deacon.state === 'ended') && !sight.isHeld) acts.push({ kind: 'start-deacon' });
  for (const name of starts) acts.push({ kind: 'start-member', name });
  return {
    state: { ...state, members, links: { server: server.link, boot: boot.link, deacon: deacon.link } },
    steps,
    acts,
    says: [...says, ...said],
  };
}

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
  { deacon, triage, at }: Pick<DaemonSight, 'deacon' | 'triage' | 'at'>,
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
  const reported = triage?.reason ?? '';
  const more =
    action === 'RESTART'
      ? foldStillness(looked.link, { since: at, reported, seen: reported }, context)
      : action === 'ESCALATE'
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

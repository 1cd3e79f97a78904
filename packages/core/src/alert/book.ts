import type { Instant } from '../base/time.ts';
import type { AlertAction, AlertMember, AlertNotice, Condition } from '../vocabulary/alert.ts';
import { MEMBERS_TOLD } from '../vocabulary/alert.ts';
import type { AlertTimes } from './times.ts';

/**
 * What has been told and what waits to be told, as plain JSON. Together with the conditions of the moment it decides
 * what to tell next, so that a restart neither repeats nor forgets a notice.
 */
export type AlertBook = {
  /** Makes the ids of alerts. */
  readonly last: number;
  readonly watches: Readonly<Record<string, Watch>>;
  readonly alerts: Readonly<Record<string, OpenAlert>>;
  /** When each lane was told something, oldest first. */
  readonly told: Readonly<Record<string, readonly Instant[]>>;
};

/** One condition, from its first moment until its openings are forgotten. */
type Watch = {
  readonly condition: Condition;
  /** Since when it could have been told. */
  readonly from: Instant;
  readonly goneAt?: Instant;
  /** The alert that told it. */
  readonly alertId?: string;
  /** When it came, within the last hour. */
  readonly opened: readonly Instant[];
};

type OpenAlert = Pick<Condition, 'topic' | 'group' | 'severity' | 'channels'> & {
  readonly id: string;
  readonly keys: readonly string[];
  readonly notices: number;
  readonly toldAt: Instant;
  readonly isAcknowledged?: true;
};

export const emptyBook: AlertBook = { last: 0, watches: {}, alerts: {}, told: {} };

/** Conditions that share a lane are told in one notice. */
const laneOf = ({ topic, group, severity, channels }: Condition): string =>
  JSON.stringify([topic, group, severity, channels]);

type Draft = {
  last: number;
  readonly watches: Map<string, Watch>;
  readonly alerts: Map<string, OpenAlert>;
  readonly told: Map<string, readonly Instant[]>;
  readonly notices: AlertNotice[];
  readonly at: Instant;
  readonly times: AlertTimes;
};

/** What to tell now. A condition without channels is told to nobody and leaves no trace. */
export function stepAlerts(
  book: AlertBook,
  conditions: readonly Condition[],
  at: Instant,
  times: AlertTimes,
): { readonly book: AlertBook; readonly notices: readonly AlertNotice[] } {
  const draft: Draft = {
    last: book.last,
    watches: new Map(Object.entries(book.watches)),
    alerts: new Map(Object.entries(book.alerts)),
    told: new Map(Object.entries(book.told)),
    notices: [],
    at,
    times,
  };
  watch(draft, conditions);
  for (const alert of [...draft.alerts.values()]) followUp(draft, alert);
  tellNew(draft);
  forgetOld(draft);
  const next = {
    last: draft.last,
    watches: Object.fromEntries(draft.watches),
    alerts: Object.fromEntries(draft.alerts),
    told: Object.fromEntries(draft.told),
  };
  return { book: next, notices: draft.notices };
}

function watch(draft: Draft, conditions: readonly Condition[]): void {
  const { watches, at, times } = draft;
  const now = new Set<string>();
  for (const condition of conditions) {
    if (condition.channels.length === 0) continue;
    now.add(condition.key);
    const known = watches.get(condition.key);
    // Nothing has been told and nothing needs to be: its time begins when that changes.
    if (known?.alertId === undefined && (condition.isAcknowledged || condition.inhibitedBy !== undefined)) {
      watches.delete(condition.key);
      continue;
    }
    const isNew = known === undefined || known.goneAt !== undefined;
    const opened = [...(known?.opened ?? []), ...(isNew ? [at] : [])].filter(
      (each) => each > at - times.flapMs,
    );
    watches.set(condition.key, {
      condition: isNew ? condition : { ...condition, since: known.condition.since },
      from: isNew ? at : known.from,
      ...(known?.alertId !== undefined && { alertId: known.alertId }),
      opened: opened.slice(-OPENED_MAX),
    });
  }
  for (const [key, known] of watches)
    if (!now.has(key) && known.goneAt === undefined) watches.set(key, { ...known, goneAt: at });
}

/** Enough to tell how often a condition flaps, and a bound for what is stored. */
const OPENED_MAX = 20;

const isFlapping = ({ opened }: Watch, { flaps }: AlertTimes): boolean => opened.length >= flaps;

/** What follows from an alert that was told: an acknowledgement, a resolution, a reminder. */
function followUp(draft: Draft, alert: OpenAlert): void {
  const { at, times } = draft;
  const members = alert.keys.flatMap((key) => draft.watches.get(key) ?? []);
  const isOver = ({ goneAt, ...rest }: Watch): boolean =>
    goneAt !== undefined &&
    at >= goneAt + (isFlapping({ goneAt, ...rest }, times) ? times.calmMs : times.resolveMs);
  if (members.every(isOver)) return resolve(draft, alert, members);
  const present = members.filter(({ goneAt }) => goneAt === undefined);
  if (present.length === 0) return;
  const isSeen = present.every(({ condition }) => condition.isAcknowledged);
  if (isSeen !== (alert.isAcknowledged ?? false)) {
    if (isSeen) return tell(draft, { ...alert, isAcknowledged: true }, 'acknowledge', present);
    // It climbed to a step that asks a person again.
    const { isAcknowledged: _, ...asked } = alert;
    return tell(draft, asked, 'repeat', present);
  }
  const unseen = present.filter(
    ({ condition }) => !condition.isAcknowledged && condition.inhibitedBy === undefined,
  );
  const repeatMs = Math.min(...unseen.map(({ condition }) => condition.repeatMs ?? times.repeatMs));
  if (unseen.length > 0 && at >= alert.toldAt + repeatMs) tell(draft, alert, 'repeat', unseen);
}

function resolve(draft: Draft, alert: OpenAlert, members: readonly Watch[]): void {
  tell(draft, alert, 'resolve', members);
  draft.alerts.delete(alert.id);
  for (const { alertId: _, ...rest } of members) draft.watches.set(rest.condition.key, rest);
}

/** Tells each lane whose time has come everything that it has collected. */
function tellNew(draft: Draft): void {
  const { at, times } = draft;
  const lanes = new Map<string, Watch[]>();
  for (const each of draft.watches.values()) {
    if (each.alertId !== undefined || each.goneAt !== undefined) continue;
    const lane = laneOf(each.condition);
    lanes.set(lane, [...(lanes.get(lane) ?? []), each]);
  }
  for (const [lane, waiting] of lanes) {
    const told = (draft.told.get(lane) ?? []).filter((each) => each > at - times.burstMs);
    const isCrowded = told.length >= times.burst;
    const isDue = (each: Watch): boolean => {
      const waitMs = isCrowded ? times.crowdedMs : each.condition.isLasting ? 0 : times.groupMs;
      return at >= each.from + waitMs || isFlapping(each, times);
    };
    if (!waiting.some(isDue)) continue;
    draft.told.set(lane, [...told, at]);
    open(draft, waiting);
  }
}

function open(draft: Draft, members: readonly Watch[]): void {
  const [first] = members;
  if (!first) return;
  draft.last += 1;
  const { topic, group, severity, channels } = first.condition;
  const id = `alert/${draft.at.toString(36)}-${draft.last}`;
  const keys = members.map(({ condition }) => condition.key);
  for (const each of members) draft.watches.set(each.condition.key, { ...each, alertId: id });
  tell(
    draft,
    { id, topic, group, severity, channels, keys, notices: 0, toldAt: draft.at },
    'trigger',
    members,
  );
}

function tell(draft: Draft, alert: OpenAlert, action: AlertAction, about: readonly Watch[]): void {
  const { id, topic, group, severity, channels, notices } = alert;
  const number = notices + 1;
  const toldAt = action === 'acknowledge' ? alert.toldAt : draft.at;
  draft.alerts.set(id, { ...alert, notices: number, toldAt });
  const flaps = Math.max(...about.map(({ opened }) => opened.length));
  draft.notices.push({
    alertId: id,
    action,
    number,
    topic,
    group,
    severity,
    channels,
    members: about.slice(0, MEMBERS_TOLD).map(({ condition }) => memberOf(condition)),
    count: about.length,
    ...(flaps >= draft.times.flaps && { flaps }),
  });
}

const memberOf = ({ agentId, incidentId, summary, since }: Condition): AlertMember => ({
  agentId,
  incidentId,
  summary,
  since,
});

function forgetOld({ watches, told, at, times }: Draft): void {
  for (const [key, { alertId, goneAt }] of watches)
    if (alertId === undefined && goneAt !== undefined && at >= goneAt + times.flapMs) watches.delete(key);
  for (const [lane, moments] of told)
    if (moments.every((each) => each <= at - times.burstMs)) told.delete(lane);
}

import { type EventType, type HolterEvent, type Instant, instant } from '@holter/core';
import type { Quotas } from '../policy/index.ts';

const WINDOW_MS = 60_000;

type FoldQuotas = Pick<Quotas, 'auditRowsPerMinuteMax' | 'auditBytesPerMinuteMax'>;

/** Rows that an agent's own signals make, as many as it sends. What Holter decides and does is never folded. */
const FOLDABLE: ReadonlySet<EventType> = new Set<EventType>([
  'SIGNAL_REJECTED',
  'BLOCKER_REPORTED',
  'CHECKPOINT_WRITTEN',
  'FINDING_CLEARED',
  'FINDING_RAISED',
  'HANDOFF_REQUESTED',
  'HANDOFF_WRITTEN',
  'HOLD_BEGAN',
  'HOLD_ENDED',
  'JOB_ENDED',
  'TASK_CHANGED',
]);

type Folded = { readonly newest: HolterEvent; readonly count: number };

/**
 * Keeps a flood of one agent out of the audit trail. Within a minute, what is more than a person would read becomes
 * one row for each sort: the newest event, with the number of those that it stands for. A sort is a type, and of
 * findings and holds their kind, so that many of one never hide another. A value: a commit that fails leaves the one
 * before in force.
 */
export class AuditFold {
  private since: Instant = instant(0);
  private rows = new Map<string, number>();
  private bytes = 0;
  private folded = new Map<string, Folded>();
  /** Kinds of rejection, by when they were told last. */
  private rejections = new Map<string, Instant>();

  /** The events that become rows, and the fold after them. Without events it may still be time for rows. */
  take(
    events: readonly HolterEvent[],
    at: Instant,
    quotas: FoldQuotas,
  ): { kept: readonly HolterEvent[]; next: AuditFold } {
    if (!this.hasRows && !events.some(isFoldable)) return { kept: events, next: this };
    const next = this.copy();
    const left = at - next.since >= WINDOW_MS ? next.beginWindow(at) : new Map<string, Folded>();
    const kept: HolterEvent[] = [];
    for (const event of events) {
      if (!isFoldable(event)) kept.push(event);
      else if (next.hasRoom(event, quotas)) {
        const count = left.get(sortOf(event))?.count;
        left.delete(sortOf(event));
        kept.push(count === undefined ? event : { ...event, folded: count });
      } else next.fold(event);
    }
    const rows = [...left.values()].map(({ newest, count }) =>
      count === 1 ? newest : { ...newest, folded: count - 1 },
    );
    for (const row of rows) if (row.type === 'SIGNAL_REJECTED') next.rejections.set(rejectionOf(row), at);
    return { kept: rows.concat(kept), next };
  }

  /** Rows wait in memory. */
  get hasRows(): boolean {
    return this.folded.size > 0;
  }

  /** Rows wait, and their minute is over. */
  isDue(at: Instant): boolean {
    return this.hasRows && at - this.since >= WINDOW_MS;
  }

  private copy(): AuditFold {
    const copy = new AuditFold();
    copy.since = this.since;
    copy.rows = new Map(this.rows);
    copy.bytes = this.bytes;
    copy.folded = new Map(this.folded);
    copy.rejections = new Map(this.rejections);
    return copy;
  }

  /** Returns what the window before it leaves: for the next row of its sort, or for one of its own. */
  private beginWindow(at: Instant): Map<string, Folded> {
    const left = this.folded;
    this.folded = new Map();
    this.since = at;
    this.rows.clear();
    this.bytes = 0;
    for (const [key, toldAt] of this.rejections) if (at - toldAt >= WINDOW_MS) this.rejections.delete(key);
    return left;
  }

  private fold(event: HolterEvent): void {
    const count = 1 + (this.folded.get(sortOf(event))?.count ?? 0);
    this.folded.set(sortOf(event), { newest: event, count });
  }

  private hasRoom(event: HolterEvent, quotas: FoldQuotas): boolean {
    if (event.type === 'SIGNAL_REJECTED') {
      const key = rejectionOf(event);
      // A process of an old incarnation may keep beating every second: its rejection is recorded once a minute.
      if (event.at - (this.rejections.get(key) ?? 0) < WINDOW_MS) return false;
      this.rejections.set(key, event.at);
    }
    const rows = 1 + (this.rows.get(sortOf(event)) ?? 0);
    this.rows.set(sortOf(event), rows);
    if (event.type === 'BLOCKER_REPORTED') this.bytes += event.payload.text.length;
    if (event.type === 'JOB_ENDED') this.bytes += event.payload.output?.length ?? 0;
    if (event.type === 'HANDOFF_REQUESTED') this.bytes += event.payload.reason.length;
    return rows <= quotas.auditRowsPerMinuteMax && this.bytes <= quotas.auditBytesPerMinuteMax;
  }
}

function sortOf({ type, payload }: HolterEvent): string {
  if (type === 'FINDING_RAISED' || type === 'FINDING_CLEARED') return `${type} ${payload.kind}`;
  return type === 'HOLD_BEGAN' || type === 'HOLD_ENDED' ? `${type} ${payload.hold}` : type;
}

const rejectionOf = ({ payload }: Extract<HolterEvent, { type: 'SIGNAL_REJECTED' }>): string =>
  `${payload.kind} ${payload.code}`;

const isFoldable = ({ type }: HolterEvent): boolean => FOLDABLE.has(type);

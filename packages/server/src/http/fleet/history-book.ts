import type { EventOf, EventType, HolterEvent } from '@holter/core';
import type { Store } from '../../store/store.ts';
import type { HistoryView } from '../types.ts';
import { Latencies, type LatencyView } from './latencies.ts';

type Day = HistoryView['days'][number];
type Past = HistoryView['incidents'][number];
type Counted = Exclude<keyof Day, 'day' | 'stateMinutes'>;

const DAY_MS = 24 * 3_600_000;
const PAGE = 1_000;
const PAST_SHOWN = 100;

const COUNTED: Partial<Record<EventType, Counted>> = {
  NUDGE_SENT: 'nudges',
  ESCALATION_TRIGGERED: 'escalations',
  AGENT_TERMINATED: 'terminations',
  RECOVERY_INITIATED: 'recoveries',
  RECOVERY_FAILED: 'recoveryFailures',
  INCIDENT_OPENED: 'incidents',
};
const TYPES: EventType[] = [
  ...(Object.keys(COUNTED) as EventType[]),
  'RECOVERY_COMPLETED',
  'INCIDENT_REOPENED',
  'INCIDENT_CLOSED',
  'DECISION_MADE',
  'FINDING_RAISED',
];

export const dayOf = (at: number): number => at - (at % DAY_MS);

/** Days in numbers, added up from the events as they come: each event is read once. */
export class HistoryBook {
  private readonly store: Pick<Store, 'readEvents'>;
  private readonly days = new Map<number, Day>();
  private readonly open = new Map<string, Omit<Past, 'closedAt' | 'reason' | 'tokens' | 'costUsd'>>();
  /** Agents whose successor runs, and may yet fail. */
  private readonly onTrial = new Set<string>();
  private readonly latencies = new Latencies();
  private past: Past[] = [];
  private cursor = 0;
  private reading: Promise<void> | null = null;

  constructor(store: Pick<Store, 'readEvents'>) {
    this.store = store;
  }

  /** Reads on from where it was. */
  catchUp(): Promise<void> {
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  day(day: number): Day {
    let found = this.days.get(day);
    if (!found) {
      found = {
        day,
        stateMinutes: {},
        nudges: 0,
        escalations: 0,
        terminations: 0,
        recoveries: 0,
        recovered: 0,
        recoveryFailures: 0,
        incidents: 0,
        wrong: 0,
      };
      this.days.set(day, found);
    }
    return found;
  }

  get latency(): LatencyView {
    return this.latencies.view();
  }

  /** Closed ones, the newest first. */
  get incidents(): readonly Past[] {
    return this.past;
  }

  private async read(): Promise<void> {
    for (;;) {
      const page = await this.store.readEvents({ after: this.cursor, limit: PAGE, types: TYPES });
      for (const { cursor, agentId, event } of page) {
        this.cursor = cursor;
        this.fold(agentId, event);
      }
      if (page.length < PAGE) return;
    }
  }

  private fold(agentId: string, event: HolterEvent): void {
    const day = this.day(dayOf(event.at));
    const counted = COUNTED[event.type];
    if (counted !== undefined) day[counted] += 1;
    const open = this.open.get(agentId);
    switch (event.type) {
      case 'INCIDENT_OPENED':
      case 'INCIDENT_REOPENED': {
        const { incidentId, cause } = event.payload;
        const openedAt = event.at;
        this.open.set(agentId, {
          incidentId,
          agentId,
          cause,
          openedAt,
          nudges: 0,
          recoveries: 0,
          decisions: 0,
        });
        return;
      }
      case 'NUDGE_SENT':
        if (open) open.nudges += 1;
        return;
      case 'RECOVERY_INITIATED':
        if (open) open.recoveries += 1;
        return;
      case 'RECOVERY_COMPLETED':
        this.onTrial.add(agentId);
        return;
      case 'RECOVERY_FAILED':
        this.onTrial.delete(agentId);
        return;
      case 'FINDING_RAISED':
        // Older servers did not say it.
        if (event.payload.severity === 'act' && event.payload.lateMs !== undefined)
          this.latencies.add(event.payload.lateMs);
        return;
      case 'DECISION_MADE':
        day.wrong += event.payload.wrong?.length ?? 0;
        if (open) open.decisions += 1;
        return;
      case 'INCIDENT_CLOSED':
        // A start is not a recovery yet: it has held when its incident ends without its failing again.
        if (this.onTrial.delete(agentId)) day.recovered += 1;
        if (!open) return;
        this.open.delete(agentId);
        this.past = [{ ...open, closedAt: event.at, ...endOf(event.payload) }, ...this.past];
        this.past = this.past.slice(0, PAST_SHOWN);
        return;
      default:
        return;
    }
  }
}

/** Older servers did not say what an incident had cost. */
const endOf = ({
  reason,
  tokens = 0,
  costUsd = 0,
}: EventOf<'INCIDENT_CLOSED'>['payload']): Pick<Past, 'reason' | 'tokens' | 'costUsd'> => ({
  reason,
  tokens,
  costUsd,
});

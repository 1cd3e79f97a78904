import { type HolterEvent, wantedIdOf } from '@holter/core';
import { firstCopies } from '../engine/fan-out.ts';
import type { OwnCommit } from '../engine/follower.ts';
import type { Store } from '../store/store.ts';

/** Incidents and effects that are remembered; a receipt that comes later than this many has only its own id. */
const REMEMBERED_MAX = 10_000;
const PAGE = 500;

/**
 * One id for everything that follows from one input. A commit has the id of the input that caused it; while an incident
 * is open, the id of the input that opened it. Effects and their receipts have the id of the commit that ordered them.
 */
export class Causes {
  private readonly byIncident = new Map<string, string>();
  private readonly byEffect = new Map<string, string>();

  /** Of incidents that an earlier server has opened. */
  async load(store: Pick<Store, 'listAgents' | 'readEvents'>): Promise<void> {
    let cursor: string | undefined;
    do {
      const query = { hasIncident: true, limit: PAGE, ...(cursor !== undefined && { cursor }) };
      const page = await store.listAgents(query);
      for (const { agent } of page.items) {
        const incidentId = agent.hard.incident?.id;
        if (incidentId === undefined) continue;
        const [opened] = await store.readEvents({
          after: 0,
          limit: 1,
          incidentId,
          types: ['INCIDENT_OPENED'],
        });
        if (opened) remember(this.byIncident, incidentId, opened.correlationId);
      }
      cursor = this.byIncident.size < REMEMBERED_MAX ? (page.nextCursor ?? undefined) : undefined;
    } while (cursor !== undefined);
  }

  /** The id of this commit; its effects are remembered under it. */
  of({ before, stored, events, effects, correlationId }: OwnCommit): string {
    for (const event of events)
      if (event.type === 'INCIDENT_OPENED')
        remember(this.byIncident, event.payload.incidentId, correlationId);
    const incident = stored.agent.hard.incident ?? before?.hard.incident;
    const cause = (incident && this.byIncident.get(incident.id)) ?? correlationId;
    for (const effect of firstCopies(effects)) remember(this.byEffect, wantedIdOf(effect), cause);
    return cause;
  }

  /** The id of what an event about an effect is about; undefined for other events. */
  ofEvent(event: HolterEvent): string | undefined {
    return event.type === 'EFFECT_RECEIPT' || event.type === 'EFFECT_CANCELLED'
      ? this.byEffect.get(event.payload.effectId)
      : undefined;
  }
}

function remember(map: Map<string, string>, key: string, value: string): void {
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > REMEMBERED_MAX && !oldest.done) map.delete(oldest.value);
}

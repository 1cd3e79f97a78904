import { type Effect, type HolterEvent, type Instant, wantedIdOf } from '@holter/core';
import { firstCopies } from '../engine/fan-out.ts';
import type { OwnCommit } from '../engine/follower.ts';
import { type Attributes, emptySpan, type Span, type SpanPlace } from './span.ts';

type Ordered = { readonly place: SpanPlace; readonly at: Instant; readonly attributes: Attributes };

type Context = {
  readonly sha256: (text: string) => string;
  readonly newSpanId: () => string;
  /** Where the agent's newest call belongs, if it said so. */
  readonly traceOf: (agentId: string) => SpanPlace | null;
};

/** Effects whose receipts are awaited; one that comes later than this many has no span. */
const ORDERED_MAX = 10_000;
/** Words of a fixed vocabulary, and numbers. What agents and people wrote stays in the store. */
const SHOWN = ['from', 'to', 'step', 'attempt', 'cause', 'decision', 'outcome', 'effect', 'channel'] as const;
const FAILED: ReadonlySet<string> = new Set(['refused', 'failed', 'unknown', 'lost']);

/**
 * Turns what was committed about an incident into spans of one trace: the inputs with what was judged, each effect
 * from its order to its receipt, and, when the incident is closed, the intervention above them. Ids follow from the id
 * of the incident, so that a restart in between does not break the trace.
 */
export class Interventions {
  private readonly context: Context;
  private readonly ordered = new Map<string, Ordered>();

  constructor(context: Context) {
    this.context = context;
  }

  spansOf(own: OwnCommit, now: Instant): readonly Span[] {
    const { before, stored, events, effects } = own;
    const receipts = events.flatMap((event) => this.effectSpan(event) ?? []);
    const incident = stored.agent.hard.incident ?? before?.hard.incident;
    if (!incident) return receipts;
    const root = this.rootOf(incident.id);
    const about = this.aboutOf(own, incident.id);
    for (const effect of firstCopies(effects)) this.order(effect, root, about, stored.agent.hard.at);
    const closed = events.find(({ type }) => type === 'INCIDENT_CLOSED');
    return [
      ...this.inputSpan(own, root, about, now),
      ...receipts,
      ...(closed ? [this.interventionSpan(closed, root, about, incident)] : []),
    ];
  }

  private rootOf(incidentId: string): SpanPlace {
    const hash = this.context.sha256(`incident ${incidentId}`);
    return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
  }

  private aboutOf({ stored }: OwnCommit, incidentId: string): Attributes {
    const { agentId, group, incarnation } = stored.agent.hard;
    return {
      'holter.agent': agentId,
      'holter.group': group,
      'holter.incarnation': incarnation,
      'holter.incident': incidentId,
    };
  }

  /** Receipts have spans of their own; what only confirms an order has none. */
  private inputSpan(own: OwnCommit, root: SpanPlace, about: Attributes, now: Instant): readonly Span[] {
    const { stored, events, effects, correlationId, inputs } = own;
    const [input] = inputs.filter(({ what }) => what !== 'receipt' && what !== 'claim');
    if (!input || (events.length === 0 && effects.length === 0)) return [];
    return [
      {
        ...emptySpan,
        name: input.what,
        traceId: root.traceId,
        spanId: this.context.newSpanId(),
        parentId: root.spanId,
        begunAt: stored.agent.hard.at,
        endedAt: now,
        attributes: { ...about, 'holter.state': stored.agent.hard.health, 'holter.cid': correlationId },
        events: events.map((event) => ({ name: event.type, at: event.at, attributes: shownOf(event) })),
      },
    ];
  }

  private order(effect: Effect, place: SpanPlace, about: Attributes, at: Instant): void {
    const attributes = { ...about, 'holter.effect': effect.kind, 'holter.effect_id': wantedIdOf(effect) };
    this.ordered.set(wantedIdOf(effect), { place, at, attributes });
    const oldest = this.ordered.keys().next();
    if (this.ordered.size > ORDERED_MAX && !oldest.done) this.ordered.delete(oldest.value);
  }

  /** Copies of a notice have a receipt each. */
  private effectSpan(event: HolterEvent): Span | null {
    if (event.type !== 'EFFECT_RECEIPT' && event.type !== 'EFFECT_CANCELLED') return null;
    const ordered = this.ordered.get(event.payload.effectId);
    if (!ordered) return null;
    const { place, at, attributes } = ordered;
    const outcome = event.type === 'EFFECT_RECEIPT' ? event.payload.outcome : 'cancelled';
    return {
      ...emptySpan,
      name: `effect ${String(attributes['holter.effect'])}`,
      traceId: place.traceId,
      spanId: this.context.newSpanId(),
      parentId: place.spanId,
      begunAt: at,
      endedAt: event.at,
      attributes: { ...attributes, ...shownOf(event), 'holter.outcome': outcome },
      error: FAILED.has(outcome) ? outcome : null,
    };
  }

  private interventionSpan(
    closed: HolterEvent,
    root: SpanPlace,
    about: Attributes,
    { openedAt, cause }: { readonly openedAt: Instant; readonly cause: string },
  ): Span {
    const link = this.context.traceOf(String(about['holter.agent']));
    return {
      ...emptySpan,
      ...root,
      name: 'intervention',
      parentId: null,
      begunAt: openedAt,
      endedAt: closed.at,
      attributes: { ...about, 'holter.cause': cause },
      links: link ? [link] : [],
    };
  }
}

function shownOf({ payload }: HolterEvent): Attributes {
  const fields = payload as Readonly<Record<string, unknown>>;
  const shown = SHOWN.flatMap((key) => {
    const value = fields[key];
    return typeof value === 'string' || typeof value === 'number' ? [[`holter.${key}`, value] as const] : [];
  });
  return Object.fromEntries(shown);
}

import type { AgentView, EventView } from '@holter/server/wire';
import { holdWord, plain } from '../parts/words.ts';
import { eventSentence } from './event-sentence.ts';

/** A period or a moment on one lane. */
export type TimelineItem = {
  readonly lane: 'state' | 'findings' | 'acts' | 'checkpoints' | 'holds';
  readonly from: number;
  /** Equal to `from` for a moment. */
  readonly to: number;
  readonly tone: string;
  readonly label: string;
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const ACTS: ReadonlySet<string> = new Set([
  'NUDGE_SENT',
  'ESCALATION_TRIGGERED',
  'AGENT_TERMINATED',
  'RECOVERY_INITIATED',
  'RECOVERY_COMPLETED',
  'RECOVERY_FAILED',
  'DECISION_MADE',
  'AGENT_ENDED',
  'AGENT_RETURNED',
  'CIRCUIT_BREAKER_STATE_CHANGED',
]);

/** Turns events, newest first, into periods; a period that has not ended lasts until now. */
export function timelineItems(
  agent: AgentView,
  events: readonly EventView[],
  now: number,
): readonly TimelineItem[] {
  const items: TimelineItem[] = [];
  const open = new Map<string, { readonly from: number; readonly tone: string; readonly label: string }>();
  const close = (lane: TimelineItem['lane'], key: string, to: number): void => {
    const begun = open.get(key);
    if (!begun) return;
    open.delete(key);
    items.push({ lane, ...begun, to });
  };
  const oldest = events.at(-1)?.at ?? agent.startedAt;
  let start = 0;
  for (const event of [...events].reverse()) {
    const { type, at, payload, incarnation } = event;
    // A new incarnation ends what was open in the last one.
    if (incarnation > start)
      for (const key of [...open.keys()]) if (key !== 'state') close(laneOf(key), key, at);
    start = Math.max(start, incarnation);
    if (ACTS.has(type))
      items.push({ lane: 'acts', from: at, to: at, tone: toneOf(type), label: eventSentence(event) });
    switch (type) {
      case 'HEALTH_STATE_CHANGED': {
        if (!open.has('state'))
          open.set('state', { from: oldest, tone: text(payload.from).toLowerCase(), label: '' });
        close('state', 'state', at);
        const to = text(payload.to).toLowerCase();
        open.set('state', { from: at, tone: to, label: `${to}: ${text(payload.evidence)}` });
        break;
      }
      case 'FINDING_RAISED': {
        const kind = text(payload.kind);
        close('findings', `f-${kind}`, at);
        const tone = payload.severity === 'act' ? 'stuck' : 'degraded';
        open.set(`f-${kind}`, { from: at, tone, label: `${plain(kind)}: ${text(payload.evidence)}` });
        break;
      }
      case 'FINDING_CLEARED':
        close('findings', `f-${text(payload.kind)}`, at);
        break;
      case 'HOLD_BEGAN':
        open.set(`h-${text(payload.hold)}`, {
          from: at,
          tone: 'accent',
          label: holdWord(text(payload.hold)),
        });
        break;
      case 'HOLD_ENDED':
        close('holds', `h-${text(payload.hold)}`, at);
        break;
      case 'CHECKPOINT_WRITTEN':
        items.push({
          lane: 'checkpoints',
          from: at,
          to: at,
          tone: 'accent',
          label: `checkpoint ${text(payload.checkpointId)}`,
        });
        break;
    }
  }
  if (!open.has('state'))
    open.set('state', { from: agent.stateSince, tone: agent.state.toLowerCase(), label: '' });
  const held = new Set(agent.findings.map(({ kind }) => `f-${kind}`));
  for (const key of [...open.keys()]) {
    // A finding that a decision dismissed has no FINDING_CLEARED event; it ended when the state improved.
    const isOver = key.startsWith('f-') && !held.has(key);
    close(laneOf(key), key, isOver ? agent.stateSince : now);
  }
  return items;
}

const laneOf = (key: string): TimelineItem['lane'] =>
  key === 'state' ? 'state' : key.startsWith('f-') ? 'findings' : 'holds';

function toneOf(type: string): string {
  if (type === 'AGENT_TERMINATED' || type === 'RECOVERY_FAILED' || type === 'AGENT_ENDED') return 'failing';
  if (type === 'NUDGE_SENT' || type === 'ESCALATION_TRIGGERED') return 'stuck';
  return 'accent';
}

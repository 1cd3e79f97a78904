import { type EventBody, type HolterEvent, instant } from '@holter/core';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../store/store.ts';
import { dayOf, HistoryBook } from './history-book.ts';

const DAY = 24 * 3_600_000;
const START = 20_000 * DAY;

/** A book about events that happened, a minute apart unless told. */
async function bookOf(
  ...bodies: readonly (EventBody & { readonly agentId?: string; readonly at?: number })[]
) {
  const stored = bodies.map(({ agentId = 'ada', at, ...body }, i): StoredEvent => {
    const event = { at: instant(at ?? START + i * 60_000), incarnation: 1, ...body } as HolterEvent;
    return { cursor: i + 1, correlationId: '', agentId, event };
  });
  const book = new HistoryBook({
    readEvents: ({ after, limit, types }) =>
      Promise.resolve(
        stored.filter(({ cursor, event }) => cursor > after && types?.includes(event.type)).slice(0, limit),
      ),
  });
  await book.catchUp();
  return book;
}

const initiated = {
  type: 'RECOVERY_INITIATED',
  payload: { agentId: 'ada', taskId: 't', fromCheckpoint: 'c', attempt: 1 },
} as const;
const completed = { type: 'RECOVERY_COMPLETED', payload: { taskId: 't', newAgentId: 'ada' } } as const;
const failed = {
  type: 'RECOVERY_FAILED',
  payload: { agentId: 'ada', taskId: 't', reason: 'it ended again', attempts: 1 },
} as const;
const opened = {
  type: 'INCIDENT_OPENED',
  payload: { agentId: 'ada', incidentId: 'ada/1', cause: 'process-gone', step: 'recover' },
} as const;
const closed = {
  type: 'INCIDENT_CLOSED',
  payload: { agentId: 'ada', incidentId: 'ada/1', reason: 'recovered', tokens: 70, costUsd: 0.5 },
} as const;
const raised = (lateMs: number, severity: 'warn' | 'act' = 'act') =>
  ({
    type: 'FINDING_RAISED',
    payload: { agentId: 'ada', kind: 'silent', severity, evidence: '', threshold: '', lateMs },
  }) as const;

describe('thirty days in numbers', () => {
  it('a start that fails in its probation was no recovery', async () => {
    const book = await bookOf(opened, initiated, completed, failed, initiated, completed, closed);
    expect(book.day(START)).toMatchObject({
      incidents: 1,
      recoveries: 2,
      recoveryFailures: 1,
      recovered: 1,
    });
    expect(book.incidents).toMatchObject([{ incidentId: 'ada/1', recoveries: 2, tokens: 70, costUsd: 0.5 }]);
  });

  it('one that is still on probation is neither', async () => {
    const book = await bookOf(opened, initiated, completed);
    expect(book.day(START)).toMatchObject({ recoveries: 1, recoveryFailures: 0, recovered: 0 });
  });

  it('an incident that ends without a start recovers nobody', async () => {
    const book = await bookOf(opened, closed);
    expect(book.day(START).recovered).toBe(0);
  });

  it('counts each day for itself, by UTC', async () => {
    const nudge = { type: 'NUDGE_SENT', payload: { agentId: 'ada', attempt: 1, message: '' } } as const;
    const book = await bookOf(
      { ...nudge, at: START + DAY - 1 },
      { ...nudge, at: START + DAY },
      { ...nudge, at: START + DAY + 1 },
    );
    expect(dayOf(START + DAY - 1)).toBe(START);
    expect([book.day(START).nudges, book.day(START + DAY).nudges]).toEqual([1, 2]);
  });

  it('counts the findings that were called wrong, and no other decision', async () => {
    const decision = (more: { readonly decision: string; readonly wrong?: readonly 'silent'[] }) =>
      ({
        type: 'DECISION_MADE',
        payload: { agentId: 'ada', incidentId: null, by: 'op', reason: '', ...more },
      }) as const;
    const book = await bookOf(
      decision({ decision: 'dismiss', wrong: ['silent', 'silent'] }),
      decision({ decision: 'allow_more_time' }),
      decision({ decision: 'dismiss' }),
    );
    expect(book.day(START).wrong).toBe(2);
  });

  it('measures detection from the moment at which the condition held', async () => {
    const late = Array.from({ length: 100 }, (_, i) => raised(i + 1));
    const book = await bookOf(...late, raised(90_000, 'warn'));
    expect(book.latency).toEqual({ count: 100, medianMs: 50, p99Ms: 99 });
    expect((await bookOf(opened)).latency).toEqual({ count: 0, medianMs: null, p99Ms: null });
  });
});

import { instant, NEVER } from '../base/time.ts';
import { emptyTokenState } from '../detect/index.ts';
import type { Agent, Hard } from './agent.ts';

/** Inherited by all outlines, which keeps them small: no plain beat depends on these. */
const UNREAD = {
  instanceHash: 0,
  mode: 'observe',
  can: [],
  executor: null,
  startedAt: instant(0),
  wakeAt: NEVER,
  health: 'HEALTHY',
  healthSince: instant(0),
  holds: [],
  heldBefore: { anyMs: 0, outsideToolMs: 0 },
  points: [],
  derived: [],
  incidentCount: 0,
  seen: [],
} as const satisfies Partial<Hard>;

/**
 * What a plain beat needs of a record, a small part of it; null for an agent that needs all of it. Whoever keeps only
 * the outline of an agent may fold beats into it: a beat that leaves `hard` as it is does the same to the record, and
 * any other needs the record.
 */
export function outlineOf({ soft, hard }: Agent): Agent | null {
  const { points, derived, isBusy, inquiry, settlingSince, unknownSince, isConnectionClosed, end } = hard;
  if (points.length > 0 || derived.length > 0 || isBusy || inquiry || end || isConnectionClosed) return null;
  if (settlingSince !== undefined || unknownSince !== undefined) return null;
  const { agentId, incarnation, role, group, at, promises, inferred, patience, task, trail } = hard;
  const { endedTaskId, lastToolCall, errorCount, failuresInRow, indicatorHash } = hard;
  const tokens = trail?.tokens;
  const outline: Hard = Object.assign(Object.create(UNREAD) as typeof UNREAD, {
    agentId,
    incarnation,
    role,
    group,
    at,
    promises,
    ...(inferred && { inferred }),
    ...(patience && { patience }),
    ...(task && { task }),
    ...(endedTaskId !== undefined && { endedTaskId }),
    ...(lastToolCall !== undefined && { lastToolCall }),
    ...(errorCount !== undefined && { errorCount }),
    ...(failuresInRow !== undefined && { failuresInRow }),
    ...(indicatorHash !== undefined && { indicatorHash }),
    ...(trail && {
      trail: {
        ...(tokens && { tokens: { ...emptyTokenState, total: tokens.total, lastAt: tokens.lastAt } }),
        ...(trail.isFlat && { isFlat: trail.isFlat }),
      },
    }),
  });
  return { soft, hard: outline };
}

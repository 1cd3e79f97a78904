import type { Instant, Policy } from '@holter/core';

/**
 * What Holter would have done during a recorded run: the ladder applied to the times at which `act` findings held.
 * The recording cannot react to a nudge, so this is what an agent that ignores every nudge would have got. In
 * recordings without times, only further repeats move the ladder on.
 */
export type LadderMove = {
  readonly step: number;
  readonly at: Instant | null;
  readonly move: 'nudge' | 'escalate' | 'terminate';
};

export type LadderState = {
  readonly moves: readonly LadderMove[];
  /** Steps with an `act` finding since the last move. */
  readonly repeats: number;
  /** Steps without one. */
  readonly calm: number;
  readonly lastActAt: Instant | null;
  readonly isOpen: boolean;
};

export const emptyLadder: LadderState = { moves: [], repeats: 0, calm: 0, lastActAt: null, isOpen: false };

/** So many steps without an `act` finding close the incident in recordings without times. */
const CALM_STEPS = 20;
const MOVES_MAX = 200;

export function climb(
  state: LadderState,
  { step, at, isActing }: { readonly step: number; readonly at: Instant | null; readonly isActing: boolean },
  policy: Policy,
): LadderState {
  if (!isActing) return rest(state, at, policy);
  const last = state.isOpen ? state.moves.at(-1) : undefined;
  const base = { ...state, calm: 0, lastActAt: at };
  if (last === undefined) return move(base, { step, at, move: 'nudge' });
  const repeats = state.repeats + 1;
  const waitedMs = at === null || last.at === null ? null : at - last.at;
  const next = nextMove(state, last, repeats, waitedMs, policy);
  return next === null ? { ...base, repeats } : move(base, { step, at, move: next });
}

function nextMove(
  state: LadderState,
  last: LadderMove,
  repeats: number,
  waitedMs: number | null,
  policy: Policy,
): LadderMove['move'] | null {
  if (last.move === 'terminate') return null;
  if (last.move === 'escalate')
    return waitedMs !== null && waitedMs >= policy.escalation.waitMs ? 'terminate' : null;
  const isDue = (waitedMs !== null && waitedMs >= policy.nudge.waitMs) || repeats >= policy.nudge.repeatsMax;
  if (!isDue) return null;
  const nudges = trailing(state.moves);
  return nudges < policy.nudge.attemptsMax ? 'nudge' : 'escalate';
}

/** Nudges of the open incident: those after the last move that was not a nudge. */
function trailing(moves: readonly LadderMove[]): number {
  let count = 0;
  for (let index = moves.length - 1; index >= 0 && moves[index]?.move === 'nudge'; index -= 1) count += 1;
  return count;
}

function rest(state: LadderState, at: Instant | null, policy: Policy): LadderState {
  if (!state.isOpen) return state;
  const calm = state.calm + 1;
  const isOver =
    at === null || state.lastActAt === null
      ? calm >= CALM_STEPS
      : at - state.lastActAt >= policy.incident.closeAfterMs;
  return isOver ? { ...state, isOpen: false, repeats: 0, calm: 0 } : { ...state, calm };
}

function move(state: LadderState, made: LadderMove): LadderState {
  const moves = state.moves.length < MOVES_MAX ? [...state.moves, made] : state.moves;
  return { ...state, moves, repeats: 0, isOpen: true };
}

import { finish, HASH_SEED, mix, mixString } from './hash.ts';

/**
 * What the agent has looked at since its last successful edit: the last 24 calls that changed nothing, each with its
 * answer. Looking again is only pointless while nothing has changed, so an edit empties it, and so does a wait.
 * Spaced-out calls, repeats that a person asked for and logged thoughts are no looks.
 *
 * Call and answer alternate in one flat list, newest last: half the size of a list of pairs in the stored record.
 */
export type Looks = readonly number[];

export const noLooks: Looks = [];

const LOOKS_MAX = 24;

/** One look, compared with those before it. */
export type Look = {
  readonly answer: number;
  /** How often this call gave this answer, this time included. */
  readonly visits: number;
  /** The look before this one was the same call. */
  readonly isInRow: boolean;
  /** How many other looks gave this answer, by other calls of the same tool. */
  readonly others: number;
};

/** The tool is part of the answer: "ok" from two tools is two answers. */
export const answerKey = (tool: string, result: number): number =>
  finish(mix(mixString(HASH_SEED, tool), result));

export function lookAgain(looks: Looks, call: number, answer: number): Look {
  let visits = 1;
  let others = 0;
  for (let index = 1; index < looks.length; index += 2) {
    if (looks[index] !== answer) continue;
    if (looks[index - 1] === call) visits += 1;
    else others += 1;
  }
  return { answer, visits, isInRow: looks.at(-2) === call, others };
}

export function withLook(looks: Looks, call: number, answer: number): Looks {
  if (looks.length < 2 * LOOKS_MAX) return [...looks, call, answer];
  // Copied and moved by hand: a push after a slice would copy the list once more.
  const next = looks.slice();
  const last = next.length - 2;
  for (let index = 0; index < last; index += 1) next[index] = looks[index + 2] as number;
  next[last] = call;
  next[last + 1] = answer;
  return next;
}

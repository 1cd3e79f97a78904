import { callCycle } from './call-cycle.ts';
import { chant } from './chant.ts';
import { compactionLoop } from './compaction-loop.ts';
import type { Detector } from './detector.ts';
import { flatFailure } from './flat-failure.ts';
import { nearDuplicate } from './near-duplicate.ts';
import { repeatedCall } from './repeated-call.ts';
import { sameError } from './same-error.ts';
import type { Shared } from './shared.ts';
import { talk } from './talk.ts';
import { zeroDiversity } from './zero-diversity.ts';

/** The state that a detector has after a step; `stored` is what the record has of it, undefined if that is nothing. */
type Visit = <State>(detector: Detector<State>, stored: unknown) => State;

type Stored = { readonly [name: string]: unknown };

/**
 * Every detector of an agent's steps, one line each, under the name by which records keep its state: a name is never
 * changed. Of two findings of one kind that are equally severe, the one of the earlier line is told. Written out, not
 * looped over a list: one shape for all states is what makes a step cheap.
 */
export const visitDetectors = (shared: Shared, stored: Stored, visit: Visit) => ({
  memory: shared.memory,
  conversation: shared.conversation,
  callCount: shared.callCount,
  lastCallAt: shared.lastCallAt,
  newestAt: shared.newestAt,
  repeat: visit(repeatedCall, stored.repeat),
  cycle: visit(callCycle, stored.cycle),
  sameError: visit(sameError, stored.sameError),
  flat: visit(flatFailure, stored.flat),
  nothing: visit(nearDuplicate, stored.nothing),
  stale: visit(zeroDiversity, stored.stale),
  talk: visit(talk, stored.talk),
  chant: visit(chant, stored.chant),
  compaction: visit(compactionLoop, stored.compaction),
});

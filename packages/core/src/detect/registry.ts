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

/** Gives a detector's state after a step; `stored` is its state in the record, undefined if there is none. */
type Visit = <State>(detector: Detector<State>, stored: unknown) => State;

type Stored = { readonly [name: string]: unknown };

/**
 * Every detector of an agent's steps, one line each. The name is the key under which records store its state, so a
 * name never changes. Of two equally severe findings of one kind, the one of the earlier line is reported. Written
 * out instead of looping over a list: one shape for all states makes a step cheap.
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

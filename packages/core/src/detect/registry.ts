import { callCycle } from './call-cycle.ts';
import { chant } from './chant.ts';
import { compactionLoop } from './compaction-loop.ts';
import type { Detector, Meanings } from './detector.ts';
import { drySpell } from './dry-spell.ts';
import { flatFailure } from './flat-failure.ts';
import { flatSuccess } from './flat-success.ts';
import { nearDuplicate } from './near-duplicate.ts';
import { type CommonPolicy, defaultCommonPolicy, defaultMeterPolicy, type MeterPolicy } from './policy.ts';
import { repeatedCall } from './repeated-call.ts';
import { restatedPlan } from './restated-plan.ts';
import { revisit } from './revisit.ts';
import { sameAnswer } from './same-answer.ts';
import { sameError } from './same-error.ts';
import { emptyShared, type Shared } from './shared.ts';
import { spiral } from './spiral.ts';
import { talk } from './talk.ts';
import { zeroDiversity } from './zero-diversity.ts';

/**
 * Every detector of an agent's steps. The name is the key under which records store its state, so a name never
 * changes.
 */
export const detectors = {
  repeat: repeatedCall,
  cycle: callCycle,
  sameError,
  flat: flatFailure,
  flatSuccess,
  nothing: nearDuplicate,
  stale: zeroDiversity,
  spiral,
  talk,
  chant,
  compaction: compactionLoop,
  revisit,
  drySpell,
  sameAnswer,
  plan: restatedPlan,
} as const;

type Detectors = typeof detectors;
type Name = keyof Detectors;

/** The union of all `limits`, as one type that has every key. */
type Limits = ({ [N in Name]: (limits: Detectors[N]['limits']) => void }[Name] extends (
  limits: infer All,
) => void
  ? { all: All }
  : never)['all'];

/** Every threshold: those of each detector, those that they share, and those of the meters. */
export type DetectionPolicy = CommonPolicy & MeterPolicy & Limits;

export const defaultDetectionPolicy: DetectionPolicy = Object.assign(
  { ...defaultCommonPolicy, ...defaultMeterPolicy },
  ...Object.values(detectors).map(({ limits }) => limits),
);

/** What the limits of all detectors count, by their key in the policy. */
export const limitMeanings: Meanings<Limits> = Object.assign(
  {},
  ...Object.values(detectors).map(({ meanings }) => meanings),
);

type States = { readonly [N in Name]: Detectors[N]['empty'] };

/** A stored record may lack the state of a detector that is newer than the record. */
export type DetectorState = Shared & Partial<States>;

/** Gives a detector's state after a step; `stored` is its state in the record, undefined if there is none. */
type Visit = <State>(detector: Detector<State, Partial<DetectionPolicy>>, stored: State | undefined) => State;

/**
 * Of two equally severe findings of one kind, the one of the earlier line is reported. Written out instead of
 * looping over `detectors`: one shape for all states makes a step cheap.
 */
export const visitDetectors = (shared: Shared, stored: Partial<States>, visit: Visit): Shared & States => ({
  memory: shared.memory,
  conversation: shared.conversation,
  callCount: shared.callCount,
  lastCallAt: shared.lastCallAt,
  newestAt: shared.newestAt,
  repeat: visit(repeatedCall, stored.repeat),
  cycle: visit(callCycle, stored.cycle),
  sameError: visit(sameError, stored.sameError),
  flat: visit(flatFailure, stored.flat),
  flatSuccess: visit(flatSuccess, stored.flatSuccess),
  nothing: visit(nearDuplicate, stored.nothing),
  stale: visit(zeroDiversity, stored.stale),
  spiral: visit(spiral, stored.spiral),
  talk: visit(talk, stored.talk),
  chant: visit(chant, stored.chant),
  compaction: visit(compactionLoop, stored.compaction),
  revisit: visit(revisit, stored.revisit),
  drySpell: visit(drySpell, stored.drySpell),
  sameAnswer: visit(sameAnswer, stored.sameAnswer),
  plan: visit(restatedPlan, stored.plan),
});

export const emptyDetectorState: DetectorState = visitDetectors(emptyShared, {}, ({ empty }) => empty);

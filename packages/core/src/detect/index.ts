import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { type CycleState, emptyCycle, findCycle, forgiveRound, observeCycle } from './call-cycle.ts';
import { isEditCall, isThoughtCall, isWaitCall } from './call-shape.ts';
import { hashCall } from './canonical-arguments.ts';
import { type ChantState, findChant, readChant } from './chant.ts';
import {
  type CompactionState,
  emptyCompaction,
  findCompaction,
  observeCompaction,
} from './compaction-loop.ts';
import { type ConversationState, emptyConversation, hear, isPerson } from './conversation.ts';
import { isFailure, saysRateLimited } from './error-text.ts';
import type { CallFacts } from './facts.ts';
import { emptyFlat, type FlatState, findFlat, observeFlat } from './flat-failure.ts';
import { pairKey } from './hash.ts';
import { compare, emptyMemory, type Memory, remember, wasSeen } from './memory.ts';
import { findNothing, type NothingRun, observeNothing } from './near-duplicate.ts';
import type { DetectionPolicy } from './policy.ts';
import { emptyRepeat, findRepeat, observeRepeat, type RepeatState } from './repeated-call.ts';
import { emptySameError, findSameError, observeSameError, type SameErrorState } from './same-error.ts';
import type { AgentStep } from './step.ts';
import { afterCall, afterPerson, emptyTalk, findTalk, observeMessage, type TalkState } from './talk.ts';
import { emptyStale, findStale, observeStale, type StaleState } from './zero-diversity.ts';

export {
  type ContextInput,
  type ContextState,
  emptyContextState,
  findContext,
  observeContext,
} from './context-use.ts';
export { type DetectionPolicy, defaultDetectionPolicy } from './policy.ts';
export type { AgentStep } from './step.ts';
export {
  emptyTokenState,
  findTokenFlat,
  findTokenSpike,
  observeTokens,
  type TokenInput,
  type TokenState,
} from './token-rate.ts';
export {
  emptyVerdictState,
  findVerdictStreak,
  observeVerdict,
  streakGrade,
  type Verdict,
  type VerdictState,
  verdictStallAt,
} from './verdict-streak.ts';

export type DetectorState = {
  readonly memory: Memory;
  readonly repeat: RepeatState;
  readonly cycle: CycleState;
  readonly sameError: SameErrorState;
  readonly flat: FlatState;
  readonly nothing: NothingRun | null;
  readonly stale: StaleState;
  readonly talk: TalkState;
  readonly chant: ChantState;
  readonly compaction: CompactionState;
  readonly conversation: ConversationState;
  readonly callCount: number;
  /** When the last call ended: the pace of the work. */
  readonly lastCallAt: Instant | null;
  /** The newest time seen: what comes with an older one is a replayed history and was judged already. */
  readonly newestAt: Instant | null;
};

export const emptyDetectorState: DetectorState = {
  memory: emptyMemory,
  repeat: emptyRepeat,
  cycle: emptyCycle,
  sameError: emptySameError,
  flat: emptyFlat,
  nothing: null,
  stale: emptyStale,
  talk: emptyTalk,
  chant: null,
  compaction: emptyCompaction,
  conversation: emptyConversation,
  callCount: 0,
  lastCallAt: null,
  newestAt: null,
};

export type Observation = {
  readonly state: DetectorState;
  /** What holds after this step; replaces what held before it. */
  readonly findings: readonly Finding[];
  readonly progress: boolean;
};

/** Clocks of parallel calls jitter; a replay goes back further. */
const REPLAY_MS = 1_000;

export function observe(state: DetectorState, step: AgentStep, policy: DetectionPolicy): Observation {
  const isReplayed = step.at !== null && state.newestAt !== null && step.at < state.newestAt - REPLAY_MS;
  if (isReplayed) return { state, findings: allFindings(state, policy), progress: false };
  const next = advance(state, step, policy);
  return { state: next.state, findings: allFindings(next.state, policy), progress: next.progress };
}

type Advance = { readonly state: DetectorState; readonly progress: boolean };

function advance(state: DetectorState, step: AgentStep, policy: DetectionPolicy): Advance {
  const newestAt = step.at ?? state.newestAt;
  switch (step.kind) {
    case 'tool':
      return isOpaque(step) ? afterOpaque(state, newestAt) : afterTool(state, step, policy);
    case 'message': {
      const text = step.text ?? '';
      const talk = observeMessage(state.talk, text, step.at);
      return {
        state: { ...state, talk, chant: readChant(text, step.at, policy), newestAt },
        progress: false,
      };
    }
    case 'user':
      return { state: { ...afterUser(state, step, policy), newestAt }, progress: false };
    case 'compaction':
      return {
        state: { ...state, compaction: observeCompaction(state.compaction, step.at), newestAt },
        progress: false,
      };
    case 'system':
      return { state: { ...state, newestAt }, progress: false };
  }
}

function afterUser(state: DetectorState, step: AgentStep, policy: DetectionPolicy): DetectorState {
  const text = step.text ?? '';
  const gapMs = step.at === null || state.newestAt === null ? null : step.at - state.newestAt;
  const fromPerson = isPerson(state.conversation, text, gapMs, policy);
  const conversation = hear(state.conversation, text, fromPerson, state.callCount);
  if (!fromPerson) return { ...state, conversation };
  return { ...state, conversation, cycle: forgiveRound(state.cycle), talk: afterPerson(state.talk) };
}

function afterTool(state: DetectorState, step: AgentStep, policy: DetectionPolicy): Advance {
  const facts = readFacts(state, step, policy);
  const memory = remember(state.memory, facts);
  return {
    state: {
      memory,
      repeat: observeRepeat(state.repeat, facts),
      cycle: observeCycle(state.cycle, facts),
      sameError: observeSameError(state.sameError, facts),
      flat: observeFlat(state.flat, facts, memory),
      nothing: observeNothing(state.nothing, facts),
      stale: observeStale(state.stale, facts),
      talk: afterCall(state.talk, facts.isProgress),
      chant: null,
      compaction: facts.isProgress ? emptyCompaction : state.compaction,
      conversation: state.conversation,
      callCount: facts.index + 1,
      lastCallAt: step.at,
      newestAt: step.at ?? state.newestAt,
    },
    progress: facts.isProgress,
  };
}

function readFacts(state: DetectorState, step: AgentStep, policy: DetectionPolicy): CallFacts {
  const tool = step.tool ?? '';
  const output = step.output ?? '';
  const isError = isFailure(step.error, output);
  const call = hashCall(tool, step.input);
  const comparison = compare(state.memory, call, output, isError);
  const known = comparison.known;
  const pair = pairKey(call, comparison.result);
  const isStale = wasSeen(state.memory, pair);
  const isThought = isThoughtCall(tool, step.input);
  const isProgress = comparison.isImproved || (!isError && !isStale && !isThought && step.output !== null);
  const gapMs = step.at === null || state.lastCallAt === null ? null : step.at - state.lastCallAt;
  const isDeclaredWait =
    (isStale || comparison.isSame) &&
    (isWaitCall(tool, step.input) || policy.pollers.includes(tool) || (isError && saysRateLimited(output)));
  return {
    step,
    tool,
    index: state.callCount,
    at: step.at,
    call,
    pair,
    comparison,
    isError,
    isThought,
    isEdit: isProgress && !isError && isEditCall(step.input),
    isStale,
    isProgress,
    isDeclaredWait,
    isPatient: isDeclaredWait || (gapMs !== null && gapMs >= policy.spacedMs),
    isAskedFor: known !== null && comparison.isSame && state.conversation.askedAfter > known.index,
  };
}

/** Neither arguments nor result, or no arguments at all: adapters that drop them leave `{}` (Roo #9377). */
function isOpaque(step: AgentStep): boolean {
  if (step.input === null || step.input === undefined) return true;
  const isBare = typeof step.input === 'object' && Object.keys(step.input).length === 0;
  return isBare && step.output === null;
}

/** Arguments were not recorded: nothing can be called the same, so every run of sameness ends here. */
function afterOpaque(state: DetectorState, newestAt: Instant | null): Advance {
  const next: DetectorState = {
    ...state,
    repeat: emptyRepeat,
    cycle: emptyCycle,
    stale: emptyStale,
    nothing: null,
    talk: afterCall(state.talk, true),
    chant: null,
    compaction: emptyCompaction,
    callCount: state.callCount + 1,
    newestAt,
  };
  return { state: next, progress: false };
}

function allFindings(state: DetectorState, policy: DetectionPolicy): readonly Finding[] {
  const found: Finding[] = [];
  for (const one of findRepeat(state.repeat, policy)) push(found, one);
  push(found, findCycle(state.cycle, policy));
  for (const one of findSameError(state.sameError, state.callCount - 1, policy)) push(found, one);
  push(found, findFlat(state.flat, policy));
  push(found, findNothing(state.nothing, policy));
  push(found, findStale(state.stale, policy));
  for (const one of findTalk(state.talk, policy)) push(found, one);
  push(found, findChant(state.chant, policy));
  push(found, findCompaction(state.compaction, policy));
  return found;
}

/** At most one of a kind: the more severe, and of equals the first. */
function push(found: Finding[], one: Finding | null): void {
  if (one === null) return;
  const index = found.findIndex(({ kind }) => kind === one.kind);
  if (index < 0) found.push(one);
  else if (one.severity === 'act' && found[index]?.severity === 'warn') found[index] = one;
}

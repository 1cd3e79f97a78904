import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { isCheckCall, isEditCall, isThoughtCall, isWaitCall, placeOf, sleepMsOf } from './call-shape.ts';
import { hashCall } from './canonical-arguments.ts';
import { emptyConversation, hear, isPerson } from './conversation.ts';
import type { Seen } from './detector.ts';
import { isFailure, readNothing, saysNoProblem, saysRateLimited } from './error-text.ts';
import type { CallFacts } from './facts.ts';
import { pairKey } from './hash.ts';
import { answerKey, type Look, lookAgain, noLooks } from './looks.ts';
import { type Comparison, compare, emptyMemory, type Memory, remember, wasSeen } from './memory.ts';
import { type DetectionPolicy, type DetectorState, visitDetectors } from './registry.ts';
import type { Shared } from './shared.ts';
import type { AgentStep } from './step.ts';

export { callLabel } from './call-shape.ts';
export { hashCall } from './canonical-arguments.ts';
export {
  type ContextInput,
  type ContextState,
  emptyContextState,
  findContext,
  observeContext,
} from './context-use.ts';
export { isSameResult, type ResultPrint, readResult } from './normal-result.ts';
export { namesProgress, withProgress } from './phrase.ts';
export {
  type DetectionPolicy,
  type DetectorState,
  defaultDetectionPolicy,
  emptyDetectorState,
  limitMeanings,
} from './registry.ts';
export { findSpending, type Meters, type SpendingState } from './spending.ts';
export type { AgentStep } from './step.ts';
export {
  emptyTokenState,
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

export type Observation = {
  readonly state: DetectorState;
  /** The findings that hold after this step; they replace the previous ones. */
  readonly findings: readonly Finding[];
  readonly progress: boolean;
  /** It changed something: a successful edit, a better number, or a person's message. */
  readonly isChange: boolean;
  /** The step ran tests again after an edit. */
  readonly isRetest: boolean;
};

/** The clocks of parallel calls jitter; a replay goes back further than this. */
const REPLAY_MS = 1_000;

export function observe(state: DetectorState, step: AgentStep, policy: DetectionPolicy): Observation {
  const isReplayed = step.at !== null && state.newestAt !== null && step.at < state.newestAt - REPLAY_MS;
  const { shared, seen } = isReplayed ? { shared: state, seen: null } : read(state, step, policy);
  const findings: Finding[] = [];
  const next = visitDetectors(shared, state, (detector, stored) => {
    const before = stored === undefined ? detector.empty : stored;
    const now = seen === null ? before : detector.observe(before, seen, policy);
    // Nothing is found in an initial state, which is what most detectors have at most steps.
    const found = now === detector.empty ? null : detector.find(now, policy, shared.callCount);
    if (found !== null) add(findings, found);
    return now;
  });
  const facts = seen?.kind === 'call' ? seen.facts : null;
  if (facts === null)
    return { state: next, findings, progress: false, isChange: seen?.kind === 'person', isRetest: false };
  const isChange = facts.isEdit || facts.comparison.isImproved;
  return { state: next, findings, progress: facts.isProgress, isChange, isRetest: facts.isRetest };
}

/** `seen` is what the detectors get; null if the step does not concern them. */
type Read = { readonly shared: Shared; readonly seen: Seen | null };

function read(state: Partial<Shared>, step: AgentStep, policy: DetectionPolicy): Read {
  const { at } = step;
  const { memory = emptyMemory, conversation = emptyConversation, callCount = 0, lastCallAt = null } = state;
  const before = state.newestAt ?? null;
  const newestAt = at ?? before;
  const shared = { memory, conversation, callCount, lastCallAt, newestAt };
  switch (step.kind) {
    case 'tool': {
      if (isOpaque(step))
        return { shared: { ...shared, callCount: callCount + 1 }, seen: seenOf('opaque-call', '', at) };
      const facts = readFacts(shared, step, policy);
      const seen = { kind: 'call' as const, facts, memory: remember(memory, facts), text: '', at };
      return {
        shared: { memory: seen.memory, conversation, callCount: callCount + 1, lastCallAt: at, newestAt },
        seen,
      };
    }
    case 'message':
      return { shared, seen: seenOf('message', step.text ?? '', at) };
    case 'user': {
      const text = step.text ?? '';
      const gapMs = at === null || before === null ? null : at - before;
      const fromPerson = isPerson(conversation, text, gapMs, policy);
      const heard = { ...shared, conversation: hear(conversation, text, fromPerson, callCount) };
      return { shared: heard, seen: fromPerson ? seenOf('person', '', at) : null };
    }
    case 'compaction':
      return { shared, seen: seenOf('compaction', '', at) };
    case 'system':
      return { shared, seen: null };
  }
}

/** With all fields that any kind has: objects of one shape are read faster. */
function seenOf(kind: Exclude<Seen['kind'], 'call'>, text: string, at: Instant | null): Seen {
  const seen = { kind, facts: null, memory: null, text, at };
  return seen;
}

/** "Nothing" takes a line or two, and a footer. */
const NOTHING_LINES_MAX = 5;

function readFacts(state: Shared, step: AgentStep, policy: DetectionPolicy): CallFacts {
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
  const isPatient =
    isDeclaredWait ||
    (gapMs !== null && gapMs >= policy.spacedMs) ||
    (comparison.isSame && state.memory.isWaiting === true);
  const isTest = comparison.print.isTest || known?.isTest === true;
  const isAfterEdit = known !== null && known.editCount !== state.memory.editCount;
  const isMeasurement =
    known !== null && state.conversation.wantsReruns === true && (isTest || isCheckCall(tool, step.input));
  const isAskedFor =
    isMeasurement || (known !== null && comparison.isSame && state.conversation.askedAfter > known.index);
  const isEdit = isProgress && !isError && isEditCall(step.input);
  const isLook = !(isEdit || isThought || isPatient || isAskedFor);
  const isCheckOfEdit =
    isAfterEdit &&
    comparison.isSame &&
    !isError &&
    (isTest ||
      (state.memory.editPlace !== 0 && placeOf(step.input) === state.memory.editPlace) ||
      isCheckCall(tool, step.input) ||
      saysNoProblem(output));
  return {
    step,
    tool,
    index: state.callCount,
    at: step.at,
    call,
    pair,
    comparison,
    isError,
    nothing: step.output === null || comparison.print.lines > NOTHING_LINES_MAX ? null : readNothing(output),
    isThought,
    isEdit,
    look: isLook ? lookOf(state.memory, tool, call, comparison, isError) : null,
    isTest,
    isRetest: isTest && isAfterEdit,
    isCheckOfEdit,
    isStale,
    isProgress,
    isDeclaredWait,
    sleepMs: isDeclaredWait ? sleepMsOf(step.input) : 0,
    isPatient,
    isMeasurement,
    isAskedFor,
  };
}

function lookOf(
  memory: Memory,
  tool: string,
  call: number,
  { print, result }: Comparison,
  isError: boolean,
): Look {
  // Errors of one call are equal in other comparisons; here the words count.
  const answer = answerKey(tool, isError ? ~print.exact : result);
  return lookAgain(memory.looks ?? noLooks, call, answer);
}

/** No arguments, or neither arguments nor result: adapters that drop them leave `{}` (Roo #9377). */
function isOpaque(step: AgentStep): boolean {
  if (step.input === null || step.input === undefined) return true;
  const isBare = typeof step.input === 'object' && Object.keys(step.input).length === 0;
  return isBare && step.output === null;
}

function add(findings: Finding[], found: Finding | readonly Finding[]): void {
  if (isList(found)) for (const one of found) push(findings, one);
  else push(findings, found);
}

const isList = (found: Finding | readonly Finding[]): found is readonly Finding[] => Array.isArray(found);

/** At most one per kind: the more severe, or the first of equals. */
function push(found: Finding[], one: Finding): void {
  const index = found.findIndex(({ kind }) => kind === one.kind);
  if (index < 0) found.push(one);
  else if (one.severity === 'act' && found[index]?.severity === 'warn') found[index] = one;
}

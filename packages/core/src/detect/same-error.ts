import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { commandOf } from './call-shape.ts';
import { argumentsText } from './canonical-arguments.ts';
import type { Detector } from './detector.ts';
import { errorClass, saysRateLimited, saysUnknownTool } from './error-text.ts';
import type { CallFacts } from './facts.ts';
import { finding, spanInWords, times } from './phrase.ts';

/**
 * One cause, many attempts: the same tool fails in the same way while the arguments change. And its special case, a
 * tool that does not exist.
 *
 * Intuition: eight edits refused with "string not found", eight paths with "permission denied". Each call is new, so
 * repeated-call is silent, but the error is always the same. On labelled traces "same tool, same error, arguments
 * ignored, three times" finds twice as much as equal calls do.
 *
 * The class of an error leaves out names, paths, quotes and numbers. A success of that tool with something new ends
 * the count; so do a dozen steps without that error. Errors that are spaced out in time or mention a rate limit are
 * waiting, not trying.
 *
 * Cutoff: warn 3; act only at 10 in a stretch without progress of any kind, because an agent that varies its
 * attempts is still looking. Unknown tools: 3 and 5 for one name; guessing names only warns.
 *
 * Blind spots: one cause reported by different programs in different words. Rejected: resetting on any success:
 * agents look around between attempts (`ls`, `cat`) and would never be noticed.
 */
type ErrorRun = {
  readonly key: number;
  readonly tool: string;
  /** Errors that quote the tool's name are one class for all tools; they only warn. */
  readonly isOneTool: boolean;
  /** The same call again is left to repeated-call and flat-failure. */
  readonly lastCall: number;
  readonly count: number;
  readonly since: Instant | null;
  readonly lastAt: Instant | null;
  readonly lastIndex: number;
  /** How many of them came since the last progress. */
  readonly fruitless: number;
};

type SameErrorState = {
  readonly runs: readonly ErrorRun[];
  readonly unknownTool: {
    readonly tool: string;
    readonly same: number;
    readonly any: number;
    readonly since: Instant | null;
  } | null;
};

const limits = {
  // Arguments differ, so the agent is trying: warn as the measurements say, act only far beyond them.
  sameError: { warn: 3, act: 10 },
  // A tool that does not exist will not exist at the fifth call either.
  unknownTool: { warn: 3, act: 5 },
};

type Policy = typeof limits;

export const sameError: Detector<SameErrorState, typeof limits> = {
  kinds: ['same-error', 'unknown-tool'],
  limits,
  empty: { runs: [], unknownTool: null },
  observe: (state, seen) => (seen.kind === 'call' ? observeSameError(state, seen.facts) : state),
  find: (state, policy, callCount) => findSameError(state, callCount - 1, policy),
};

const RUNS_MAX = 6;
const FORGET_AFTER = 12;

function observeSameError(state: SameErrorState, facts: CallFacts): SameErrorState {
  if (facts.isThought) return state;
  if (!facts.isError) return afterSuccess(state, facts);
  const index = facts.index;
  const output = facts.step.output ?? '';
  if (facts.isPatient || saysRateLimited(output)) return state;
  const unknownTool = saysUnknownTool(output) ? countUnknown(state.unknownTool, facts) : state.unknownTool;
  const key = errorClass(
    facts.tool,
    output,
    commandOf(facts.step.input),
    argumentsText(facts.step.input).slice(0, ARGUMENTS_MAX),
  );
  const before = state.runs.find((run) => run.key === key);
  const isFresh =
    before !== undefined && index - before.lastIndex <= FORGET_AFTER && !facts.comparison.isImproved;
  const isAnother = isFresh && before.lastCall !== facts.call;
  const run: ErrorRun = {
    key,
    tool: facts.tool,
    isOneTool: !isFresh || (before.isOneTool && before.tool === facts.tool),
    lastCall: facts.call,
    count: isFresh ? before.count + (isAnother ? 1 : 0) : 1,
    since: isFresh ? before.since : facts.at,
    lastAt: facts.at,
    lastIndex: index,
    fruitless: isFresh ? before.fruitless + (isAnother ? 1 : 0) : 1,
  };
  const runs = [run, ...state.runs.filter((other) => other.key !== key)].slice(0, RUNS_MAX);
  return { runs, unknownTool };
}

function afterSuccess(state: SameErrorState, facts: CallFacts): SameErrorState {
  if (!facts.isProgress || (state.runs.length === 0 && state.unknownTool === null)) return state;
  const program = programOf(facts);
  const runs: ErrorRun[] = [];
  for (const run of state.runs) {
    // Every shell command has the same tool name, so there a success only resets `fruitless`.
    if (run.tool === facts.tool && program === '') continue;
    // After an edit, a failure is a new result of new code, which flat-failure handles.
    if (facts.isEdit) continue;
    if (facts.index - run.lastIndex > FORGET_AFTER) continue;
    runs.push(run.fruitless === 0 ? run : { ...run, fruitless: 0 });
  }
  return { runs, unknownTool: null };
}

const programOf = (facts: CallFacts): string => commandOf(facts.step.input);

function countUnknown(
  before: SameErrorState['unknownTool'],
  facts: CallFacts,
): SameErrorState['unknownTool'] {
  if (before === null) return { tool: facts.tool, same: 1, any: 1, since: facts.at };
  const isSame = before.tool === facts.tool;
  return { tool: facts.tool, same: isSame ? before.same + 1 : 1, any: before.any + 1, since: before.since };
}

/** Holds at the step that failed, and after it until there is progress. */
const isCurrent = (run: ErrorRun, index: number): boolean =>
  run.lastIndex === index || (run.fruitless > 0 && index - run.lastIndex <= FORGET_AFTER);

function findSameError(state: SameErrorState, index: number, policy: Policy): readonly Finding[] | null {
  if (state.runs.length === 0 && state.unknownTool === null) return null;
  const found: Finding[] = [];
  const run = state.runs[0];
  const limits = policy.sameError;
  if (run !== undefined && run.count >= limits.warn && isCurrent(run, index)) {
    found.push(
      finding({
        kind: 'same-error',
        severity: run.fruitless >= limits.act && run.isOneTool ? 'act' : 'warn',
        since: run.since,
        evidence: `Tool ${shortTool(run.tool)} failed ${times(run.count)} with the same kind of error${spanInWords(run.since, run.lastAt)}.`,
        threshold: `${limits.warn} failures of one kind to warn, ${limits.act} without any progress to act`,
        count: run.count,
      }),
    );
  }
  const unknown = state.unknownTool;
  if (unknown !== null && unknown.any >= policy.unknownTool.warn) {
    const isAct = unknown.same >= policy.unknownTool.act;
    found.push(
      finding({
        kind: 'unknown-tool',
        severity: isAct ? 'act' : 'warn',
        since: unknown.since,
        evidence: `Tools that do not exist were called ${times(unknown.any)}, lately ${shortTool(unknown.tool)}.`,
        threshold: `${policy.unknownTool.warn} calls to warn, ${policy.unknownTool.act} of one name to act`,
        count: unknown.any,
      }),
    );
  }
  return found;
}

const ARGUMENTS_MAX = 1_000;

const shortTool = (tool: string): string => `\`${tool.replace(/[^\w.:@/-]/g, ' ').slice(0, 40)}\``;

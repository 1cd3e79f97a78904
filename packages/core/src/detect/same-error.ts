import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { isEditCall } from './call-shape.ts';
import { argumentsText } from './canonical-arguments.ts';
import type { Detector, Seen } from './detector.ts';
import { readError } from './error-signature.ts';
import { saysNoMatch, saysRateLimited, saysUnknownTool } from './error-text.ts';
import type { CallFacts } from './facts.ts';
import { hashString } from './hash.ts';
import { finding, spanInWords, times } from './phrase.ts';

/**
 * One cause, many attempts: calls fail in the same way while the arguments change. And its special case, a tool that
 * does not exist.
 *
 * Intuition: eight edits refused with "string not found", eight paths with "permission denied", eight commands that
 * time out. Each call is new, so repeated-call is silent, but the error is always the same.
 *
 * Definition: an error's signature is a few words around its first error word (see `error-signature.ts`). The last 16
 * errors with a signature are kept. It warns when, within 16 calls, (a) one signature comes 4 times without a
 * successful edit in between; (b) one signature about the environment (a time-out, a missing program or file, a
 * refused connection, wrong usage, a rejected edit) comes 5 times, whatever was edited; (c) 9 calls fail in any words, which is reported as failing-calls.
 * A better number clears it. Waits, rate limits, searches without a match and test runs do not count: the first two
 * are waiting, the third is dry-spell's, and red tests are work. It holds at the call that failed.
 *
 * Cutoff: warn as above; act only at 10 failures of one tool with one signature and no progress of any kind, because
 * an agent that varies its attempts is still looking. The other detectors that compare answers only warn, because
 * their calls succeed and something may come of them. Here nothing can: ten attempts were refused for one reason, and
 * no call in between returned anything new. On the development data no success gets there: the one with the most
 * refused attempts had new results in between. Unknown tools: 3 and 5 for one name; guessing names only warns.
 *
 * Blind spots: one cause that different programs report in different words; languages other than English. Rejected:
 * resetting on any success: agents look around between attempts (`ls`, `cat`) and would never be noticed. Rejected as
 * well: a hash of the error's beginning and end, which contain what the call echoes.
 */
/** Signature, number of the call, edits before it, tool, time, and its place among those alike without progress. */
type ErrorMark = readonly [number, number, number, number, Instant | null, number];

type SameErrorState = {
  /** Newest last; only those of the last 16 calls. */
  readonly marks: readonly ErrorMark[];
  /** The number of the last call that was progress; -1 if none was. */
  readonly progressAt: number;
  /** The number of the last failed call of the last mark's tool that came too late to count; it ends nothing. */
  readonly spacedAt?: number;
  readonly unknownTool: {
    readonly tool: string;
    readonly same: number;
    readonly any: number;
    readonly since: Instant | null;
  } | null;
};

const empty: SameErrorState = { marks: [], progressAt: -1, unknownTool: null };

const limits = {
  // Arguments differ, so the agent is trying: the fourth attempt warns, and it acts only far beyond.
  sameError: { warn: 4, act: 10 },
  // Edits do not mend an environment, but some try to, so one more.
  environmentError: { warn: 5 },
  // More than half of the last 16 calls.
  failingCalls: { warn: 9 },
  // A tool that does not exist will not exist at the fifth call either.
  unknownTool: { warn: 3, act: 5 },
};

type Policy = typeof limits;

export const sameError: Detector<SameErrorState, typeof limits> = {
  kinds: ['same-error', 'failing-calls', 'unknown-tool'],
  limits,
  meanings: {
    sameError: 'Different calls that end in the same error; the agent is trying, so it acts late.',
    environmentError: 'Different calls that fail for the same reason outside the code, such as a full disk.',
    failingCalls: 'Failed calls among the last 16.',
    unknownTool: 'Calls of a tool that does not exist.',
  },
  empty,
  observe: (state, seen) => (seen.kind === 'call' ? observeCall(stateOf(state), seen) : state),
  find: (state, policy, callCount) => findErrors(stateOf(state), callCount - 1, policy),
};

/** Records of before the marks have runs in their place. */
const stateOf = (state: SameErrorState): SameErrorState => (state.marks === undefined ? empty : state);

const WINDOW = 16;
const ARGUMENTS_MAX = 1_000;

function observeCall(state: SameErrorState, seen: Extract<Seen, { kind: 'call' }>): SameErrorState {
  const { facts } = seen;
  if (facts.comparison.isImproved) return { ...empty, progressAt: facts.index };
  if (!facts.isError) return afterSuccess(state, facts);
  const output = facts.step.output ?? '';
  if (saysRateLimited(output)) return state;
  const tool = hashString(facts.tool) & 0xffff;
  if (facts.look === null && !wasKilled(facts, output))
    return state.marks.at(-1)?.[3] === tool ? { ...state, spacedAt: facts.index } : state;
  const unknownTool = saysUnknownTool(output) ? countUnknown(state.unknownTool, facts) : state.unknownTool;
  if (facts.isTest || saysNoMatch(output))
    return unknownTool === state.unknownTool ? state : { ...state, unknownTool };
  const error = readError(output, argumentsText(facts.step.input).slice(0, ARGUMENTS_MAX));
  if (error === null) return { ...state, unknownTool };
  // The lowest bit says whether the environment is to blame.
  const isEnvironment = error.isEnvironment || isEditCall(facts.step.input);
  const signature = isEnvironment ? error.signature | 1 : error.signature & ~1;
  const recent = state.marks.filter(([, index]) => facts.index - index <= WINDOW);
  const before = recent.filter((mark) => mark[0] === signature && mark[3] === tool).at(-1);
  const place = before !== undefined && before[1] > state.progressAt ? (before[5] ?? 0) + 1 : 1;
  const mark: ErrorMark = [signature, facts.index, seen.memory.editCount, tool, facts.at, place];
  return { ...state, marks: [...recent, mark], unknownTool };
}

/** A new call that ended by a time-out was long by itself; the agent did not wait before it. */
const wasKilled = ({ comparison, isThought }: CallFacts, output: string): boolean =>
  comparison.known === null && !isThought && TIMED_OUT.test(output.slice(0, TIMED_OUT_READ_MAX));

const TIMED_OUT = /\b(?:timed[ -]?out|time(?:out|[ -]limit) (?:exceeded|reached)|killed)\b/i;
const TIMED_OUT_READ_MAX = 300;

function afterSuccess(state: SameErrorState, facts: CallFacts): SameErrorState {
  if (!facts.isProgress || (state.marks.length === 0 && state.unknownTool === null)) return state;
  return { ...state, progressAt: facts.index, unknownTool: null };
}

function countUnknown(
  before: SameErrorState['unknownTool'],
  facts: CallFacts,
): SameErrorState['unknownTool'] {
  if (before === null) return { tool: facts.tool, same: 1, any: 1, since: facts.at };
  const isSame = before.tool === facts.tool;
  return { tool: facts.tool, same: isSame ? before.same + 1 : 1, any: before.any + 1, since: before.since };
}

function findErrors(state: SameErrorState, index: number, policy: Policy): readonly Finding[] | null {
  if (state.marks.length < policy.sameError.warn && state.unknownTool === null) return null;
  const found: Finding[] = [];
  const same = findSame(state, index, policy);
  if (same !== null) found.push(same);
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

function findSame(state: SameErrorState, index: number, policy: Policy): Finding | null {
  const last = state.marks.at(-1);
  // Holds at the call that failed; the next one shows whether it goes on.
  if (last === undefined || (last[1] !== index && state.spacedAt !== index)) return null;
  const [signature, , edits, tool, lastAt, place] = last;
  const recent = state.marks.filter((mark) => index - mark[1] <= WINDOW);
  const alike = recent.filter((mark) => mark[0] === signature);
  const isEnvironment = (signature & 1) === 1;
  const unedited = alike.filter((mark) => mark[2] === edits);
  const isSame = unedited.length >= policy.sameError.warn;
  if (isSame || (isEnvironment && alike.length >= policy.environmentError.warn)) {
    const fruitless = alike.filter((mark) => mark[3] === tool && mark[1] > state.progressAt).length;
    const since = alike[0]?.[4] ?? null;
    return finding({
      kind: 'same-error',
      severity: fruitless >= policy.sameError.act ? 'act' : 'warn',
      since,
      evidence: `${alike.length} of the last ${WINDOW} calls failed with the same kind of error${spanInWords(since, lastAt)}.`,
      threshold: `${policy.sameError.warn} failures of one kind to warn, ${policy.sameError.act} without any progress to act`,
      count: Math.max(alike.length, place ?? 0),
    });
  }
  if (recent.length < policy.failingCalls.warn) return null;
  const since = recent[0]?.[4] ?? null;
  return finding({
    kind: 'failing-calls',
    severity: 'warn',
    since,
    evidence: `${recent.length} of the last ${WINDOW} calls failed${spanInWords(since, lastAt)}.`,
    threshold: `${policy.failingCalls.warn} of ${WINDOW} calls`,
    count: recent.length,
  });
}

const shortTool = (tool: string): string => `\`${tool.replace(/[^\w.:@/-]/g, ' ').slice(0, 40)}\``;

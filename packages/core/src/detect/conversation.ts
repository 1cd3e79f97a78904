import type { CommonPolicy } from './policy.ts';
import { textKey } from './talk.ts';

/**
 * Who speaks when a "user" speaks: a person, or a harness that says "please continue"?
 *
 * A person who asks for the same call again gets it again, and that is no loop. A harness message inside a loop must
 * not excuse it. Neither is marked, so three signs decide. A message is machine-made if it is one of Holter's own
 * nudges or a text in brackets or tags; if the same text was said before (numbers aside); or if it comes sooner than
 * a person could have read the last result and typed.
 */
export type ConversationState = {
  /** Messages by "users", newest last. */
  readonly heard: readonly number[];
  /** How many calls there were when a person last spoke; -1 if none has. */
  readonly askedAfter: number;
  /** The last request is about something that only many runs of tests show; missing in older records. */
  readonly wantsReruns?: boolean;
};

export const emptyConversation: ConversationState = { heard: [], askedAfter: -1, wantsReruns: false };

/** "test_sync is flaky", "a race condition in the lease tests": only many runs show it. */
const UNSTABLE =
  /\b(?:flak[eiy]\w{0,8}|intermittent\w{0,6}|non-?deterministic|sporadic\w{0,6}|stability|unstable|race condition|stress[- ]test|soak)\b/i;
const OF_TESTS = /\b(?:tests?|specs?|suites?|ci|builds?|jest|vitest|pytest|mocha)(?![a-z])/i;
/** "Run the suite ten times." */
const AGAIN =
  /\b(?:re-?)?(?:runs?|repeat|execute|tests?)\b.{0,80}\b(?:(?:\d{1,4}|two|three|four|five|six|eight|ten|twenty|fifty|several|many|multiple|a few|a dozen) times|repeatedly|in a loop)\b/i;
const RERUNS_READ_MAX = 2_000;
const SENTENCE_END = /[.!?](?:\s|$)|\n/;

/** "OK, go on." is no new request. */
const AGREES =
  /^\s*(?:(?:ok|okay|yes|yep|sure|fine|good|great|thanks|thank you|please|continue|proceed|go on|go ahead|carry on|keep going)\b[\s,.!]*){1,6}$/i;

const wantsRerunsIn = (text: string): boolean =>
  text
    .slice(0, RERUNS_READ_MAX)
    .split(SENTENCE_END)
    .some((sentence) => AGAIN.test(sentence) || (UNSTABLE.test(sentence) && OF_TESTS.test(sentence)));

const HEARD_MAX = 12;
const MACHINE_MADE = /^\s*(?:Holter:|[<[{])/;

export function isPerson(
  state: ConversationState,
  text: string,
  gapMs: number | null,
  policy: CommonPolicy,
): boolean {
  if (MACHINE_MADE.test(text)) return false;
  const key = textKey(text);
  if (key === 0) return false;
  // People repeat themselves too ("again"), but not at once.
  if (state.heard.includes(key)) return gapMs !== null && gapMs >= policy.personRepeatMsMin;
  return gapMs === null || gapMs >= policy.personReplyMsMin;
}

export function hear(
  state: ConversationState,
  text: string,
  fromPerson: boolean,
  callCount: number,
): ConversationState {
  const key = textKey(text);
  const heard = state.heard.includes(key) ? state.heard : [...state.heard.slice(1 - HEARD_MAX), key];
  const isRequest = fromPerson && !AGREES.test(text);
  const wantsReruns = isRequest ? wantsRerunsIn(text) : state.wantsReruns === true;
  return { heard, askedAfter: fromPerson ? callCount : state.askedAfter, wantsReruns };
}

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
  /** A person spoke of something that is only seen by running tests again and again; missing in older records. */
  readonly wantsReruns?: boolean;
};

export const emptyConversation: ConversationState = { heard: [], askedAfter: -1, wantsReruns: false };

const RERUNS =
  /\b(?:flak[eiy]\w{0,8}|intermittent\w{0,6}|non-?deterministic|sporadic\w{0,6}|stability|race condition|stress[- ]test|soak|(?:\d{1,4}|several|many|multiple|a few) times|repeatedly|in a loop)\b/i;
const RERUNS_READ_MAX = 2_000;

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
  const wantsReruns =
    state.wantsReruns === true || (fromPerson && RERUNS.test(text.slice(0, RERUNS_READ_MAX)));
  return { heard, askedAfter: fromPerson ? callCount : state.askedAfter, wantsReruns };
}

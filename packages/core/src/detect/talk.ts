import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Detector } from './detector.ts';
import { finish, HASH_SEED, mix } from './hash.ts';
import { finding, spanInWords, times } from './phrase.ts';

/**
 * Talking instead of working: the same text again, many turns without a call, or empty replies.
 *
 * Intuition: an agent that answers the harness with one sentence over and over, announces what it never does, or
 * answers with nothing, is stuck in its talk. Nudges and harness notes in between do not count, or they would reset
 * the very thing they are about (OpenHands #13954). A person who answers ends it: then it is a conversation. A call
 * that returns something new ends it too, so "Let me continue." before each of eight edits is fine; a call that
 * returns nothing new does not.
 *
 * Cutoff: repeated-text 3 and 5; empty-replies 3 and 5; monologue warns at 8 turns and acts at 25, far above the
 * three reasoning turns that peers were wrong to stop. Blind spots: one meaning in ever new words counts only as
 * monologue. Rejected: similarity of texts: announcements of different steps are similar.
 */
type TalkState = {
  /** Hash of the last text, in lower case, without numbers and whitespace. */
  readonly text: number;
  readonly same: number;
  readonly sameSince: Instant | null;
  /** Turns without a call. */
  readonly turns: number;
  readonly turnsSince: Instant | null;
  readonly empty: number;
  readonly emptySince: Instant | null;
  readonly lastAt: Instant | null;
};

const empty: TalkState = {
  text: 0,
  same: 0,
  sameSince: null,
  turns: 0,
  turnsSince: null,
  empty: 0,
  emptySince: null,
  lastAt: null,
};

const limits = {
  // As for calls.
  repeatedText: { warn: 3, act: 5 },
  // Three turns of reasoning are planning (a reported false positive); eight without a call are not.
  monologue: { warn: 8, act: 25 },
  // OpenHands stops at three; an agent that recovers by the fourth should not have been disturbed.
  emptyReplies: { warn: 3, act: 5 },
};

type Policy = typeof limits;

export const talk: Detector<TalkState, typeof limits> = {
  kinds: ['repeated-text', 'monologue', 'empty-replies'],
  limits,
  meanings: {
    repeatedText: 'Equal messages.',
    monologue: 'Messages without a call; three turns of reasoning are planning.',
    emptyReplies: 'Replies without words or calls.',
  },
  empty,
  observe: (state, seen) => {
    switch (seen.kind) {
      case 'message':
        return observeMessage(state, seen.text, seen.at);
      case 'call':
        return afterCall(state, seen.facts.isProgress);
      case 'opaque-call':
        return afterCall(state, true);
      case 'person':
        return afterPerson(state);
      case 'compaction':
        return state;
    }
  },
  find: findTalk,
};

function observeMessage(state: TalkState, text: string, at: Instant | null): TalkState {
  const turns = state.turns + 1;
  const turnsSince = state.turns === 0 ? at : state.turnsSince;
  const key = textKey(text);
  if (key === 0) {
    const emptySince = state.empty === 0 ? at : state.emptySince;
    return { ...state, turns, turnsSince, empty: state.empty + 1, emptySince, lastAt: at };
  }
  const isSame = key === state.text;
  return {
    text: key,
    same: isSame ? state.same + 1 : 1,
    sameSince: isSame ? state.sameSince : at,
    turns,
    turnsSince,
    empty: 0,
    emptySince: null,
    lastAt: at,
  };
}

/** A call ends the monologue; only one that returned something new ends the repetition. */
function afterCall(state: TalkState, isProgress: boolean): TalkState {
  if (isProgress) return state.turns === 0 && state.same === 0 && state.empty === 0 ? state : empty;
  return state.turns === 0 && state.empty === 0
    ? state
    : { ...state, turns: 0, turnsSince: null, empty: 0, emptySince: null };
}

/** A person answered, which ends a repetition, but not empty replies: an empty reply to a person is still empty. */
function afterPerson(state: TalkState): TalkState {
  return { ...empty, empty: state.empty, emptySince: state.emptySince };
}

/** 0 for a text without a letter or sign; numbers, case and whitespace do not matter. */
export function textKey(text: string): number {
  let hash = HASH_SEED;
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 32 || (code >= 48 && code <= 57) || code === 0xa0 || code === 0x200b || code === 0xfeff) {
      if (code >= 48 && code <= 57) length += 1;
      continue;
    }
    length += 1;
    hash = mix(hash, code >= 65 && code <= 90 ? code + 32 : code);
  }
  return length === 0 ? 0 : finish(hash) || 1;
}

function findTalk(state: TalkState, policy: Policy): readonly Finding[] | null {
  const { repeatedText, monologue, emptyReplies } = policy;
  const isQuiet =
    state.same < repeatedText.warn && state.turns < monologue.warn && state.empty < emptyReplies.warn;
  if (isQuiet) return null;
  const found: Finding[] = [];
  if (state.same >= repeatedText.warn) {
    found.push(
      finding({
        kind: 'repeated-text',
        severity: state.same >= repeatedText.act ? 'act' : 'warn',
        since: state.sameSince,
        evidence: `The agent said the same words ${times(state.same)}${spanInWords(state.sameSince, state.lastAt)} and did nothing new in between.`,
        threshold: `${repeatedText.warn} equal messages to warn, ${repeatedText.act} to act`,
        count: state.same,
      }),
    );
  }
  if (state.turns >= monologue.warn) {
    found.push(
      finding({
        kind: 'monologue',
        severity: state.turns >= monologue.act ? 'act' : 'warn',
        since: state.turnsSince,
        evidence: `The agent spoke ${times(state.turns)} in a row without making a call${spanInWords(state.turnsSince, state.lastAt)}.`,
        threshold: `${monologue.warn} messages without a call to warn, ${monologue.act} to act`,
        count: state.turns,
      }),
    );
  }
  if (state.empty >= emptyReplies.warn) {
    found.push(
      finding({
        kind: 'empty-replies',
        severity: state.empty >= emptyReplies.act ? 'act' : 'warn',
        since: state.emptySince,
        evidence: `The agent gave ${state.empty} empty replies in a row${spanInWords(state.emptySince, state.lastAt)}.`,
        threshold: `${emptyReplies.warn} empty replies to warn, ${emptyReplies.act} to act`,
        count: state.empty,
      }),
    );
  }
  return found;
}

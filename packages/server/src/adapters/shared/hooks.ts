import type { Instant, Signal, SignalBody } from '@holter/core';

/** A fact with what makes it count once, whichever way it comes. */
export type MarkedSignal = SignalBody & Pick<Signal, 'id' | 'channel' | 'seq'>;

/** Text that is kept of one result or message: enough to tell two apart, little enough to store. */
const TEXT_MAX = 8_000;

export const clip = (text: string): string =>
  text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX - 1)}…`;

/** The reports that an agent posts to `/hooks/NAME`. */
export type Hooks = {
  /** The first part of the id of a session that connected by itself: `claude` in `claude.shop.c64a3fea`. */
  readonly idPrefix: string;
  /** What a body must have, as the refusal of any other body says it. */
  readonly needs: string;
  /** Null when the body is not a hook of this agent; never throws, whatever JSON it is given. */
  readonly read: (body: unknown, now: Instant) => Hook | null;
};

/** Which session a hook is about. */
export type HookSource = {
  /** Becomes part of an agent's id, so `read` accepts only letters, digits and dashes. */
  readonly sessionId: string;
  /** The subagent that the hook is about; null for the session itself. */
  readonly subagentId: string | null;
  readonly cwd: string | null;
  /** Where the hook claims that the session's transcript lies. */
  readonly transcriptPath: string | null;
};

/** One hook, in words that are the same for every agent. */
export type Hook = HookSource & {
  /** What the hook reports. An event that is not known reports `activity`. */
  readonly signals: readonly MarkedSignal[];
  /** The call that is about to be made and can still be refused in the reply. */
  readonly call: { readonly tool: string; readonly input: unknown } | null;
  readonly isSessionEnd: boolean;
  /** Whether words in the reply reach the model; if not, they wait for the next hook. */
  readonly canCarryWords: boolean;
  /** The body of the reply. Without words and refusal it lets the agent go on. */
  readonly reply: (words: readonly Word[], isCallRefused: boolean) => HookReply;
};

/** What Holter has to say to an agent: a nudge, or the wish that it refuses a call or stops. */
export type Word = { readonly type: string; readonly message: string };

export type HookReply = Readonly<Record<string, unknown>>;

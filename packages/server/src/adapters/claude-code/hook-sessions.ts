import { type Agent, canonicalJson, hashText, type Signal, type SignalBody } from '@holter/core';
import type { Engine } from '../../engine/engine.ts';
import type { ReplyQueue } from '../../engine/reply-queue.ts';
import { type HookBody, readHookBody } from './hook-body.ts';
import { type HookReply, isSlot, NO_WORD, replyTo } from './hook-reply.ts';
import { type SignalMark, signalsOf } from './hook-signals.ts';
import { agentIdOf, registrationOf } from './session-agent.ts';

/**
 * Whose hook it is: an agent that was registered for it, with the start that its token was given to, or any
 * session of whoever may enrol agents.
 */
type HookCaller = { readonly agentId: string | null; readonly incarnation: number | null };

/** A session that speaks, for whoever watches it by other senses too. */
export type LiveSession = {
  readonly agentId: string;
  readonly sessionId: string;
  readonly subagentId: string | null;
  /** Null: whichever start there is. */
  readonly incarnation: number | null;
  readonly transcriptPath: string | null;
  /** Whether this very call was told by a hook. */
  readonly hasTold: (callId: string) => boolean;
  /** Behind everything that was said before, and after the registration. */
  readonly tell: (signal: SignalBody & SignalMark) => Promise<void>;
};

type Session = {
  readonly body: HookBody;
  readonly agentId: string;
  readonly incarnation: number | null;
  readonly live: LiveSession;
  /** Signals of one session go in one after the other, the first after its registration. */
  tail: Promise<unknown>;
  /** The newest call, so that a denial knows which one is meant. */
  lastCall: number | null;
  denied: number | null;
  told: Set<string>;
};

/** Sessions end without a word when they are killed; the oldest are forgotten first. */
const SESSIONS_MAX = 5_000;
/** A transcript is never further behind the hooks than this many calls. */
const TOLD_MAX = 2_000;

/**
 * Claude Code's hooks, from body to reply. The reply is made at once from what is committed already; what
 * this hook said is folded in behind it. So a slow store never delays an agent, and Holter without a store
 * is a hook that says nothing.
 */
export class HookSessions {
  private readonly engine: Engine;
  private readonly replies: ReplyQueue;
  private readonly failed: (error: unknown) => void;
  private readonly heard: (session: LiveSession, event: string) => void;
  private readonly sessions = new Map<string, Session>();

  constructor(
    engine: Engine,
    replies: ReplyQueue,
    failed: (error: unknown) => void,
    heard: (session: LiveSession, event: string) => void = () => undefined,
  ) {
    this.engine = engine;
    this.replies = replies;
    this.failed = failed;
    this.heard = heard;
    // Helpers of an agent that has ended have ended with it, and nobody else would say so.
    engine.onCommitted(({ agent }) => {
      if (agent.hard.end) this.endHelpersOf(agent.hard.agentId);
    });
  }

  /** Null when the body is none of a hook's. */
  handle(value: unknown, caller: HookCaller): HookReply | null {
    const body = readHookBody(value);
    if (!body) return null;
    const session = this.sessionOf(body, caller);
    const reply = this.reply(session, body);
    for (const signal of this.factsOf(session, body)) void this.tell(session, signal);
    this.heard(session.live, body.event);
    return reply;
  }

  /** Until everything that was said so far is folded in; for tests and for a clean stop. */
  async settled(): Promise<void> {
    await Promise.all([...this.sessions.values()].map(({ tail }) => tail));
  }

  private sessionOf(body: HookBody, caller: HookCaller): Session {
    const key = [body.sessionId, body.subagentId ?? '', caller.agentId ?? '', caller.incarnation ?? ''].join(
      '/',
    );
    const known = this.sessions.get(key);
    if (known) return known;
    const agentId = agentIdOf(body, caller.agentId);
    const isOurs = caller.agentId !== null && body.subagentId === null;
    const group = caller.agentId === null ? null : (this.engine.peek(caller.agentId)?.hard.group ?? null);
    const told = new Set<string>();
    const session: Session = {
      body,
      agentId,
      incarnation: isOurs ? caller.incarnation : null,
      live: {
        agentId,
        sessionId: body.sessionId,
        subagentId: body.subagentId,
        incarnation: isOurs ? caller.incarnation : null,
        transcriptPath: body.transcriptPath,
        hasTold: (callId) => told.has(callId),
        tell: (signal) => this.tell(session, signal),
      },
      tail: isOurs ? Promise.resolve() : this.enrol(agentId, body, group),
      lastCall: null,
      denied: null,
      told,
    };
    this.sessions.set(key, session);
    const oldest = this.sessions.keys().next().value;
    if (this.sessions.size > SESSIONS_MAX && oldest !== undefined) this.sessions.delete(oldest);
    return session;
  }

  private enrol(agentId: string, body: HookBody, group: string | null): Promise<unknown> {
    return this.engine.register(registrationOf(agentId, body, group)).catch(this.failed);
  }

  private reply(session: Session, body: HookBody): HookReply {
    const { agentId } = session;
    const call = body.event === 'PreToolUse' ? callHash(body) : null;
    if (call !== null) session.lastCall = call;
    const agent = this.engine.peek(agentId);
    // A token of an older start neither sees what is meant for its successor nor shows that it was seen.
    if (!agent || !isCurrent(session, agent)) return NO_WORD;
    this.replies.heard(agentId);
    if (!agent.hard.incident) session.denied = null;
    if (!isSlot(body.event)) return NO_WORD;
    const directives = this.replies.take(agentId, agent.hard.incarnation);
    if (directives.some(({ type }) => type === 'deny')) session.denied = session.lastCall;
    return replyTo(body.event, directives, call !== null && call === session.denied);
  }

  private factsOf(session: Session, body: HookBody): readonly (SignalBody & SignalMark)[] {
    const agent = this.engine.peek(session.agentId);
    const isEnd = body.event === 'SessionEnd';
    // Whoever started the process sees its end, with its exit code; the session's own word says less.
    const isStartedByRun = agent ? agent.hard.executor !== null : session.incarnation !== null;
    if (isEnd && isStartedByRun) return [{ kind: 'activity' }];
    // A session that was ended and is resumed is a new start of the same agent.
    if (agent?.hard.end && !isEnd && session.incarnation === null)
      session.tail = session.tail.then(() => this.enrol(session.agentId, session.body, agent.hard.group));
    const signals = signalsOf(body);
    for (const signal of signals) if (signal.kind === 'call-ended') session.told.add(signal.callId);
    const oldest = session.told.values().next().value;
    if (session.told.size > TOLD_MAX && oldest !== undefined) session.told.delete(oldest);
    return signals;
  }

  private tell(session: Session, signal: SignalBody & SignalMark): Promise<void> {
    const told = session.tail.then(() => this.give(session, signal));
    session.tail = told.catch(this.failed);
    return told;
  }

  private async give(session: Session, signal: SignalBody & SignalMark): Promise<void> {
    const { agentId } = session;
    const agent = this.engine.peek(agentId) ?? (await this.engine.read(agentId));
    if (!agent) return;
    const incarnation = session.incarnation ?? agent.hard.incarnation;
    await this.engine.signal({ ...signal, agentId, incarnation } as Signal, 'agent');
  }

  private endHelpersOf(agentId: string): void {
    for (const [key, session] of this.sessions) {
      if (session.body.subagentId === null || !session.agentId.startsWith(`${agentId}:`)) continue;
      this.sessions.delete(key);
      void this.tell(session, { kind: 'stopped', reason: 'the session that it worked for has ended' });
    }
  }
}

const isCurrent = ({ incarnation }: Session, { hard }: Agent): boolean =>
  incarnation === null || incarnation === hard.incarnation;

/** Equal arguments in any order are the same call. */
function callHash({ fields }: HookBody): number {
  const input = canonicalJson(fields.tool_input ?? null);
  return hashText(`${String(fields.tool_name)} ${input.kind === 'canonical' ? input.text : ''}`);
}

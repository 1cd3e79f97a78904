import { type Agent, canonicalJson, type Effect, hashText, type SignalBody } from '@holter/core';
import type { Engine } from '../../engine/engine.ts';
import type { ReplyQueue } from '../../engine/reply-queue.ts';
import type { Intake, Sender } from '../../intake/index.ts';
import { type HookBody, readHookBody } from './hook-body.ts';
import { type HookReply, isSlot, NO_WORD, replyTo } from './hook-reply.ts';
import { type SignalMark, signalsOf } from './hook-signals.ts';
import { agentIdOf, registrationOf } from './session-agent.ts';

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
  readonly caller: Sender;
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
  private readonly intake: Intake;
  private readonly replies: ReplyQueue;
  private readonly failed: (error: unknown) => void;
  private readonly heard: (session: LiveSession, event: string) => void;
  private readonly sessions = new Map<string, Session>();

  constructor(
    engine: Engine,
    intake: Intake,
    replies: ReplyQueue,
    failed: (error: unknown) => void,
    heard: (session: LiveSession, event: string) => void = () => undefined,
  ) {
    this.engine = engine;
    this.intake = intake;
    this.replies = replies;
    this.failed = failed;
    this.heard = heard;
    // Helpers of an agent that has ended have ended with it, and nobody else would say so.
    engine.onCommitted(({ agent }) => {
      if (agent.hard.end) this.endHelpersOf(agent.hard.agentId);
    });
  }

  /**
   * Null when the body is none of a hook's. An agent's own token speaks for that agent, with the start that it
   * was given to; any other for each session that it reports.
   */
  handle(value: unknown, caller: Sender): HookReply | null {
    const body = readHookBody(value);
    if (!body) return null;
    const session = this.sessionOf(body, caller);
    const seen = this.replies.unseen(session.agentId);
    const reply = this.reply(session, body);
    for (const signal of this.factsOf(session, body)) void this.tell(session, signal, seen);
    this.heard(session.live, body.event);
    return reply;
  }

  /** Until everything that was said so far is folded in; for tests and for a clean stop. */
  async settled(): Promise<void> {
    await Promise.all([...this.sessions.values()].map(({ tail }) => tail));
  }

  private sessionOf(body: HookBody, caller: Sender): Session {
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
      caller,
      live: {
        agentId,
        sessionId: body.sessionId,
        subagentId: body.subagentId,
        incarnation: isOurs ? caller.incarnation : null,
        transcriptPath: body.transcriptPath,
        hasTold: (callId) => told.has(callId),
        tell: (signal) => this.tell(session, signal),
      },
      tail: isOurs ? Promise.resolve() : this.enrol(agentId, body, group, caller),
      lastCall: null,
      denied: null,
      told,
    };
    this.sessions.set(key, session);
    const oldest = this.sessions.keys().next().value;
    if (this.sessions.size > SESSIONS_MAX && oldest !== undefined) this.sessions.delete(oldest);
    return session;
  }

  private async enrol(agentId: string, body: HookBody, group: string | null, sender: Sender): Promise<void> {
    try {
      const answer = await this.intake.register(registrationOf(agentId, body, group), sender);
      if (answer.kind === 'refused') this.failed(new Error(`${agentId}: ${answer.message}`));
    } catch (error) {
      this.failed(error);
    }
  }

  private reply(session: Session, body: HookBody): HookReply {
    const { agentId } = session;
    const call = body.event === 'PreToolUse' ? callHash(body) : null;
    if (call !== null) session.lastCall = call;
    const agent = this.engine.peek(agentId);
    // A token of an older start neither sees what is meant for its successor nor shows that it was seen.
    if (!agent || !isCurrent(session, agent)) return NO_WORD;
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
      session.tail = session.tail.then(() =>
        this.enrol(session.agentId, session.body, agent.hard.group, session.caller),
      );
    const signals = signalsOf(body);
    for (const signal of signals) if (signal.kind === 'call-ended') session.told.add(signal.callId);
    const oldest = session.told.values().next().value;
    if (session.told.size > TOLD_MAX && oldest !== undefined) session.told.delete(oldest);
    return signals;
  }

  /** What is read elsewhere than in a hook may be older than any reply, and shows nothing to have been seen. */
  private tell(
    session: Session,
    signal: SignalBody & SignalMark,
    seen: readonly Effect[] = [],
  ): Promise<void> {
    const told = session.tail.then(() => this.give(session, signal, seen));
    session.tail = told.catch(this.failed);
    return told;
  }

  private async give(
    session: Session,
    signal: SignalBody & SignalMark,
    seen: readonly Effect[],
  ): Promise<void> {
    const { agentId, incarnation } = session;
    const sender: Sender = { role: 'agent', agentId, incarnation };
    const taken = await this.intake.take({ ...signal, agentId }, sender, { seen });
    if (taken.kind === 'taken' || taken.field === undefined) return;
    // Malformed or too large. The agent did something, so silence would be the wrong conclusion.
    this.failed(new Error(`${agentId}: a ${signal.kind} of a hook was refused: ${taken.message}`));
    await this.intake.take({ ...withinBounds(signal, taken.field), agentId }, sender, { seen });
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

/** A call whose arguments are too large is still that call, and equal ones stay equal. */
function withinBounds(signal: SignalBody & SignalMark, field: string): SignalBody & SignalMark {
  if (field !== 'input' || !('input' in signal)) return { kind: 'activity' };
  return { ...signal, input: { fingerprint: hashText(JSON.stringify(signal.input)) } };
}

/** Equal arguments in any order are the same call. */
function callHash({ fields }: HookBody): number {
  const input = canonicalJson(fields.tool_input ?? null);
  return hashText(`${String(fields.tool_name)} ${input.kind === 'canonical' ? input.text : ''}`);
}

import { basename } from 'node:path';
import { canonicalJson, hashText, milliseconds, type Registration, type Signal } from '@holter/core';
import type { Engine } from '../../engine/engine.ts';
import type { Mailbox } from '../../engine/mailbox.ts';
import { type HookBody, readHookBody } from './hook-body.ts';
import { type HookReply, isSlot, NO_WORD, replyTo } from './hook-reply.ts';
import { signalsOf } from './hook-signals.ts';

/** Whose hook it is: an agent that was registered for it, or any session of whoever may enrol agents. */
export type HookCaller = { readonly agentId: string | null };

type Session = {
  readonly agentId: string;
  /** Signals of one session go in one after the other, the first after its registration. */
  tail: Promise<unknown>;
  /** The newest call, so that a denial knows which one is meant. */
  lastCall: number | null;
  denied: number | null;
};

/** Claude Code gives up a model call by itself after this long, without a sign in between (measured). */
const MODEL_TIMEOUT_MS = milliseconds(300_000);
/** Sessions end without a word when they are killed; the oldest are forgotten first. */
const SESSIONS_MAX = 5_000;

/**
 * Claude Code's hooks, from body to reply. The reply is made at once from what is committed already; what
 * this hook said is folded in behind it. So a slow store never delays an agent, and Holter without a store
 * is a hook that says nothing.
 */
export class HookSessions {
  private readonly engine: Engine;
  private readonly mailbox: Mailbox;
  private readonly failed: (error: unknown) => void;
  private readonly sessions = new Map<string, Session>();

  constructor(engine: Engine, mailbox: Mailbox, failed: (error: unknown) => void) {
    this.engine = engine;
    this.mailbox = mailbox;
    this.failed = failed;
  }

  /** Null when the body is none of a hook's. */
  handle(value: unknown, caller: HookCaller): HookReply | null {
    const body = readHookBody(value);
    if (!body) return null;
    const session = this.sessionOf(body, caller);
    const reply = this.reply(session, body);
    session.tail = session.tail.then(() => this.tell(session, body)).catch(this.failed);
    return reply;
  }

  /** Until everything that was said so far is folded in; for tests and for a clean stop. */
  async settled(): Promise<void> {
    await Promise.all([...this.sessions.values()].map(({ tail }) => tail));
  }

  private sessionOf(body: HookBody, caller: HookCaller): Session {
    const key = body.subagentId === null ? body.sessionId : `${body.sessionId}/${body.subagentId}`;
    const known = this.sessions.get(key);
    if (known) return known;
    const agentId = nameOf(body, caller);
    const isOurs = caller.agentId !== null && body.subagentId === null;
    const tail = isOurs ? Promise.resolve() : this.engine.register(registrationOf(agentId, body));
    const session: Session = { agentId, tail: tail.catch(this.failed), lastCall: null, denied: null };
    this.sessions.set(key, session);
    const oldest = this.sessions.keys().next().value;
    if (this.sessions.size > SESSIONS_MAX && oldest !== undefined) this.sessions.delete(oldest);
    return session;
  }

  private reply(session: Session, body: HookBody): HookReply {
    const { agentId } = session;
    this.mailbox.heard(agentId);
    const call = body.event === 'PreToolUse' ? callHash(body) : null;
    if (call !== null) session.lastCall = call;
    const agent = this.engine.peek(agentId);
    if (!agent?.hard.incident) session.denied = null;
    if (!isSlot(body.event) || !agent) return NO_WORD;
    const directives = this.mailbox.take(agentId, agent.hard.incarnation);
    if (directives.some(({ type }) => type === 'deny')) session.denied = session.lastCall;
    return replyTo(body.event, directives, call !== null && call === session.denied);
  }

  private async tell(session: Session, body: HookBody): Promise<void> {
    const agent = this.engine.peek(session.agentId) ?? (await this.engine.read(session.agentId));
    if (!agent) return;
    for (const signal of signalsOf(body)) {
      const envelope = { agentId: session.agentId, incarnation: agent.hard.incarnation };
      await this.engine.signal({ ...envelope, ...signal } as Signal, 'agent');
    }
  }
}

/** Equal arguments in any order are the same call. */
function callHash({ fields }: HookBody): number {
  const input = canonicalJson(fields.tool_input ?? null);
  return hashText(`${String(fields.tool_name)} ${input.kind === 'canonical' ? input.text : ''}`);
}

/** Named after project and session, so that a person recognises it; a subagent after its parent. */
function nameOf(body: HookBody, caller: HookCaller): string {
  const own = caller.agentId ?? `claude.${projectOf(body)}.${body.sessionId.slice(0, 8)}`;
  return body.subagentId === null ? own : `${own}:${body.subagentId}`;
}

const projectOf = ({ cwd }: HookBody): string =>
  basename(cwd ?? '')
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 60) || 'unknown';

function registrationOf(agentId: string, body: HookBody): Registration {
  return {
    agentId,
    instanceId: body.sessionId,
    role: 'default',
    group: projectOf(body),
    // A person sits at a session that connected by itself.
    mode: 'nudge',
    promises: { calls: { modelTimeoutMs: MODEL_TIMEOUT_MS }, turns: true },
    can: ['nudge', 'deny-call'],
    executor: null,
  };
}

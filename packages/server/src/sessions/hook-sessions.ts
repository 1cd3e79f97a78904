import { type Agent, canonicalJson, hashText } from '@holter/core';
import type { Adapter, Hook, HookReply, Hooks, MarkedSignal } from '../adapters/index.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import type { Intake, Sender } from '../intake/index.ts';
import { Session } from './session.ts';
import { agentIdOf, registrationOf } from './session-agent.ts';

type HookSessionsParts = {
  readonly adapter: Adapter & { readonly hooks: Hooks };
  readonly engine: Engine;
  readonly intake: Intake;
  readonly replies: ReplyQueue;
  readonly failed: (error: unknown) => void;
  /** Called for every hook of a session, after its reply is built. */
  readonly heard: (session: Session) => void;
};

/** Killed sessions send no end, so the number is bounded; the oldest are dropped first. */
const SESSIONS_MAX = 5_000;

/**
 * Handles the hooks of one agent kind, from request body to reply. The reply is built at once from committed
 * state; the hook's own signals are folded in afterwards. So a slow store never delays an agent, and when the
 * store is unavailable the reply is empty.
 */
export class HookSessions {
  readonly adapter: HookSessionsParts['adapter'];
  private readonly parts: HookSessionsParts;
  private readonly sessions = new Map<string, Session>();

  constructor(parts: HookSessionsParts) {
    this.parts = parts;
    this.adapter = parts.adapter;
    // Subagents end with their parent, and no hook reports that.
    parts.engine.onFollowed(({ stored }) => {
      if (stored?.agent.hard.end) this.endSubagentsOf(stored.agent.hard.agentId);
    });
  }

  /**
   * Null when the body is not a hook. An agent's own token speaks for that agent and the incarnation it was
   * issued to; any other token speaks for every session that it reports.
   */
  handle(body: unknown, caller: Sender): HookReply | null {
    const hook = this.adapter.hooks.read(body);
    if (!hook) return null;
    const session = this.sessionOf(hook, caller);
    const seen = this.parts.replies.unseen(session.agentId);
    const reply = this.reply(session, hook);
    for (const signal of this.factsOf(session, hook, caller)) void session.tell(signal, seen);
    this.parts.heard(session);
    return reply;
  }

  /** Resolves when all signals so far are folded in; for tests and a clean stop. */
  async settled(): Promise<void> {
    await Promise.all([...this.sessions.values()].map((session) => session.settled()));
  }

  private sessionOf(hook: Hook, caller: Sender): Session {
    const { sessionId, subagentId, cwd, transcriptPath } = hook;
    const key = [sessionId, subagentId ?? '', caller.agentId ?? '', caller.incarnation ?? ''].join('/');
    const known = this.sessions.get(key);
    if (known) return known;
    const { engine, intake, failed } = this.parts;
    const agentId = agentIdOf(this.adapter.hooks.idPrefix, hook, caller.agentId);
    const isOurs = caller.agentId !== null && subagentId === null;
    const incarnation = isOurs ? caller.incarnation : null;
    // Copies only these fields: the session outlives the hook, whose signals may be large.
    const source = { sessionId, subagentId, cwd, transcriptPath };
    const session = new Session({ source, agentId, incarnation, intake, failed });
    const group = caller.agentId === null ? null : (engine.peek(caller.agentId)?.hard.group ?? null);
    if (!isOurs) this.enrol(session, group, caller);
    this.sessions.set(key, session);
    const oldest = this.sessions.keys().next().value;
    if (this.sessions.size > SESSIONS_MAX && oldest !== undefined) this.sessions.delete(oldest);
    return session;
  }

  private enrol(session: Session, group: string | null, sender: Sender): void {
    const { agentId, source } = session;
    void session.after(async () => {
      const answer = await this.parts.intake.register(
        registrationOf(agentId, this.adapter, source, group),
        sender,
      );
      if (answer.kind === 'refused') this.parts.failed(new Error(`${agentId}: ${answer.message}`));
    });
  }

  private reply(session: Session, hook: Hook): HookReply {
    const { engine, replies } = this.parts;
    const { agentId } = session;
    const call = hook.call && callHash(hook.call);
    if (call !== null) session.lastCall = call;
    const agent = engine.peek(agentId);
    // A token of an older incarnation neither receives its successor's messages nor marks them as seen.
    if (!agent || !isCurrent(session, agent)) return hook.reply([], false);
    if (!agent.hard.incident) session.denied = null;
    if (!hook.canCarryWords) return hook.reply([], false);
    const directives = replies.take(agentId, agent.hard.incarnation);
    if (directives.some(({ type }) => type === 'deny')) session.denied = session.lastCall;
    return hook.reply(directives, call !== null && call === session.denied);
  }

  private factsOf(session: Session, hook: Hook, sender: Sender): readonly MarkedSignal[] {
    const agent = this.parts.engine.peek(session.agentId);
    const { isSessionEnd, signals } = hook;
    // The executor that started the process reports its end with an exit code, which the session can't know.
    const isStartedByRun = agent ? agent.hard.executor !== null : session.incarnation !== null;
    if (isSessionEnd && isStartedByRun) return [{ kind: 'activity' }];
    // A session that is resumed after its end is a new incarnation of the same agent.
    if (agent?.hard.end && !isSessionEnd && session.incarnation === null)
      this.enrol(session, agent.hard.group, sender);
    for (const signal of signals) if (signal.kind === 'call-ended') session.noteTold(signal.callId);
    return signals;
  }

  private endSubagentsOf(agentId: string): void {
    for (const [key, session] of this.sessions) {
      if (session.source.subagentId === null || !session.agentId.startsWith(`${agentId}:`)) continue;
      this.sessions.delete(key);
      const reason = 'the session that it worked for has ended';
      void session.tell({ kind: 'stopped', reason });
    }
  }
}

const isCurrent = ({ incarnation }: Session, { hard }: Agent): boolean =>
  incarnation === null || incarnation === hard.incarnation;

/** The order of the arguments does not matter. */
function callHash({ tool, input }: NonNullable<Hook['call']>): number {
  const canonical = canonicalJson(input);
  return hashText(`${tool} ${canonical.kind === 'canonical' ? canonical.text : ''}`);
}

import type { Agent, Instant } from '@holter/core';
import type { Adapter, Hook, HookReply, HookSource, Hooks, MarkedSignal } from '../adapters/index.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import type { RunRecord } from '../executors/index.ts';
import { type Intake, type Refused, refused, type Sender } from '../intake/index.ts';
import type { MailTray } from '../post/index.ts';
import type { ProcessIdentity } from '../processes/index.ts';
import { BeginPace } from './begin-pace.ts';
import { isDenied } from './denied-call.ts';
import { Session } from './session.ts';
import { type Place, placeOfSession, placeOfSubagent, registrationOf } from './session-agent.ts';

type HookSessionsParts = {
  readonly adapter: Adapter & { readonly hooks: Hooks };
  readonly engine: Engine;
  readonly intake: Intake;
  readonly replies: ReplyQueue;
  readonly clock: Clock;
  /** Letters that the replies carry; without it, none. */
  readonly mail?: Pick<MailTray, 'take'>;
  /** The run that owns an agent, by its executor; without it, no run is known. */
  readonly findRun?: (executorId: string) => Promise<RunRecord | null>;
  /** Holter's own judge: while it runs, sessions in its folder are no agents. */
  readonly judge?: OwnJudge;
  readonly failed: (error: unknown) => void;
  readonly watch: SessionWatcher;
};

/** Looks at what hooks do not report. */
export type SessionWatcher = {
  /** Called for every hook of a session, after its reply is built. */
  readonly heard: (session: Session) => void;
  /** The process of a session that is known to run on this machine. */
  readonly processOf: (sessionId: string) => ProcessIdentity | null;
};

/** Where a command of Holter's own judge runs, and whether one does. */
export type OwnJudge = { readonly folder: string; readonly isRunning: boolean };

type Answer = { readonly kind: 'answered'; readonly reply: HookReply } | Refused;

/** Killed sessions send no end, so the number is bounded; the one that was silent longest is dropped first. */
const SESSIONS_MAX = 5_000;
/** How long a session that could not be registered waits before its next hook tries again. */
const ENROL_AGAIN_MS = 30_000;
/** A reply waits no longer than this for the record of its agent. */
const RECORD_MS_MAX = 500;

/**
 * Handles the hooks of one agent kind, from request body to reply. The reply is built at once from committed
 * state; the hook's own signals are folded in afterwards. So a slow store hardly delays an agent, and when the
 * store is unavailable the reply is empty.
 */
export class HookSessions {
  readonly adapter: HookSessionsParts['adapter'];
  private readonly parts: HookSessionsParts;
  private readonly sessions = new Map<string, Session>();
  private readonly pace = new BeginPace();
  private readonly triedAt = new WeakMap<Session, Instant>();

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
   * issued to; any other token speaks for the sessions that it reported first, and for their subagents.
   */
  async handle(body: unknown, caller: Sender): Promise<Answer | null> {
    const hook = this.adapter.hooks.read(body, this.parts.clock.now());
    if (!hook) return null;
    if (this.isOwnJudge(hook, caller)) return { kind: 'answered', reply: hook.reply([], false) };
    const session = this.sessionOf(hook, caller);
    if (!session) return tooMany;
    const seen = session.agentId === null ? [] : this.parts.replies.unseen(session.agentId);
    const agent = this.mustRead(session, hook) ? await this.readSoon(session) : this.peek(session);
    const reply = this.reply(session, hook, agent);
    for (const signal of this.factsOf(session, hook, caller)) void session.tell(signal, seen);
    this.parts.watch.heard(session);
    return { kind: 'answered', reply };
  }

  /** Resolves when all signals so far are folded in; for tests and a clean stop. */
  async settled(): Promise<void> {
    await Promise.all([...this.sessions.values()].map((session) => session.settled()));
  }

  /**
   * A session that is known stays watched wherever it goes; so does one with a token of its own, and one that an
   * agent begins in the folder of the judge while no judge runs.
   */
  private isOwnJudge(source: HookSource, caller: Sender): boolean {
    const { judge } = this.parts;
    const isThere = judge !== undefined && source.cwd === judge.folder && judge.isRunning;
    return isThere && caller.role === 'hook' && !this.sessions.has(keyOf(source, caller));
  }

  /** Null when the caller has begun too many. */
  private sessionOf(source: HookSource, caller: Sender): Session | null {
    const { sessionId, subagentId, cwd, transcriptPath } = source;
    const { agentId, incarnation, user = null } = caller;
    const key = keyOf(source, caller);
    const known = this.sessions.get(key);
    if (known) {
      this.sessions.delete(key);
      this.sessions.set(key, known);
      return known;
    }
    const parent = subagentId === null ? null : this.sessionOf({ ...source, subagentId: null }, caller);
    const isAllowed = subagentId === null || parent !== null;
    if (!isAllowed || !this.pace.take(this.accountOf(sessionId, caller), this.parts.clock.now())) return null;
    const { intake, failed } = this.parts;
    const session = new Session({
      // Copies only these fields: the session outlives the hook, whose signals may be large.
      source: { sessionId, subagentId, cwd, transcriptPath },
      agentId: parent ? null : agentId,
      incarnation: parent ? null : incarnation,
      user,
      parent,
      ...(agentId !== null && {
        isVouchedFor: () => (parent ? parent.isGenuine() : this.isRunOfThisKind(agentId)),
      }),
      intake,
      failed,
    });
    if (!session.isOwn) this.enroll(session, caller);
    this.sessions.set(key, session);
    const oldest = this.sessions.keys().next().value;
    if (this.sessions.size > SESSIONS_MAX && oldest !== undefined) this.sessions.delete(oldest);
    return session;
  }

  /** A session of a process that was seen does not depend on how many others its token has begun. */
  private accountOf(sessionId: string, { agentId, tokenId }: Sender): string {
    if (agentId !== null) return agentId;
    const process = this.parts.watch.processOf(sessionId);
    return process ? `${process.pid}/${process.startedAt}` : (tokenId ?? '');
  }

  /**
   * Any program may post hooks with its agent's own token. That they come from a session of this kind is known only
   * where a run has started one.
   */
  private async isRunOfThisKind(agentId: string): Promise<boolean> {
    const executorId = (await this.parts.engine.read(agentId))?.hard.executor ?? null;
    const run = executorId === null ? null : await this.parts.findRun?.(executorId);
    if (!run) return false;
    // The session's id may not be known yet.
    return run.session ? run.session.kind === this.adapter.name : run.words === 'replies';
  }

  private enroll(session: Session, caller: Sender): void {
    this.triedAt.set(session, this.parts.clock.now());
    void session.after(async () => {
      const place = await this.placeOf(session, caller);
      const answer = place ? await this.register(session, place, caller) : noParent;
      if (answer.kind === 'refused')
        this.parts.failed(new Error(`session ${session.sessionId}: ${answer.message}`));
    });
  }

  /** Null for a subagent whose parent is not there, or not the start that reports. */
  private async placeOf({ source, parent }: Session, caller: Sender): Promise<Place | null> {
    const { user = null } = caller;
    if (source.subagentId === null || !parent)
      return placeOfSession(this.adapter.hooks.idPrefix, source, user);
    await parent.settled();
    const agent = parent.agentId === null ? null : await this.parts.engine.read(parent.agentId);
    if (!agent || agent.hard.end || !parent.speaksFor(agent)) return null;
    return placeOfSubagent(source.subagentId, agent.hard.agentId, agent.hard.group);
  }

  private async register(
    session: Session,
    place: Place,
    caller: Sender,
  ): Promise<{ readonly kind: 'joined' } | Refused> {
    for (const name of place.names) {
      const registration = registrationOf(name, this.adapter, session.source, place);
      const answer = await this.parts.intake.register(registration, caller);
      if (answer.kind === 'refused') return answer;
      if (answer.kind !== 'enrolled' || answer.enrollment.kind === 'refused') continue;
      session.join(answer.agent);
      return { kind: 'joined' };
    }
    return notIts;
  }

  private peek({ agentId }: Session): Agent | null {
    return agentId === null ? null : this.parts.engine.peek(agentId);
  }

  /** Which call is refused is in the record, which another server may have changed. Only a run's agent has refusals. */
  private mustRead(session: Session, { call }: Hook): boolean {
    if (call === null || !session.isOwn) return false;
    return this.parts.engine.isShared || this.peek(session) === null;
  }

  private async readSoon(session: Session): Promise<Agent | null> {
    const { engine, clock, failed } = this.parts;
    const read = engine.read(session.agentId ?? '').catch((error: unknown) => {
      failed(error);
      return null;
    });
    const late = new Promise<null>((resolve) => clock.after(RECORD_MS_MAX, () => resolve(null)));
    return (await Promise.race([read, late])) ?? this.peek(session);
  }

  private reply(session: Session, hook: Hook, agent: Agent | null): HookReply {
    // What reports for another start neither receives this one's messages nor marks them as seen.
    if (!agent || !session.speaksFor(agent) || !hook.canCarryWords) return hook.reply([], false);
    const { agentId, incarnation } = agent.hard;
    const directives = this.parts.replies.take(agentId, incarnation);
    const letters = this.parts.mail?.take(agentId) ?? null;
    const words = letters === null ? directives : [...directives, { type: 'letter', message: letters }];
    const isNew = directives.some(({ type }) => type === 'deny');
    return hook.reply(words, hook.call !== null && isDenied(agent.hard, hook.call, isNew));
  }

  private factsOf(session: Session, hook: Hook, caller: Sender): readonly MarkedSignal[] {
    const { isOwn } = session;
    const agent = this.peek(session);
    const { isSessionEnd, signals } = hook;
    session.announcedStop = isSessionEnd ? reasonIn(signals) : undefined;
    // The executor that started the process reports its end with an exit code, which the session can't know.
    const isStartedByRun = agent ? agent.hard.executor !== null : isOwn;
    if (isSessionEnd && isStartedByRun) return [{ kind: 'activity' }];
    if (!isOwn && !isSessionEnd && this.mustEnroll(session, agent)) this.enroll(session, caller);
    for (const signal of signals) if (signal.kind === 'call-ended') session.noteTold(signal.callId);
    return signals;
  }

  /** A session that is resumed after its end is a new incarnation of the same agent. */
  private mustEnroll(session: Session, agent: Agent | null): boolean {
    if (agent) return agent.hard.end !== undefined || !session.speaksFor(agent);
    const triedAt = this.triedAt.get(session) ?? 0;
    return session.agentId === null && this.parts.clock.now() - triedAt > ENROL_AGAIN_MS;
  }

  private endSubagentsOf(agentId: string): void {
    for (const [key, session] of this.sessions) {
      if (session.parent?.agentId !== agentId) continue;
      this.sessions.delete(key);
      const reason = 'the session that it worked for has ended';
      void session.tell({ kind: 'stopped', reason });
    }
  }
}

const tooMany = refused('too_many_sessions', 'this token began too many sessions; try again in a moment');
const noParent = refused(
  'forbidden',
  'a subagent was not registered: the agent that it works for is not running',
);
const notIts = refused('forbidden', 'not registered: its name belongs to an agent that others report for');

const reasonIn = (signals: readonly MarkedSignal[]): string | undefined =>
  signals.flatMap((signal) => (signal.kind === 'stopped' ? [signal.reason] : []))[0];

const keyOf = (
  { sessionId, subagentId }: HookSource,
  { agentId, incarnation, user }: Pick<Sender, 'agentId' | 'incarnation' | 'user'>,
): string => [sessionId, subagentId ?? '', agentId ?? '', incarnation ?? '', user ?? ''].join('/');

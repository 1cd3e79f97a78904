import {
  type Agent,
  AUTHORITY,
  checkSignal,
  type Effect,
  hashText,
  isOrderedStart,
  type Registration,
  SENSED_ONLY,
  type Signal,
  type Source,
} from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import type { Answer } from '../engine/request.ts';
import { redact } from '../redaction/index.ts';
import type { Store } from '../store/store.ts';
import { AgentQuota } from './agent-quota.ts';
import { problemOfNames } from './check-registration.ts';
import { cleanSignal, fieldWithSecret, notesOn } from './clean-signal.ts';
import { ClockSkews } from './clock-skews.ts';
import { Pace } from './pace.ts';
import { type Refused, refusalOfAnswer, refused } from './refusal.ts';
import { ReturnedStarts } from './returned-starts.ts';
import { type Sender, sourceOf } from './sender.ts';
import { isTokenless, TOKENLESS_REGISTRAR } from './tokenless.ts';

type IntakeContext = {
  readonly engine: Pick<Engine, 'signal' | 'register' | 'peek' | 'read' | 'notify' | 'currentPolicies'>;
  readonly replies: Pick<ReplyQueue, 'unseen' | 'seen'>;
  readonly store: Pick<Store, 'getMeta' | 'swapMeta' | 'listAgents' | 'removeEnded'>;
  readonly clock: Clock;
  /** The clock on the wall, to which agents' clocks are compared; the engine's own never steps. */
  readonly wallNow?: () => number;
};

/** `notes` tell the sender what was changed in its signal; usually empty. */
export type Taken = { readonly kind: 'taken'; readonly notes: readonly string[] } | Refused;

type Details = {
  /** The agent named in the URL path, if any. */
  readonly agentId?: string;
  readonly correlationId?: string;
  /** Effects that this signal proves were seen. Default: everything delivered in earlier replies. */
  readonly seen?: readonly Effect[];
};

type Checked = {
  readonly kind: 'checked';
  readonly signal: Signal;
  /** By the sender's clock. */
  readonly sentAt: number | undefined;
  readonly notes: readonly string[];
};
type Arrival = {
  readonly sender: Sender;
  readonly incarnation: number | undefined;
  readonly seen: readonly Effect[];
  readonly correlationId: string | undefined;
};

const NOTHING: readonly never[] = [];

/**
 * The only entry to the engine for signals and registrations, whether they come from HTTP, a hook, a log or
 * Holter's own sensors. Each is validated, authorized for its sender, stripped of secrets, counted, and then
 * passed to the engine.
 */
export class Intake {
  /** By kind; malformed input counts as `bad`. */
  readonly takenCounts = new Map<string, number>();
  readonly refusedCounts = new Map<string, number>();
  readonly clockSkews = new ClockSkews();
  private readonly context: IntakeContext;
  private readonly quota: AgentQuota;
  private readonly returned: ReturnedStarts;
  private readonly starts = new Pace();

  constructor(context: IntakeContext) {
    this.context = context;
    const { engine, store, clock } = context;
    this.returned = new ReturnedStarts(engine);
    this.quota = new AgentQuota({
      store,
      now: () => clock.now(),
      max: () => engine.currentPolicies.quotas.agentsPerTokenMax,
    });
  }

  /** Resolves when the signal is durable. Throws when the store is unavailable or the queue is full. */
  take(value: unknown, sender: Sender, details: Details = {}): Promise<Taken> {
    const checked = this.check(value, sender, details.agentId);
    if (checked.kind === 'refused') return Promise.resolve(checked);
    const arrival = this.arrive(sender, details);
    return arrival instanceof Promise
      ? arrival.then((known) => this.give(checked, known))
      : this.give(checked, arrival);
  }

  /** Passes all to the engine together, in this order. Malformed ones do not block the others. */
  async takeAll(
    values: readonly unknown[],
    sender: Sender,
    details: Details = {},
  ): Promise<readonly Promise<Taken>[]> {
    const checked = values.map((value) => this.check(value, sender, details.agentId));
    const arrival = await this.arrive(sender, details);
    return checked.map((each) =>
      each.kind === 'refused' ? Promise.resolve(each) : this.give(each, arrival),
    );
  }

  async register(
    registration: Registration,
    sender: Sender,
    correlationId?: string,
  ): Promise<Answer | Refused> {
    const { engine } = this.context;
    const { agentId, taskId } = registration;
    const problem = problemOfNames(registration);
    if (problem) return problem;
    const account = accountOf(sender);
    const known = account === null ? null : await engine.read(agentId);
    if (account !== null && known !== null && this.startsTooOften(known, registration, account))
      return refused('too_many_starts', 'this agent starts too often; try again in a moment');
    // One that starts again has its place already.
    const isTakenOver = known !== null && isTokenless(known) !== (sender === TOKENLESS_REGISTRAR);
    const hasPlace = known !== null && !known.hard.end && !isTakenOver;
    if (account !== null && !hasPlace && !(await this.quota.take(account)))
      return refused('too_many_agents', 'this token has as many agents as it may');
    const enrolledBy = hasPlace ? known.hard.enrolledBy : (account ?? undefined);
    const clean = {
      ...registration,
      source: sourceOf(sender, agentId),
      ...(enrolledBy !== undefined && { enrolledBy }),
      ...(taskId !== undefined && { taskId: redact(taskId) }),
    };
    return engine.register(clean, correlationId);
  }

  /**
   * Each start has rows of its own in the audit trail. Those that Holter ordered have limits of their own. By account,
   * so that nobody uses up the starts of another.
   */
  private startsTooOften(known: Agent, registration: Registration, account: string): boolean {
    const { engine, clock } = this.context;
    const { agentId, incarnation, end, instanceHash } = known.hard;
    const { reporter, instanceId, spawnKey } = registration;
    const isSame = !end && (reporter !== undefined || instanceHash === hashText(instanceId));
    if (incarnation === 0 || isSame || isOrderedStart(known, spawnKey)) return false;
    const { startsPerMinuteMax } = engine.currentPolicies.quotas;
    const limit = { atOnceMax: startsPerMinuteMax, everyMs: 60_000 / startsPerMinuteMax };
    return !this.starts.take(`${account} ${agentId}`, clock.now(), limit);
  }

  /** Fills in fields that the sender may omit. This modifies `value`, which belongs to this call. */
  private check(value: unknown, sender: Sender, agentId: string | undefined): Checked | Refused {
    address(value, sender, agentId);
    const reading = checkSignal(value);
    if (reading.kind === 'bad-signal') {
      count(this.refusedCounts, 'bad');
      return refused(reading.code, reading.message, reading.field);
    }
    const { signal } = reading;
    if (agentId !== undefined && signal.agentId !== agentId) return otherAgent;
    if (sourceOf(sender, signal.agentId) === 'other-agent') return notYours;
    if (sender.incarnation !== null && (signal.incarnation ?? 0) !== sender.incarnation) return otherStart;
    const secret = fieldWithSecret(signal);
    if (secret !== null) {
      count(this.refusedCounts, signal.kind);
      return refused('secret_id', `${secret} looks like a secret, and ids are shown`, secret);
    }
    const clean = cleanSignal(signal, this.context.clock.now());
    const notes = clean === signal ? NOTHING : notesOn(value, signal, clean);
    const sentAt = signal.kind === 'heartbeat' ? signal.timestamp : undefined;
    return { kind: 'checked', signal: clean, sentAt, notes };
  }

  /** Records now what earlier replies delivered, because another reply may be sent before this signal is durable. */
  private arrive(sender: Sender, { seen, correlationId }: Details): Arrival | Promise<Arrival> {
    const { engine, replies } = this.context;
    const { role, agentId, incarnation } = sender;
    if (role !== 'agent' || agentId === null)
      return { sender, incarnation: undefined, seen: NOTHING, correlationId };
    const arrival: Arrival = {
      sender,
      incarnation: undefined,
      seen: seen ?? replies.unseen(agentId),
      correlationId,
    };
    if (incarnation !== null) return arrival;
    // A token that an operator made by hand is not bound to an incarnation: the current one is used.
    const known = engine.peek(agentId);
    const ofCurrent = (agent: Agent | null): Arrival => ({
      ...arrival,
      incarnation: agent?.hard.incarnation || undefined,
    });
    return known ? ofCurrent(known) : engine.read(agentId).then(ofCurrent);
  }

  private async give({ signal, sentAt, notes }: Checked, arrival: Arrival): Promise<Taken> {
    const { engine, replies } = this.context;
    const { sender, incarnation, seen, correlationId } = arrival;
    const full = incarnation === undefined || signal.incarnation ? signal : { ...signal, incarnation };
    let answer: Answer;
    try {
      answer = await engine.signal(full, originOf(full, sender), correlationId);
    } catch (error) {
      count(this.refusedCounts, signal.kind);
      throw error;
    }
    const refusal = refusalOfAnswer(answer, full.agentId);
    if (refusal !== null) {
      count(this.refusedCounts, signal.kind);
      const isOver = refusal.code === 'stale_incarnation' || refusal.code === 'agent_ended';
      if (isOver && sender.role === 'agent' && full.incarnation !== undefined)
        await this.returned.refused(full.agentId, full.incarnation);
      return refusal;
    }
    count(this.takenCounts, signal.kind);
    if (sentAt !== undefined) this.noteSkew(signal.agentId, sentAt);
    // The agent's own signal was accepted, so the current incarnation sent it and has seen these effects.
    if (seen.length > 0 && answer.kind === 'folded')
      replies.seen(signal.agentId, answer.agent.hard.incarnation, seen);
    return notes.length === 0 ? TAKEN : { kind: 'taken', notes };
  }

  private noteSkew(agentId: string, sentAt: number): void {
    const { clock, wallNow } = this.context;
    this.clockSkews.note(agentId, sentAt, wallNow?.() ?? clock.now());
  }
}

const TAKEN: Taken = { kind: 'taken', notes: NOTHING };

/** The path names the agent and the token its incarnation; if the body names them too, they must match. */
function address(value: unknown, { role, incarnation }: Sender, agentId: string | undefined): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const raw = value as Record<string, unknown>;
  if (agentId !== undefined && raw.agentId === undefined && raw.agent_id === undefined) raw.agentId = agentId;
  if (role === 'agent' && incarnation) raw.incarnation ??= incarnation;
}

/** What an operator or a run has sensed is no sign of life of the agent itself. */
function originOf({ kind, agentId }: Signal, sender: Sender): Source {
  const source = sourceOf(sender, agentId);
  return SENSED_ONLY.has(kind) && AUTHORITY[source].senses ? 'holter' : source;
}

/** Whose quota a new agent counts against. Tokens of an agent change with each start, so the agent itself counts. */
function accountOf({ role, agentId, tokenId }: Sender): string | null {
  if (role === 'agent') return `agent/${agentId}`;
  return role === 'enroll' || role === 'hook' ? (tokenId ?? null) : null;
}

function count(counts: Map<string, number>, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

const otherAgent = refused('other_agent', 'the body names another agent than the path', 'agentId');
const notYours = refused('forbidden', 'this token speaks for another agent', 'agentId');
const otherStart = refused(
  'stale_incarnation',
  'this token belongs to another start of the agent',
  'incarnation',
);

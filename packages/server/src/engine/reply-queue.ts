import type { Directive, Effect, EffectKind, Hard, HolterEvent } from '@holter/core';
import { later, openLives } from '@holter/core';
import type { Clock } from './clock.ts';
import type { ActResult, Executor } from './executor.ts';
import type { Followed, FollowedEffect } from './follower.ts';

type Receive = (effect: Effect, outcome: 'delivered' | 'seen', detail: string) => Promise<void>;

const directiveTypes: Readonly<Partial<Record<EffectKind, Directive['type']>>> = {
  nudge: 'nudge',
  inquire: 'inquiry',
  remind: 'reminder',
  'request-handoff': 'handoff',
  'deny-call': 'deny',
  terminate: 'stop',
};

/** A run stops its command itself. */
const MESSAGES: ReadonlySet<EffectKind> = new Set(
  (Object.keys(directiveTypes) as EffectKind[]).filter((kind) => kind !== 'terminate'),
);

/** How often an effect that waits for a reply is claimed again, to check that it is still wanted. */
const OFFER_AGAIN_MS = 60_000;
/** How soon one is tried again that could not be put where it waits. */
const TRY_AGAIN_MS = 5_000;

/**
 * Messages for agents that call the API: they wait here until the reply to the agent's next request carries
 * them. A message in a reply is delivered; the agent's next signal after that reply shows that it was seen.
 * Only committed effects are queued, so a reply never waits for the store. The server that claimed an effect
 * offers it to all servers; the first to hear from the agent delivers it, and the others drop it.
 */
export class ReplyQueue implements Executor {
  readonly name = 'reply-queue';
  readonly id = null;
  readonly kinds: ReadonlySet<EffectKind> = new Set(Object.keys(directiveTypes) as EffectKind[]);
  private readonly waiting: ByAgent = new Map();
  private readonly given: ByAgent = new Map();
  private readonly clock: Clock;
  private readonly receive: Receive;
  private putAway: (agentId: string) => Promise<void> = async () => undefined;

  constructor(clock: Clock, receive: Receive) {
    this.clock = clock;
    this.receive = receive;
  }

  async act(effect: Effect): Promise<ActResult> {
    add(this.waiting, effect);
    try {
      await this.putAway(effect.agentId);
    } catch {
      return {
        kind: 'failed',
        detail: 'it could not be put into the box of the agent',
        retryAt: later(this.clock.now(), TRY_AGAIN_MS),
      };
    }
    return {
      kind: 'offered',
      againAt: later(this.clock.now(), OFFER_AGAIN_MS),
      detail: 'it waits for the next request of the agent',
    };
  }

  /** Called whenever something is to wait for the agent, and again after a crash. */
  onWaiting(putAway: (agentId: string) => Promise<void>): void {
    this.putAway = putAway;
  }

  /** Delivers effects that other servers offer, and drops those that they have delivered. */
  follow(engine: Feed): void {
    engine.onFollowedEffect(({ what, effect, outcome }) => {
      if (!this.kinds.has(effect.kind)) return;
      if (what === 'offered' && outcome === null) this.carryToo(effect);
      if (what === 'settled') remove(this.waiting, effect.agentId, effect.id);
    });
    engine.onFollowed(({ own, stored, events }) => {
      if (stored) this.keepWanted(stored.agent.hard);
      for (const event of events) {
        if (event.type === 'EFFECT_CANCELLED')
          remove(this.waiting, event.payload.agentId, event.payload.effectId);
        else if (!own) this.followReceipt(event);
      }
    });
  }

  /** Drops effects whose incident or incarnation has ended: that commit cancelled them. */
  private keepWanted(hard: Hard): void {
    const waiting = this.waiting.get(hard.agentId);
    if (!waiting) return;
    const lives = openLives(hard);
    for (const { id, livesBy } of waiting)
      if (!lives.includes(livesBy)) remove(this.waiting, hard.agentId, id);
  }

  private followReceipt(event: HolterEvent): void {
    if (event.type !== 'EFFECT_RECEIPT') return;
    const { agentId, effectId, outcome } = event.payload;
    const given = remove(this.waiting, agentId, effectId);
    if (outcome === 'delivered' && given) add(this.given, given);
    if (outcome === 'seen') remove(this.given, agentId, effectId);
  }

  /** The same queue for agents of another executor that starts and stops them but delivers no messages. */
  onBehalfOf(executorId: string): Executor {
    const { name } = this;
    return { name, id: executorId, kinds: MESSAGES, act: (effect) => this.act(effect) };
  }

  /**
   * For an agent whose executor delivers the message in another way: if the agent calls in, the reply carries it as
   * well, under the same id.
   */
  carryToo(effect: Effect): void {
    const isGiven = this.unseen(effect.agentId).some(({ id }) => id === effect.id);
    if (this.kinds.has(effect.kind) && !isGiven) add(this.waiting, effect);
  }

  /** What waits for this incarnation, and goes on waiting until it is taken. */
  offered(agentId: string, incarnation: number): readonly Directive[] {
    const effects = this.waiting.get(agentId) ?? NO_EFFECTS;
    return effects.filter((effect) => effect.incarnation === incarnation).flatMap(directiveOf);
  }

  /**
   * Takes the directives for a reply to this incarnation, all of them or those of these ids; effects for an older one
   * are discarded.
   */
  take(agentId: string, incarnation: number, ids?: ReadonlySet<string>): readonly Directive[] {
    const effects = this.waiting.get(agentId);
    if (!effects) return [];
    const current = effects.filter(
      (effect) => effect.incarnation === incarnation && (ids?.has(effect.id) ?? true),
    );
    const left = effects.filter((effect) => effect.incarnation === incarnation && !current.includes(effect));
    if (left.length > 0) this.waiting.set(agentId, left);
    else this.waiting.delete(agentId);
    if (current.length === 0) return [];
    this.given.set(agentId, [...(this.given.get(agentId) ?? []), ...current]);
    for (const effect of current)
      void this.receive(effect, 'delivered', 'in the reply to a request').catch(ignoreOutage);
    return current.flatMap(directiveOf);
  }

  /** Effects delivered in earlier replies that the agent is not yet known to have seen. */
  unseen(agentId: string): readonly Effect[] {
    return this.given.get(agentId) ?? NO_EFFECTS;
  }

  /** Marks effects as seen by this incarnation. Those delivered to an older one are ignored. */
  seen(agentId: string, incarnation: number, effects: readonly Effect[]): void {
    const given = this.unseen(agentId).filter((effect) => effect.incarnation === incarnation);
    const rest = given.filter((effect) => !effects.includes(effect));
    if (rest.length === 0) this.given.delete(agentId);
    else this.given.set(agentId, rest);
    for (const effect of given)
      if (effects.includes(effect))
        void this.receive(effect, 'seen', 'the agent spoke after it').catch(ignoreOutage);
  }
}

const NO_EFFECTS: readonly Effect[] = [];

type Feed = {
  readonly onFollowed: (listener: (followed: Followed) => void) => unknown;
  readonly onFollowedEffect: (listener: (change: FollowedEffect) => void) => unknown;
};
type ByAgent = Map<string, Effect[]>;

function add(effects: ByAgent, effect: Effect): void {
  const others = effects.get(effect.agentId) ?? [];
  if (!others.some(({ id }) => id === effect.id)) effects.set(effect.agentId, [...others, effect]);
}

function remove(effects: ByAgent, agentId: string, effectId: string): Effect | undefined {
  const all = effects.get(agentId) ?? [];
  const rest = all.filter(({ id }) => id !== effectId);
  if (rest.length > 0) effects.set(agentId, rest);
  else effects.delete(agentId);
  return all.find(({ id }) => id === effectId);
}

/** A receipt that can't be stored is lost; the effect then counts as unseen, which is safe. */
const ignoreOutage = (): void => undefined;

function directiveOf(effect: Effect): readonly Directive[] {
  const type = directiveTypes[effect.kind];
  if (!type) return [];
  const { id } = effect;
  if (effect.kind === 'terminate')
    return [{ type, id, message: `Holter: please save your state and stop: ${effect.reason}` }];
  if (!('message' in effect)) return [];
  const { message } = effect;
  if (effect.kind !== 'inquire') return [{ type, id, message }];
  const { answerBy, taskId } = effect;
  return [{ type, id, message, answerBy, ...(taskId !== undefined && { taskId }) }];
}

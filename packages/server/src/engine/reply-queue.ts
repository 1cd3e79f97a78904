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
};

/** How often an effect that waits for a reply is claimed again, and its reason asked for. */
const OFFER_AGAIN_MS = 60_000;

/**
 * Words for agents that call in themselves: they wait here until the agent's next request, whose reply
 * carries them. In a reply is delivered; the agent's next signal after that reply shows that it was seen.
 * Only what is committed gets here, so a reply never waits for the store. The server that claimed an effect offers
 * it to all; whichever hears from the agent first gives the reply, and the others follow.
 */
export class ReplyQueue implements Executor {
  readonly name = 'reply-queue';
  readonly id = null;
  readonly kinds: ReadonlySet<EffectKind> = new Set(Object.keys(directiveTypes) as EffectKind[]);
  private readonly waiting: ByAgent = new Map();
  private readonly given: ByAgent = new Map();
  private readonly clock: Clock;
  private readonly receive: Receive;

  constructor(clock: Clock, receive: Receive) {
    this.clock = clock;
    this.receive = receive;
  }

  async act(effect: Effect): Promise<ActResult> {
    add(this.waiting, effect);
    return {
      kind: 'offered',
      againAt: later(this.clock.now(), OFFER_AGAIN_MS),
      detail: 'waits for the next request of the agent',
    };
  }

  /** What other servers offer is given here as well, and what they have given is not given again. */
  follow(engine: Feed): void {
    engine.onFollowedEffect(({ what, effect, outcome }) => {
      if (!this.kinds.has(effect.kind)) return;
      if (what === 'offered' && outcome === null) add(this.waiting, effect);
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

  /** The commit that ended what an effect lives by has cancelled it. */
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

  /** The same queue for agents of another executor, which ends and starts them but does not talk to them. */
  onBehalfOf(executorId: string): Executor {
    const { name, kinds } = this;
    return { name, id: executorId, kinds, act: (effect) => this.act(effect) };
  }

  /** For a reply to this very incarnation; effects for an older one are thrown away. */
  take(agentId: string, incarnation: number): readonly Directive[] {
    const effects = this.waiting.get(agentId);
    if (!effects) return [];
    this.waiting.delete(agentId);
    const current = effects.filter((effect) => effect.incarnation === incarnation);
    if (current.length === 0) return [];
    this.given.set(agentId, [...(this.given.get(agentId) ?? []), ...current]);
    for (const effect of current)
      void this.receive(effect, 'delivered', 'in the reply to a request').catch(ignoreOutage);
    return current.flatMap(directiveOf);
  }

  /** What earlier replies carried, and the agent is not known to have seen. */
  unseen(agentId: string): readonly Effect[] {
    return this.given.get(agentId) ?? NO_EFFECTS;
  }

  /** This start of the agent spoke after these were carried to it. What an older start was given is gone. */
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

/** A receipt that can't be stored now is lost; the effect then counts as not seen, which is the safe side. */
const ignoreOutage = (): void => undefined;

function directiveOf(effect: Effect): readonly Directive[] {
  const type = directiveTypes[effect.kind];
  return type && 'message' in effect ? [{ type, id: effect.id, message: effect.message }] : [];
}

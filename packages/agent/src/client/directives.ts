import type { Directive } from '@holter/core';
import type { Rejections } from './rejections.ts';

type DirectiveHandler = (directive: Directive) => unknown;

type Ear = 'nudge' | 'stop' | 'handoff';
const EARS: Readonly<Record<Directive['type'], Ear>> = {
  nudge: 'nudge',
  inquiry: 'nudge',
  reminder: 'nudge',
  deny: 'nudge',
  handoff: 'handoff',
  stop: 'stop',
};

const SUPERSEDED = 'Holter: a newer start of this agent is registered; this one is not listened to any more.';
const KNOWN_MAX = 500;
const WAITING_MAX = 20;

/** Passes each directive to the host once: the server repeats those whose delivery is uncertain. */
export class Directives {
  private readonly handlers: Record<Ear, Set<DirectiveHandler>> = {
    nudge: new Set(),
    stop: new Set(),
    handoff: new Set(),
  };
  /** Directives that arrived before there was a listener. */
  private readonly waiting: Record<Ear, Directive[]> = { nudge: [], stop: [], handoff: [] };
  private readonly known = new Set<string>();
  private readonly rejections: Rejections;

  constructor(rejections: Rejections) {
    this.rejections = rejections;
  }

  on(ear: Ear, handler: DirectiveHandler): () => void {
    this.handlers[ear].add(handler);
    for (const directive of this.waiting[ear].splice(0)) this.call(handler, directive);
    return () => this.handlers[ear].delete(handler);
  }

  /** Takes the directives of a reply, whose contents are not trusted. */
  take(values: unknown): void {
    if (!Array.isArray(values)) return;
    for (const value of values) {
      if (!isDirective(value)) {
        this.rejections.add('directive', 'bad_directive', 'the server sent a directive of unknown shape');
      } else if (!this.known.has(value.id)) {
        this.remember(value.id);
        this.give(value);
      }
    }
  }

  /** Made by the client when the server refuses an old incarnation: the agent should learn that it was replaced. */
  takeSuperseded(): void {
    this.take([{ type: 'stop', id: 'superseded', message: SUPERSEDED }]);
  }

  private give(directive: Directive): void {
    const ear = EARS[directive.type];
    const handlers = this.handlers[ear];
    if (handlers.size === 0) {
      const waiting = this.waiting[ear];
      waiting.push(directive);
      if (waiting.length > WAITING_MAX) waiting.shift();
    }
    for (const handler of handlers) this.call(handler, directive);
  }

  private call(handler: DirectiveHandler, directive: Directive): void {
    try {
      Promise.resolve(handler(directive)).catch((error: unknown) => this.failed(directive, error));
    } catch (error) {
      this.failed(directive, error);
    }
  }

  private failed({ type }: Directive, error: unknown): void {
    this.rejections.addError(`on ${type}`, error);
  }

  private remember(id: string): void {
    this.known.add(id);
    if (this.known.size <= KNOWN_MAX) return;
    const oldest = this.known.values().next();
    if (!oldest.done) this.known.delete(oldest.value);
  }
}

function isDirective(value: unknown): value is Directive {
  if (typeof value !== 'object' || value === null) return false;
  const { type, id, message } = value as Readonly<Record<string, unknown>>;
  return (
    typeof type === 'string' &&
    Object.hasOwn(EARS, type) &&
    typeof id === 'string' &&
    typeof message === 'string'
  );
}

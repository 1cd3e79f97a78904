import type { Instant } from '@holter/core';
import type { HttpDeps } from './deps.ts';
import type { SessionRole } from './tokens.ts';

const VALID_MS = 5 * 60_000;
const WAITING_MAX = 100;

export type Login = { readonly role: SessionRole; readonly name: string | null };

/**
 * Secrets that open the page once. They live in memory only and for five minutes: a link in a terminal's
 * scroll-back or a browser's history is worth nothing afterwards.
 */
export class LoginSecrets {
  private readonly deps: HttpDeps;
  private readonly waiting = new Map<string, Login & { readonly until: number }>();

  constructor(deps: HttpDeps) {
    this.deps = deps;
  }

  make(login: Login): { readonly secret: string; readonly expiresInSeconds: number } {
    const now = this.now();
    for (const [hash, { until }] of this.waiting) if (until <= now) this.waiting.delete(hash);
    const oldest = this.waiting.keys().next();
    if (this.waiting.size >= WAITING_MAX && !oldest.done) this.waiting.delete(oldest.value);
    const secret = this.deps.newSecret();
    this.waiting.set(this.deps.sha256(secret), { ...login, until: now + VALID_MS });
    return { secret, expiresInSeconds: VALID_MS / 1_000 };
  }

  /** Whom it lets in, once; null for what is wrong, used or too old. */
  take(secret: string): Login | null {
    const hash = this.deps.sha256(secret);
    const found = this.waiting.get(hash);
    this.waiting.delete(hash);
    return found && found.until > this.now() ? found : null;
  }

  private now(): Instant {
    return (this.deps.wall ?? this.deps.clock).now();
  }
}

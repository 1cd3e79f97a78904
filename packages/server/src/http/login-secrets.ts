import type { Instant } from '@holter/core';
import { metaJson, readMetaJson } from '../store/meta-json.ts';
import type { HttpDeps } from './deps.ts';
import type { SessionRole } from './tokens.ts';

const PREFIX = 'login/';
const VERSION = 1;
const VALID_MS = 5 * 60_000;
const WAITING_MAX = 100;
/** While somebody guesses, this often the secrets that exist are read, whatever the number of guesses. */
const LIST_EVERY_MS = 1_000;

export type Login = { readonly role: SessionRole; readonly name: string | null };
type Waiting = Login & { readonly until: number };

const waitingIn = (value: string): Waiting => readMetaJson<Waiting>(value, VERSION, 'a link to the page');

/**
 * Secrets that open the page once, on any server of the same store, and for five minutes: a link in a terminal's
 * scroll-back or a browser's history is worth nothing afterwards. The store has only their hashes.
 */
export class LoginSecrets {
  private readonly deps: HttpDeps;
  private listed: { readonly at: Instant; readonly keys: Promise<ReadonlySet<string>> } | null = null;

  constructor(deps: HttpDeps) {
    this.deps = deps;
  }

  async make(login: Login): Promise<{ readonly secret: string; readonly expiresInSeconds: number }> {
    const { store, newSecret } = this.deps;
    const now = this.now();
    const waiting = (await store.listMeta(PREFIX))
      .map(({ key, value }) => ({ key, value, ...waitingIn(value) }))
      .sort((a, b) => a.until - b.until);
    const surplus = waiting.length + 1 - WAITING_MAX;
    for (const [index, { key, value, until }] of waiting.entries())
      if (until <= now || index < surplus) await store.swapMeta(key, value, null);
    const secret = newSecret();
    await store.putMeta(this.keyOf(secret), metaJson(VERSION, { ...login, until: now + VALID_MS }));
    this.listed = null;
    return { secret, expiresInSeconds: VALID_MS / 1_000 };
  }

  /** Whom it lets in, once; null for what is wrong, used or too old. */
  async take(secret: string, isGuessing: boolean): Promise<Login | null> {
    const { store } = this.deps;
    const key = this.keyOf(secret);
    if (isGuessing && !(await this.list()).has(key)) return null;
    const value = await store.getMeta(key);
    if (value === null || !(await store.swapMeta(key, value, null))) return null;
    const { role, name, until } = waitingIn(value);
    return until > this.now() ? { role, name } : null;
  }

  private list(): Promise<ReadonlySet<string>> {
    const at = this.now();
    if (this.listed === null || at - this.listed.at >= LIST_EVERY_MS) {
      const keys = this.deps.store.listMeta(PREFIX).then((waiting) => new Set(waiting.map(({ key }) => key)));
      this.listed = { at, keys };
    }
    return this.listed.keys;
  }

  private keyOf(secret: string): string {
    return `${PREFIX}${this.deps.sha256(secret)}`;
  }

  private now(): Instant {
    return (this.deps.wall ?? this.deps.clock).now();
  }
}

import { timingSafeEqual } from 'node:crypto';
import type { Instant } from '@holter/core';
import type { Quotas } from '../policy/index.ts';
import { type StoredToken, StoreUnavailable, type TokenRole } from '../store/store.ts';
import { Accounts, accountOf, type KeyUse, keyUseOf } from './accounts.ts';
import type { HttpDeps, HttpLimits } from './deps.ts';
import { hookSecret, hookTokenId, userOfToken } from './hook-token.ts';
import type { LimitHits } from './limit-hits.ts';
import { personOfToken, personTokenId } from './person-token.ts';
import { HttpProblem, problem } from './problem.ts';
import { Buckets } from './rate.ts';
import { SharedUse } from './shared-use.ts';
import { TokenIndex } from './token-index.ts';

/** Who is asking. Made from a token once, and kept for a few seconds. */
export type Caller = {
  readonly tokenId: string;
  readonly role: TokenRole;
  /** The agent that an `agent` token speaks for. */
  readonly agentId: string | null;
  /** The start that an `agent` token was given to; null for tokens that an operator made by hand. */
  readonly incarnation: number | null;
  /** The group that an `orchestrator` decides for. */
  readonly group: string | null;
  /** The user whose sessions a `hook` token reports. */
  readonly user: string | null;
  /** The person who uses the token, if it carries a name. */
  readonly name: string | null;
  /** For the audit trail: the person, else the role and what it is for. Never a token's id. */
  readonly who: string;
};

export type SessionRole = 'viewer' | 'operator';

/** A session of the page, and no token that somebody put into a script. */
export const isSession = (tokenId: string): boolean => tokenId.startsWith('page.');

type Known = {
  readonly caller: Caller | null;
  readonly checkedAt: Instant;
};

/**
 * How long a revocation may go unnoticed that was written past the servers; one through this server counts at once,
 * and one through another server within a second.
 */
const TRUSTED_MS = 10_000;
/** An agent's token can do little, and thousands of them beat twice a minute. */
const AGENT_TRUSTED_MS = 90_000;
const trustedMs = ({ caller }: Known): number => (caller?.role === 'agent' ? AGENT_TRUSTED_MS : TRUSTED_MS);
const KNOWN_MAX = 50_000;
const SECRET_LENGTH_MAX = 256;

/** `ada#3.k2…` is a token of the third start of ada; an agent's id has no `#`. */
const agentTokenId = /^(ping:)?[^#]+#(\d+)\./;

export class TokenBook {
  private readonly deps: HttpDeps;
  private readonly known = new Map<string, Known>();
  private readonly refreshing = new Set<string>();
  private readonly strangers: Buckets;
  private readonly index: TokenIndex;
  private readonly hits: LimitHits;
  private readonly shared: SharedUse;
  private readonly accounts = new Accounts();

  constructor(deps: HttpDeps, limits: HttpLimits, hits: LimitHits) {
    this.deps = deps;
    this.hits = hits;
    this.shared = new SharedUse(deps.engine.servers, deps.clock, (granted, revoked) =>
      this.heed(granted, revoked),
    );
    this.index = new TokenIndex(deps.store);
    this.strangers = new Buckets(limits.failedLoginsPerSecond);
  }

  /** The caller at once when the token was seen lately; else a promise. Throws what the client is told. */
  identify(authorization: string | undefined, address: string): Caller | Promise<Caller> {
    const secret = bearerOf(authorization);
    if (secret === null) throw unauthorized();
    const hash = this.deps.sha256(secret);
    const now = this.deps.clock.now();
    const known = this.known.get(hash);
    if (known && now - known.checkedAt < trustedMs(known)) {
      this.maybeRefresh(hash, address, known, now);
      return this.admit(known, now, null);
    }
    return this.lookUp(hash, address, known, now).then((found) => this.admit(found, now, null));
  }

  /** Whoever calls all the time is looked up behind an answer, so that none of them waits for the store. */
  private maybeRefresh(hash: string, address: string, known: Known, now: Instant): void {
    if (now - known.checkedAt < trustedMs(known) / 2 || this.refreshing.has(hash)) return;
    this.refreshing.add(hash);
    void this.lookUp(hash, address, known, now)
      .catch(() => undefined)
      .finally(() => this.refreshing.delete(hash));
  }

  /** Whom a key in a URL speaks for. */
  async identifyKey(key: string, address: string, use: KeyUse): Promise<Caller> {
    if (key.length > SECRET_LENGTH_MAX) throw unknownKey();
    const hash = this.deps.sha256(key);
    const now = this.deps.clock.now();
    const known = this.known.get(hash);
    if (known && now - known.checkedAt < trustedMs(known)) return this.admit(known, now, use);
    return this.admit(await this.lookUp(hash, address, known, now), now, use);
  }

  /** Makes a token and returns its secret, which nobody will see again. */
  async issue(token: {
    role: TokenRole;
    agentId?: string;
    incarnation?: number;
    group?: string;
    user?: string;
    name?: string;
    use?: KeyUse;
  }): Promise<{ id: string; secret: string; createdAt: Instant }> {
    const { role, agentId, incarnation, group, user, name = null, use } = token;
    const secret = user === undefined ? this.deps.newSecret() : hookSecret(this.deps.newSecret());
    const hash = this.deps.sha256(secret);
    const isBound = agentId !== undefined && incarnation !== undefined;
    const unique = user === undefined ? personTokenId(name, this.deps.newId()) : hookTokenId(user, hash);
    const id = `${use ? `${use}:` : ''}${isBound ? `${agentId}#${incarnation}.` : ''}${unique}`;
    const isOfStart = isBound && use === undefined;
    const createdAt = await this.put(
      { id, hash, role, agentId: agentId ?? null, group: group ?? null },
      isOfStart ? this.quotas.tokensPerAgentMax : undefined,
    );
    return { id, secret, createdAt };
  }

  /** A session of the page; the end of it is part of its secret. */
  async issueSession(role: SessionRole, secret: string, name: string | null): Promise<void> {
    const hash = this.deps.sha256(secret);
    const id = `page.${personTokenId(name, this.deps.newId())}`;
    await this.put({ id, hash, role, agentId: null, group: null });
  }

  /** Asks the store itself, so that a revocation by another server counts too. */
  async isValid(authorization: string | undefined): Promise<boolean> {
    const secret = bearerOf(authorization);
    if (secret === null) return false;
    // A store that is away for a moment revokes nothing.
    return this.findToken(this.deps.sha256(secret)).then(
      (token) => token !== null,
      () => true,
    );
  }

  private async put(
    token: Omit<StoredToken, 'createdAt' | 'revokedAt'>,
    newestMax?: number,
  ): Promise<Instant> {
    const createdAt = this.deps.clock.now();
    await this.deps.store.putToken({ ...token, createdAt, revokedAt: null }, newestMax);
    this.index.add(token.hash, createdAt);
    return createdAt;
  }

  async revoke(id: string): Promise<boolean> {
    const now = this.deps.clock.now();
    const isRevoked = await this.deps.store.revokeToken(id, now);
    if (this.deps.engine.isShared) this.shared.noteRevoked(id);
    for (const [hash, { caller }] of this.known) if (caller?.tokenId === id) this.known.delete(hash);
    return isRevoked;
  }

  /** What another server has granted counts here too, so that a limit holds over all servers. */
  private heed(granted: ReadonlyMap<string, number>, revoked: ReadonlySet<string>): void {
    for (const [account, count] of granted) this.accounts.charge(account, count);
    if (revoked.size === 0) return;
    for (const [hash, { caller }] of this.known)
      if (caller && revoked.has(caller.tokenId)) this.known.delete(hash);
  }

  private admit({ caller }: Known, now: Instant, use: KeyUse | null): Caller {
    if (!caller || keyUseOf(caller.tokenId) !== use) throw use === null ? unauthorized() : unknownKey();
    const account = accountOf(caller, this.deps.engine);
    const perSecond = this.perSecond(caller);
    if (!this.accounts.takeOne(account, perSecond, now)) {
      this.hits.note('requests', `${caller.role} ${caller.tokenId}`);
      throw tooMany();
    }
    if (this.deps.engine.isShared) this.shared.noteGranted(account, perSecond);
    return caller;
  }

  private get quotas(): Quotas {
    return this.deps.engine.currentPolicies.quotas;
  }

  private perSecond({ role }: Caller): number {
    const { agentRequestsPerSecond, requestsPerSecond } = this.quotas;
    return role === 'agent' ? agentRequestsPerSecond : requestsPerSecond;
  }

  private async lookUp(hash: string, address: string, old: Known | undefined, now: Instant): Promise<Known> {
    if (!old && !this.strangers.hasOne(address, now) && !(await this.index.mayExist(hash, now))) {
      this.hits.note('failed_logins', address);
      throw tooMany();
    }
    let caller: Caller | null;
    try {
      const token = await this.findToken(hash);
      caller = token && callerOf(token);
    } catch (error) {
      // Whoever was known a moment ago may go on beating while the store is away.
      if (old && error instanceof StoreUnavailable) return old;
      throw error;
    }
    this.known.delete(hash);
    if (!caller) {
      this.strangers.takeOne(address, now);
      return { caller, checkedAt: now };
    }
    const known: Known = { caller, checkedAt: now };
    this.known.set(hash, known);
    if (this.known.size > KNOWN_MAX) {
      const oldest = this.known.keys().next();
      if (!oldest.done) this.known.delete(oldest.value);
    }
    return known;
  }

  private async findToken(hash: string): Promise<StoredToken | null> {
    const token = await this.deps.store.findToken(hash);
    if (!token || token.revokedAt !== null) return null;
    return isEqual(hash, token.hash) ? token : null;
  }
}

/** The store's own comparison may stop at the first difference; this one does not. */
function isEqual(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

function bearerOf(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > SECRET_LENGTH_MAX) return null;
  const match = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(authorization);
  return match?.[1] ?? null;
}

function callerOf({ id, role, agentId, group }: StoredToken): Caller {
  const incarnation = role === 'agent' ? agentTokenId.exec(id)?.[2] : undefined;
  return {
    tokenId: id,
    role,
    agentId,
    group,
    user: role === 'hook' ? userOfToken(id) : null,
    name: personOfToken(id),
    incarnation: incarnation === undefined ? null : Number(incarnation),
    who: whoOf({ id, role, agentId, group }),
  };
}

function whoOf({ id, role, agentId, group }: Pick<StoredToken, 'id' | 'role' | 'agentId' | 'group'>): string {
  const about = agentId ?? group ?? userOfToken(id);
  return personOfToken(id) ?? (about === null ? role : `${role} ${about}`);
}

const unauthorized = (): HttpProblem =>
  problem(401, 'unauthorized', 'a valid token is needed: `Authorization: Bearer …`');

const unknownKey = (): HttpProblem => problem(404, 'unknown_key', 'there is no such key, or it was revoked');

const tooMany = (): HttpProblem =>
  new HttpProblem({
    status: 429,
    code: 'too_many_requests',
    message: 'too many requests; come again in a moment',
    retryAfterSeconds: 1,
  });

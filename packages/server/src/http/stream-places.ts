import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { accountOf } from './accounts.ts';
import { authorizationOf } from './authorization.ts';
import type { HttpDeps, HttpLimits } from './deps.ts';
import type { LimitHits } from './limit-hits.ts';
import { HttpProblem } from './problem.ts';
import type { Caller, TokenBook } from './tokens.ts';

/** How soon a revoked token, a log-out, an expired log-in or a client that reads nothing is noticed. */
const LOOK_MS = 500;
/** For the last words to go out; whoever reads nothing does not read those either. */
const LAST_WORDS_MS = 1_000;
/** The share of all streams that only operators may open. */
const OPERATORS_SHARE = 0.2;

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  connection: 'close',
} as const;

type Place = {
  readonly request: FastifyRequest;
  readonly caller: Caller;
  readonly account: string;
  readonly out: ServerResponse;
  readonly close: (why: string) => void;
  /** What the client has read so far, and since when it has read no more. */
  readBytes: number;
  readAt: number;
};

/** All open streams: how many each account may have, and which of them have to end. */
export class StreamPlaces {
  private readonly deps: HttpDeps;
  private readonly limits: HttpLimits;
  private readonly tokens: TokenBook;
  private readonly hits: LimitHits;
  private readonly places = new Set<Place>();
  private readonly waits = new Set<Pick<Place, 'account'>>();
  private cancel: (() => void) | null = null;

  constructor(parts: { deps: HttpDeps; limits: HttpLimits; tokens: TokenBook; hits: LimitHits }) {
    this.deps = parts.deps;
    this.limits = parts.limits;
    this.tokens = parts.tokens;
    this.hits = parts.hits;
    parts.deps.engine.servers.share('streams', () => this.counts());
  }

  get size(): number {
    return this.places.size;
  }

  /** Throws when there is no place. Returns what to call when the stream has ended. */
  take(
    request: FastifyRequest,
    caller: Caller,
    out: ServerResponse,
    close: (why: string) => void,
  ): () => void {
    const account = accountOf(caller, this.deps.engine);
    this.checkRoom(caller, account);
    const place: Place = { request, caller, account, out, close, readBytes: 0, readAt: this.clock.now() };
    this.places.add(place);
    if (this.cancel === null) this.schedule();
    return () => this.places.delete(place);
  }

  /** For a call that waits for something to come, which costs as much as a stream. It ends by itself. */
  takeWait(caller: Caller): () => void {
    const wait = { account: accountOf(caller, this.deps.engine) };
    this.checkRoom(caller, wait.account);
    this.waits.add(wait);
    return () => this.waits.delete(wait);
  }

  close(): void {
    this.cancel?.();
    this.cancel = () => undefined;
    for (const { close } of this.places) close('the server stops');
  }

  private get clock() {
    return this.deps.wall ?? this.deps.clock;
  }

  private counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { account } of [...this.places, ...this.waits]) counts[account] = (counts[account] ?? 0) + 1;
    return counts;
  }

  /** An account's limit holds over all servers; how many streams one server has is its own limit. */
  private checkRoom({ tokenId, role }: Caller, account: string): void {
    const { servers, currentPolicies } = this.deps.engine;
    const { streamsMax, streamsPerTokenMax } = currentPolicies.quotas;
    const own = (this.counts()[account] ?? 0) + servers.sumOf('streams', account);
    if (own >= streamsPerTokenMax) {
      this.hits.note('streams_per_token', `${role} ${tokenId}`);
      throw tooManyStreams(`this token may have at most ${streamsPerTokenMax} streams at once`);
    }
    const reserved = role === 'operator' ? 0 : Math.floor(streamsMax * OPERATORS_SHARE);
    if (this.size + this.waits.size < streamsMax - reserved) return;
    this.hits.note('streams', `${role} ${tokenId}`);
    throw tooManyStreams(`at most ${streamsMax} may listen at once`);
  }

  private schedule(): void {
    this.cancel = this.clock.after(LOOK_MS, () => {
      this.cancel = null;
      void this.look().finally(() => {
        if (this.places.size > 0 && this.cancel === null) this.schedule();
      });
    });
  }

  private async look(): Promise<void> {
    const now = this.clock.now();
    for (const place of this.places)
      if (isStuck(place, now, this.limits.streamStallMs))
        this.end(place, 'too slow: come back with Last-Event-ID');
    const isValid = new Map<string, Promise<boolean>>();
    for (const { request, caller } of this.places) {
      // On the port without tokens there is none to revoke.
      if (caller.tokenId !== '' && !isValid.has(caller.tokenId))
        isValid.set(caller.tokenId, this.tokens.isValid(authorizationOf(request, this.deps)));
    }
    for (const place of [...this.places]) {
      if ((await isValid.get(place.caller.tokenId)) === false)
        this.end(place, 'the token was revoked or has expired');
    }
  }

  private end({ close, out }: Place, why: string): void {
    close(why);
    this.clock.after(LAST_WORDS_MS, () => out.destroy());
  }
}

/** Something has waited for the client all the time, and it took none of it. */
function isStuck(place: Place, now: number, stallMs: number): boolean {
  const { out } = place;
  const readBytes = (out.socket?.bytesWritten ?? 0) - out.writableLength;
  if (out.writableLength === 0 || readBytes !== place.readBytes) {
    place.readBytes = readBytes;
    place.readAt = now;
  }
  return now - place.readAt >= stallMs;
}

const tooManyStreams = (message: string): HttpProblem =>
  new HttpProblem({ status: 429, code: 'too_many_streams', message, retryAfterSeconds: 5 });

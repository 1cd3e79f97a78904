import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { TokenRole } from '../store/store.ts';
import type { ShownShape } from './schema/signals.ts';
import type { Caller } from './tokens.ts';

/** One call of the API: what it takes, who may call it, what it answers. The OpenAPI page is made of these. */
type RouteSpec<Query, Body> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `:name` for a part that varies. */
  readonly url: string;
  readonly summary: string;
  /** `open` needs no token. An `agent` gets no further than its own id; see `access.ts`. */
  readonly access: 'open' | readonly TokenRole[];
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** Shown in the documentation; the handler itself checks the body, by a faster way. */
  readonly bodyShown?: z.ZodType | ShownShape;
  /** A body as somebody would send it, for the documentation. */
  readonly example?: unknown;
  readonly bodyType?: 'application/json' | 'application/x-ndjson' | 'any';
  readonly bodyBytesMax?: number;
  /** How many bodies larger than the common limit one token may send; twice as many at once. */
  readonly largeBodiesPerSecond?: number;
  readonly answers: Readonly<Record<number, Answer>>;
  /** The reply to a POST carries a token or a cookie: no cache may keep it. Replies to GET are never kept. */
  readonly hasSecret?: true;
  /** For load balancers, which like to ask by HEAD. */
  readonly hasHead?: true;
  readonly handle: (call: Call<Query, Body>) => unknown;
};

type Answer = {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly type?: string;
};

type Call<Query, Body> = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Who asks; on `open` routes nobody in particular. */
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
};

export type Route = RouteSpec<unknown, unknown>;

/** Ties a handler to the types of its own schemas; the list of all routes need not know them. */
export function defineRoute<Query = undefined, Body = unknown>(spec: RouteSpec<Query, Body>): Route {
  return spec as unknown as Route;
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { accountOf } from '../accounts.ts';
import { authorizationOf } from '../authorization.ts';
import type { HttpLimits } from '../deps.ts';
import { contentTypeProblem } from '../guards.ts';
import { HttpProblem, problem } from '../problem.ts';
import { Buckets } from '../rate.ts';
import type { Route } from '../route.ts';
import type { HttpContext } from '../routes/context.ts';
import type { Caller } from '../tokens.ts';

const nobody: Caller = {
  tokenId: '',
  role: 'viewer',
  agentId: null,
  incarnation: null,
  group: null,
  user: null,
  name: null,
  who: 'nobody',
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Known before the body is read: a stranger's body is never looked at. */
    caller: Caller | null;
  }
}

/** Puts one route into the server: who may call it, then what it was given, then the handler. */
export function attach(app: FastifyInstance, route: Route, context: HttpContext): void {
  const { method, url, access, handle } = route;
  const isPrivate = method === 'GET' || route.hasSecret === true;
  const large = route.largeBodiesPerSecond ? new Buckets(route.largeBodiesPerSecond) : null;
  const name = `${method} ${url}`;
  const answered = context.metrics.route(name);
  const traces = isOfAgents(route) ? context.deps.traces : undefined;
  app.route({
    method,
    url,
    bodyLimit: route.bodyBytesMax ?? context.limits.bodyBytesMax,
    exposeHeadRoute: route.hasHead === true,
    onRequest: (request, reply, done) => {
      if (isPrivate) reply.header('cache-control', 'no-store');
      const refusal =
        method === 'POST' && route.bodyType !== 'any'
          ? contentTypeProblem(request.headers, route.bodyType ?? 'application/json')
          : null;
      if (access === 'open') return done(refusal ? new HttpProblem(refusal) : undefined);
      const allow = (caller: Caller): void => {
        if (!access.includes(caller.role)) return done(roleProblem(access));
        request.caller = caller;
        if (
          large &&
          isLarge(request, context.limits) &&
          !large.takeOne(accountOf(caller, context.deps.engine), context.deps.clock.now())
        )
          return done(tooManyLarge());
        done(refusal ? new HttpProblem(refusal) : undefined);
      };
      try {
        const found = context.tokens.identify(authorizationOf(request, context.deps), request.ip);
        if (found instanceof Promise) found.then(allow, done);
        else allow(found);
      } catch (error) {
        done(error as Error);
      }
    },
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      if (traces?.isOn) traces.heard(agentOf(request), request.headers.traceparent);
      return handle({
        request,
        reply,
        caller: request.caller ?? nobody,
        params: request.params as Record<string, string>,
        query: readQuery(route.query, request),
        body: route.body ? route.body.parse(request.body) : request.body,
      });
    },
    onResponse: (request, reply, done) => {
      const { statusCode: status, elapsedTime: tookMs } = reply;
      answered(status, tookMs / 1_000);
      if (traces?.isOn) {
        const call = { route: name, agentId: agentOf(request), cid: request.id, status, tookMs };
        traces.answered(call, request.headers.traceparent);
      }
      done();
    },
  });
}

/** What an agent reports about itself. */
const isOfAgents = ({ method, url }: Route): boolean =>
  method === 'POST' && /^\/v1\/agents\/:id\/(?:heartbeat|signals)$/.test(url);

const agentOf = ({ params }: FastifyRequest): string => (params as { readonly id?: string }).id ?? '';

/** A body that does not say how long it is counts as large. */
const isLarge = ({ headers }: FastifyRequest, { bodyBytesMax }: HttpLimits): boolean =>
  Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > bodyBytesMax ||
  headers['content-encoding'] !== undefined;

const tooManyLarge = (): HttpProblem =>
  new HttpProblem({
    status: 429,
    code: 'too_many_requests',
    message: 'too many large bodies; come again in a moment',
    retryAfterSeconds: 1,
  });

function readQuery(schema: z.ZodType | undefined, request: FastifyRequest): unknown {
  if (schema) return schema.parse(request.query);
  if (request.raw.url?.includes('?') !== true) return undefined;
  const first = Object.keys(request.query as object)[0];
  if (first !== undefined)
    throw problem(400, 'unknown_field', 'this call takes no query', first.slice(0, 100));
  return undefined;
}

const roleProblem = (access: readonly string[]): HttpProblem =>
  problem(403, 'forbidden', `this needs a token of the role ${access.join(' or ')}`);

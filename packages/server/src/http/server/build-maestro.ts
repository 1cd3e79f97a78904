import type { FastifyInstance } from 'fastify';
import { HttpProblem, letterErrorBody, refusalOf } from '../problem.ts';
import { Buckets } from '../rate.ts';
import type { HttpContext } from '../routes/context.ts';
import { healthRoutes } from '../routes/health.ts';
import { mailRoutes } from '../routes/mail.ts';
import { attach } from './attach.ts';

/** Of all callers together: there are no tokens to tell them apart. */
const REQUESTS_PER_SECOND = 200;

/**
 * Adds what agents of seed 001 call without a token, on a port of its own. `createServer` has its limits; the guard of
 * the main port checks Host and Origin, and here a page of another site is refused even where it sends no Origin.
 */
export function addMaestroRoutes(app: FastifyInstance, context: HttpContext): void {
  const { clock } = context.deps;
  const callers = new Buckets(REQUESTS_PER_SECOND);
  app.addHook('onRequest', (request, _reply, done) => {
    const site = request.headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return done(foreignPage());
    done(callers.takeOne('all', clock.now()) ? undefined : tooMany());
  });
  const health = healthRoutes(context).filter(({ url }) => url === '/health');
  for (const route of [...mailRoutes(context, 'none'), ...health]) attach(app, route, context);
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.code === 'internal') request.log.error({ err: error, cid: request.id }, 'request failed');
    const { retryAfterSeconds } = refusal;
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    reply.code(refusal.status).send(letterErrorBody(refusal));
  });
  app.setNotFoundHandler((_request, reply) => {
    const message = 'this port takes /api/messages, /api/agents and /health only';
    reply.code(404).send({ error: 'not_found', message });
  });
}

const foreignPage = (): HttpProblem =>
  new HttpProblem({ status: 403, code: 'foreign_page', message: 'calls of other pages are not taken' });

const tooMany = (): HttpProblem =>
  new HttpProblem({
    status: 429,
    code: 'too_many_requests',
    message: 'too many requests; come again in a moment',
    retryAfterSeconds: 1,
  });

import type { Readable } from 'node:stream';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { defaultPolicies, type Network } from '../../policy/index.ts';
import { AgentListing } from '../agent-listing.ts';
import { tellClientError } from '../client-error.ts';
import { type HttpDeps, type HttpLimits, limitDefaults } from '../deps.ts';
import { EventStreams } from '../event-streams.ts';
import { FleetBook } from '../fleet/fleet-book.ts';
import { fleetMetrics } from '../fleet/fleet-metrics.ts';
import { hostGuard, proxyTrust } from '../guards.ts';
import { beginningOf, inflated, LARGE_BYTES_MIN, parseJson, turnForLarge } from '../json-body.ts';
import { LimitHits } from '../limit-hits.ts';
import { createMetrics } from '../metrics.ts';
import { openApi, type RouteGroup } from '../openapi.ts';
import { errorBody, HttpProblem, letterErrorBody, type Refusal, refusalOf } from '../problem.ts';
import { remembering } from '../remember.ts';
import { defineRoute, type Route } from '../route.ts';
import { actRoutes } from '../routes/acts.ts';
import { agentRoutes } from '../routes/agents.ts';
import { alertRoutes } from '../routes/alerts.ts';
import { badgeRoutes } from '../routes/badges.ts';
import { batchRoutes } from '../routes/batch.ts';
import { breakerRoutes } from '../routes/breakers.ts';
import { checkpointRoutes } from '../routes/checkpoints.ts';
import { configRoutes } from '../routes/config.ts';
import type { HttpContext } from '../routes/context.ts';
import { costRoutes } from '../routes/cost.ts';
import { eventRoutes } from '../routes/events.ts';
import { executorRoutes } from '../routes/executors.ts';
import { fleetRoutes } from '../routes/fleet.ts';
import { healthRoutes } from '../routes/health.ts';
import { historyRoutes } from '../routes/history.ts';
import { hookRoutes } from '../routes/hooks.ts';
import { incidentRoutes } from '../routes/incidents.ts';
import { loginRoutes } from '../routes/login.ts';
import { mailRoutes } from '../routes/mail.ts';
import { outputRoutes } from '../routes/output.ts';
import { pageFilesOf, pageRoutes, sendStrayPage } from '../routes/page.ts';
import { pingRoutes } from '../routes/pings.ts';
import { registerRoutes } from '../routes/register.ts';
import { signalRoutes } from '../routes/signals.ts';
import { systemRoutes } from '../routes/system.ts';
import { taskRoutes } from '../routes/tasks.ts';
import { ticketRoutes } from '../routes/tickets.ts';
import { tokenRoutes } from '../routes/tokens.ts';
import { StreamPlaces } from '../stream-places.ts';
import { TokenBook } from '../tokens.ts';
import { attach } from './attach.ts';
import { addMaestroRoutes } from './build-maestro.ts';

/** What listens: the main port, and the one without tokens for agents of seed 001, which is made on demand. */
type Listeners = {
  readonly http: FastifyInstance;
  readonly maestro: (hosts: readonly string[]) => FastifyInstance;
};

/** The HTTP side as a whole, not yet listening. Closing it ends the event streams first. */
export function buildHttp(deps: HttpDeps): Listeners {
  const limits: HttpLimits = { ...limitDefaults, ...deps.limits };
  const network = () => deps.config().policies.network;
  const app = createServer(deps, limits, network);
  const hits = new LimitHits(deps.clock.now);
  const tokens = new TokenBook({ ...deps, sha256: remembering(deps.sha256) }, limits, hits);
  const places = new StreamPlaces({ deps, limits, tokens, hits });
  const streams = new EventStreams(deps, limits, places);
  const fleet = new FleetBook(deps);
  fleet.ready().catch(() => undefined);
  const metrics = createMetrics(deps, {
    streams: () => places.size,
    hits,
    fleet: () => fleetMetrics(deps, fleet),
  });
  const listing = new AgentListing(deps);
  const context: HttpContext = { deps, limits, streams, places, metrics, hits, tokens, fleet, listing };
  addGuard(app, deps.hosts, network);
  app.addHook('preClose', async () => {
    streams.close();
    deps.office.close();
    places.close();
    metrics.close();
    await fleet.close();
  });
  const routes = groupsOf(context).flatMap((group) => group.routes);
  const page = pageFilesOf(deps);
  for (const route of [...routes, ...pageRoutes(page)])
    if (route.bodyType !== 'any') attach(app, route, context);
  app.register((scope, _options, done) => {
    addBeginningParser(scope, limits);
    for (const route of routes) if (route.bodyType === 'any') attach(scope, route, context);
    done();
  });
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    if (!sendStrayPage(page, request, reply))
      send(request, reply, notFound(routes, request.method, request.url));
  });
  const maestro: Listeners['maestro'] = (hosts) => {
    // Only for this machine: neither TLS, nor further names, nor proxies.
    const { logger, newId } = deps;
    const network = () => defaultPolicies.network;
    const other = createServer({ logger, newId }, limits, network);
    addGuard(other, hosts, network);
    addMaestroRoutes(other, context);
    // It closes only when nobody waits for a letter any more.
    other.addHook('preClose', async () => {
      deps.office.close();
      places.close();
    });
    return other;
  };
  return { http: app, maestro };
}

function addGuard(app: FastifyInstance, hosts: readonly string[], network: () => Network): void {
  const guard = hostGuard(hosts, network);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    const refusal = guard(request.host, request.headers.origin, request.raw.url ?? '');
    done(refusal ? new HttpProblem(refusal) : undefined);
  });
}

function createServer(
  { logger, newId, tls }: Pick<HttpDeps, 'logger' | 'newId' | 'tls'>,
  limits: HttpLimits,
  network: () => Network,
): FastifyInstance {
  const settings = {
    // Node looks for late requests only this often.
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(limits.requestMsMax / 2)),
    // With headers allowed longer than the whole, Node swaps the two, and slow bodies are never noticed.
    headersTimeout: Math.min(10_000, limits.requestMsMax),
  };
  const app = fastify({
    ...(logger === false ? { logger: false } : { loggerInstance: logger as FastifyBaseLogger }),
    // A line per heartbeat would bury the rest; the metrics count them.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestMsMax,
    exposeHeadRoutes: false,
    return503OnClosing: true,
    trustProxy: proxyTrust(network),
    ...(tls
      ? { https: { ...settings, ...tls, handshakeTimeout: settings.headersTimeout } }
      : { http: settings }),
    routerOptions: { maxParamLength: 300 },
    clientErrorHandler: tellClientError,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-content-type-options', 'nosniff');
      send(request, reply as FastifyReply, refusalOf(error));
    },
  }) as unknown as FastifyInstance;
  app.decorateRequest('caller', null);
  // A logger of its own for every beat would cost more than the beat; what is logged names its request.
  app.setChildLoggerFactory((child) => child);
  addParsers(app, limits);
  return app;
}

function addParsers(app: FastifyInstance, limits: HttpLimits): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined && bytes.length < LARGE_BYTES_MIN) {
      try {
        done(null, parseBody(bytes, limits.depthMax));
      } catch (error) {
        done(error as Error);
      }
      return;
    }
    const bytesMax = request.routeOptions.bodyLimit ?? limits.bodyBytesMax;
    readLarge(bytes, encoding, bytesMax)
      .then(
        (whole) => done(null, parseBody(whole, limits.depthMax)),
        (error: unknown) => done(error as Error),
      )
      .catch((error: unknown) => done(error as Error));
  });
  app.addContentTypeParser('application/x-ndjson', (_request, payload, done) => done(null, payload));
  // A wrong type is refused before the body is read; a DELETE may bring one, and it is not looked at.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
}

/** Of a body of any type and length only the beginning is kept. */
function addBeginningParser(scope: FastifyInstance, { beginningBytesMax }: HttpLimits): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request: FastifyRequest, payload: Readable) =>
    beginningOf(payload, beginningBytesMax),
  );
}

async function readLarge(body: Buffer, encoding: string | undefined, bytesMax: number): Promise<Buffer> {
  const whole = await inflated(body, encoding, bytesMax);
  await turnForLarge();
  return whole;
}

const parseBody = (body: Buffer, depthMax: number): unknown =>
  body.length === 0 ? undefined : parseJson(body, depthMax);

function groupsOf(context: HttpContext): readonly RouteGroup[] {
  const { hooks = [], executors } = context.deps;
  const groups: RouteGroup[] = [
    {
      tag: 'Agents',
      about: 'Register agents, and see how they are.',
      routes: [...registerRoutes(context), ...agentRoutes(context)],
    },
    {
      tag: 'Signals',
      about: 'What agents report: beats, calls, checkpoints, tasks, output.',
      routes: [
        ...signalRoutes(context),
        ...batchRoutes(context),
        ...checkpointRoutes(context),
        ...taskRoutes(context),
        ...outputRoutes(context),
      ],
    },
    {
      tag: 'Decisions',
      about: 'What people and orchestrators decide.',
      routes: [...actRoutes(context), ...incidentRoutes(context)],
    },
    {
      tag: 'Tickets',
      about: 'What the judge sees, and what it tells people.',
      routes: ticketRoutes(context),
    },
    { tag: 'Events', about: 'What happened, and what happens.', routes: eventRoutes(context) },
    { tag: 'Breakers', about: 'Circuit breakers that many callers share.', routes: breakerRoutes(context) },
    {
      tag: 'Pings and badges',
      about: 'URLs for cron jobs, and pictures of states.',
      routes: [...pingRoutes(context), ...badgeRoutes(context)],
    },
    {
      tag: 'Tokens and log-in',
      about: 'Who may do what.',
      routes: [...tokenRoutes(context), ...loginRoutes(context)],
    },
    {
      tag: 'Page',
      about: 'What the page asks beyond the rest.',
      routes: [...fleetRoutes(context), ...historyRoutes(context), ...systemRoutes(context)],
    },
    {
      tag: 'Alerts',
      about: 'Who is told, by which way, and when nobody is.',
      routes: alertRoutes(context),
    },
    { tag: 'Cost', about: 'What agents have spent.', routes: costRoutes(context) },
    {
      tag: 'Mail',
      about: 'Letters between agents, as in seed 001 and AI Maestro. Errors have `error` as a code.',
      routes: mailRoutes(context, 'token'),
    },
    { tag: 'Hooks', about: 'Hooks of agents that report by them.', routes: hookRoutes(hooks) },
    {
      tag: 'Executors',
      about: 'How a `holter run` is given what to do.',
      routes: executors ? executorRoutes(executors) : [],
    },
  ];
  let page: unknown;
  const description = defineRoute({
    method: 'GET',
    url: '/openapi.json',
    summary: 'This description.',
    access: 'open',
    answers: { 200: { description: 'OpenAPI 3.1.', type: 'application/json' } },
    handle: () => {
      page ??= openApi(groups, context.deps.version);
      return page;
    },
  });
  groups.push({
    tag: 'Holter itself',
    about: 'Its own health, metrics, configuration and description.',
    routes: [...healthRoutes(context), ...configRoutes(context), description],
  });
  return groups;
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error);
  if (refusal.status >= 500 && refusal.code === 'internal')
    request.log.error({ err: error, cid: request.id }, 'request failed');
  send(request, reply, refusal);
}

function send({ url }: { readonly url: string }, reply: FastifyReply, refusal: Refusal): void {
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds));
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
  reply.code(refusal.status).send(url.startsWith('/api/') ? letterErrorBody(refusal) : errorBody(refusal));
}

/** A path that exists for another method is said to be so. */
function notFound(routes: readonly Route[], method: string, url: string): Refusal {
  const path = url.split('?', 1)[0] ?? '';
  const isKnown = routes.some((route) => patternOf(route.url).test(path));
  return isKnown
    ? { status: 405, code: 'wrong_method', message: `${method} is not for this path` }
    : { status: 404, code: 'not_found', message: 'there is no such path; see /openapi.json' };
}

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`);

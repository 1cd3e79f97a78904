import type { z } from 'zod';
import { componentsOf, inlineSchema, schemaOf } from './openapi-schemas.ts';
import type { Route } from './route.ts';
import { letterFailure } from './schema/mail.ts';
import { failure } from './schema/views.ts';

/** Routes that belong together, in the order of the document. */
export type RouteGroup = { readonly tag: string; readonly about: string; readonly routes: readonly Route[] };

/** Errors that many calls share. Which of them a call can give follows from what it takes. */
const ERRORS: Readonly<
  Record<string, readonly [status: number, description: string, code: string, message: string]>
> = {
  BadRequest: [
    400,
    'What was sent is not as it should be.',
    'missing_field',
    'reason is missing: it must be a text',
  ],
  Unauthorized: [
    401,
    'No valid token.',
    'unauthorized',
    'a valid token is needed: `Authorization: Bearer …`',
  ],
  Forbidden: [403, 'The token may not do this.', 'forbidden', 'this needs a token of the role operator'],
  NotFound: [
    404,
    'There is no such agent, incident or key.',
    'unknown_agent',
    'no agent with the id worker-7',
  ],
  WrongHost: [
    421,
    'The Host header does not name this server.',
    'wrong_host',
    'the Host header does not name this server',
  ],
  TooManyRequests: [
    429,
    'Too many requests; see Retry-After.',
    'too_many_requests',
    'too many requests; come again in a moment',
  ],
  Unavailable: [
    503,
    'The store is not available; nothing was changed.',
    'store_unavailable',
    'the store is not available; nothing was changed',
  ],
};

/** OpenAPI 3.1, made of the schemas that check the calls; of signals, of core's own table. */
export function openApi(groups: readonly RouteGroup[], version: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { tag, routes } of groups)
    for (const route of routes) {
      const path = route.url.replace(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, tag) };
    }
  const responses = Object.fromEntries(Object.entries(ERRORS).map(([name, error]) => [name, errorOf(error)]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holter',
      version,
      description:
        'A heart monitor for AI agents. Times are milliseconds since 1970 by the clock of the server. Errors are `{error: {code, message, field?}}`; below `/api` they are `{error: code, message, field?}`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this description came from.' }],
    tags: groups.map(({ tag, about }) => ({ name: tag, description: about })),
    paths,
    components: {
      schemas: componentsOf([paths, responses]),
      responses,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of `holter token create`, or of the reply to a registration.',
        },
        page: {
          type: 'apiKey',
          in: 'cookie',
          name: 'holter_4658',
          description:
            'The log-in of the page; the name ends with the port. Counts only for calls of the page.',
        },
      },
    },
  };
}

function errorOf([, description, code, message]: (typeof ERRORS)[string]): unknown {
  return {
    description,
    content: {
      'application/json': { schema: schemaOf(failure, 'output'), example: { error: { code, message } } },
    },
  };
}

function operationOf(route: Route, tag: string): unknown {
  const { method, url, summary, access, answers } = route;
  return {
    operationId: `${method.toLowerCase()}${url.replace(/(?<![/:.-])[/:.-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    ...(access === 'open'
      ? { security: [] }
      : { security: [{ token: [] }, { page: [] }], description: `Tokens: ${access.join(', ')}.` }),
    parameters: [...pathParameters(url), ...queryParameters(route.query)],
    ...bodyOf(route),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, responseOf(status, answer)]),
      ),
      ...sharedErrors(route),
      default: responseOf('default', {
        description: 'An error.',
        schema: isOfSeed(url) ? letterFailure : failure,
      }),
    },
  };
}

/** These have the errors of seed 001. */
const isOfSeed = (url: string): boolean => url.startsWith('/api/');

/** What the call itself says about a status is more exact. */
function sharedErrors({ method, url, access, query, body, bodyShown, answers }: Route): object {
  const names = [
    ...(query || body || bodyShown ? ['BadRequest'] : []),
    ...(access === 'open' ? [] : ['Unauthorized', 'Forbidden', 'TooManyRequests']),
    ...(url.includes('/:') ? ['NotFound'] : []),
    ...(method === 'GET' ? [] : ['Unavailable']),
    'WrongHost',
  ];
  return Object.fromEntries(
    names.flatMap((name) => {
      const [status, description] = ERRORS[name] ?? [0, ''];
      if (answers[status]) return [];
      if (isOfSeed(url)) return [[status, responseOf(`${status}`, { description, schema: letterFailure })]];
      return [[status, { $ref: `#/components/responses/${name}` }]];
    }),
  );
}

function bodyOf({ method, body, bodyShown, bodyType, example }: Route): object {
  const schema = body ?? bodyShown;
  if (method !== 'POST') return {};
  if (bodyType === 'any')
    return { requestBody: { required: false, content: { '*/*': { schema: { type: 'string' } } } } };
  if (!schema) return {};
  const content = {
    schema: schemaOf(schema, 'input'),
    ...(example !== undefined && { example }),
  };
  return { requestBody: { required: true, content: { [bodyType ?? 'application/json']: content } } };
}

function responseOf(status: string, { description, schema, type }: Route['answers'][number]): unknown {
  const shown = schema ?? (Number(status) >= 400 ? failure : undefined);
  if (!shown && type === undefined) return { description };
  return {
    description,
    content: { [type ?? 'application/json']: shown ? { schema: schemaOf(shown, 'output') } : {} },
  };
}

const PARAMETERS: Readonly<Record<string, string>> = {
  id: 'The id of the agent.',
  incidentId: 'The incident, `agent/number`, with the slash encoded.',
  number: 'The number of the incident.',
  name: 'The name of the circuit breaker.',
  tokenId: 'The id of the token, as `GET /v1/tokens` shows it.',
  executor: 'The id of the `holter run`.',
  key: 'The key of the URL.',
  code: 'The exit code, 0 to 255.',
};

const pathParameters = (url: string): unknown[] =>
  [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PARAMETERS[name] ?? name,
    schema: { type: 'string' },
  }));

function queryParameters(query: z.ZodType | undefined): unknown[] {
  if (!query) return [];
  const { properties = {}, required = [] } = inlineSchema(query, 'input') as {
    properties?: Record<string, { description?: string }>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

import { z } from 'zod';
import type { Route } from './route.ts';
import type { ShownShape } from './schema/signals.ts';
import { failure } from './schema/views.ts';

/** OpenAPI 3.1, made of the schemas that check the calls; of signals, of core's own table. */
export function openApi(routes: readonly Route[], version: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holter',
      version,
      description:
        'A heart monitor for AI agents. Times are milliseconds since 1970 by the clock of the server. Errors are `{error: {code, message, field?}}`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

function operationOf(route: Route): unknown {
  const { method, url, summary, access, answers } = route;
  const body = route.body ?? route.bodyShown;
  const bodyType = route.bodyType === 'any' ? undefined : (route.bodyType ?? 'application/json');
  return {
    operationId: `${method.toLowerCase()}${url.replace(/(?<![/:-])[/:-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    ...(access === 'open'
      ? { security: [] }
      : { security: [{ token: [] }], description: `Tokens: ${access.join(', ')}.` }),
    parameters: [...pathParameters(url), ...queryParameters(route.query)],
    ...(method === 'POST' &&
      body &&
      bodyType && {
        requestBody: { required: true, content: { [bodyType]: { schema: schemaOf(body, 'input') } } },
      }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, responseOf(status, answer)]),
      ),
      default: responseOf('default', { description: 'An error.', schema: failure }),
    },
  };
}

function responseOf(status: string, { description, schema, type }: Route['answers'][number]): unknown {
  const shown = schema ?? (Number(status) >= 400 ? failure : undefined);
  if (!shown && type === undefined) return { description };
  return {
    description,
    content: { [type ?? 'application/json']: shown ? { schema: schemaOf(shown, 'output') } : {} },
  };
}

const pathParameters = (url: string): unknown[] =>
  [...url.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function queryParameters(query: z.ZodType | undefined): unknown[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
    properties?: Record<string, unknown>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function schemaOf(schema: z.ZodType | ShownShape, io: 'input' | 'output'): Readonly<Record<string, unknown>> {
  if ('jsonSchema' in schema) return schema.jsonSchema;
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Record<
    string,
    unknown
  >;
  return rest;
}

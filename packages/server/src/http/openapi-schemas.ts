import { z } from 'zod';
import * as effects from './schema/effects.ts';
import * as executors from './schema/executors.ts';
import { nextStep } from './schema/next-step.ts';
import * as pageViews from './schema/page-views.ts';
import * as requests from './schema/requests.ts';
import { heartbeat, type ShownShape, signalLine, signals, signalsByKind } from './schema/signals.ts';
import * as views from './schema/views.ts';

/** JSON Schemas of everything that is sent and answered, each under a name that others refer to. */
type JsonSchema = Readonly<Record<string, unknown>>;

const PREFIX = '#/components/schemas/';
const pascal = (name: string): string =>
  name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
const refTo = (name: string): JsonSchema => ({ $ref: `${PREFIX}${name}` });

const { runRecord, poll, receipt, ...executorAnswers } = executors;
const inputs = named({ ...requests, runRecord, poll, receipt }, 'Request');
const outputs = named({ ...views, nextStep, ...effects, ...pageViews, ...executorAnswers }, '');

function named(schemas: Readonly<Record<string, unknown>>, suffix: string): ReadonlyMap<z.ZodType, string> {
  return new Map(
    Object.entries(schemas).flatMap(([name, schema]) =>
      schema instanceof z.ZodType ? [[schema, `${pascal(name)}${suffix}`] as const] : [],
    ),
  );
}

const signalName = (kind: string): string => `${pascal(kind)}Signal`;
const signalRefs = { oneOf: Object.keys(signalsByKind).map((kind) => refTo(signalName(kind))) };

/** Shapes that core's table gives, by name. */
const shown: ReadonlyMap<ShownShape, readonly [name: string, schema: JsonSchema]> = new Map([
  [heartbeat, ['Heartbeat', heartbeat.jsonSchema]],
  [signalLine, ['Signal', signalRefs]],
  [signals, ['Signals', { anyOf: [refTo('Signal'), { type: 'array', items: refTo('Signal') }] }]],
]);

/** A reference where the schema has a name; else the schema itself. */
export function schemaOf(schema: z.ZodType | ShownShape, io: 'input' | 'output'): JsonSchema {
  if ('jsonSchema' in schema) {
    const known = shown.get(schema);
    return known ? refTo(known[0]) : schema.jsonSchema;
  }
  const name = (io === 'input' ? inputs : outputs).get(schema);
  return name === undefined ? inlineSchema(schema, io) : refTo(name);
}

export function inlineSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return bare(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
}

/** The named schemas that these parts of the document refer to, and those that they refer to. */
export function componentsOf(parts: unknown): Readonly<Record<string, JsonSchema>> {
  const all = allSchemas();
  const used: Record<string, JsonSchema> = {};
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      const schema = all[name];
      if (used[name] || !schema) continue;
      used[name] = schema;
      visit(schema);
    }
  };
  visit(parts);
  return Object.fromEntries(Object.entries(used).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function allSchemas(): Readonly<Record<string, JsonSchema>> {
  return {
    ...registered(inputs, 'input'),
    ...registered(outputs, 'output'),
    ...Object.fromEntries(Object.entries(signalsByKind).map(([kind, shape]) => [signalName(kind), shape])),
    ...Object.fromEntries(shown.values()),
  };
}

function registered(
  names: ReadonlyMap<z.ZodType, string>,
  io: 'input' | 'output',
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io, unrepresentable: 'any', uri: (id) => `${PREFIX}${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]));
}

function bare(schema: object): JsonSchema {
  const { $schema: _dialect, $id: _id, ...rest } = schema as Record<string, unknown>;
  return rest;
}

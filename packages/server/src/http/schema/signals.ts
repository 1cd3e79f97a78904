import { SIGNAL_KINDS, SIGNAL_MEANINGS, signalShape } from '@holter/core';

/** JSON Schema for the documentation; what it describes is checked by core, by the table that it is made of. */
export type ShownShape = { readonly jsonSchema: Readonly<Record<string, unknown>> };

/** Left out where the path, or the agent's token, says it already. */
const without = (shape: Readonly<Record<string, unknown>>, names: readonly string[]) => ({
  ...shape,
  required: (shape.required as readonly string[]).filter((name) => !names.includes(name)),
});

export const heartbeat: ShownShape = { jsonSchema: without(signalShape('heartbeat'), ['kind', 'agentId']) };

export const signalsByKind = Object.fromEntries(
  SIGNAL_KINDS.map((kind) => [
    kind,
    { description: SIGNAL_MEANINGS[kind], ...without(signalShape(kind), ['agentId']) },
  ]),
);

const signal = { oneOf: Object.values(signalsByKind) };
export const signals: ShownShape = { jsonSchema: { anyOf: [signal, { type: 'array', items: signal }] } };
export const signalLine: ShownShape = { jsonSchema: signal };

import type { Signal, SignalKind } from '../vocabulary/signal.ts';
import { type BadSignal, badSignal, type FieldShape } from './field.ts';
import { ENVELOPE_FIELDS, KIND_FIELDS } from './kinds.ts';
import { type Fields, readFields, shapeOf } from './record.ts';

/**
 * Validates every signal that comes from outside. A table lists the fields of each kind. A field that is not listed
 * is refused, so that the sender notices a misspelt one.
 */
export type SignalCheck = { readonly kind: 'signal'; readonly signal: Signal } | BadSignal;

/** Seed 000 §2's names for the fields of a heartbeat. */
const seedNames: Readonly<Record<string, string>> = {
  agent_id: 'agentId',
  task_id: 'taskId',
  last_tool_call: 'lastToolCall',
  token_count: 'tokenCount',
  error_count: 'errorCount',
  progress_indicator: 'progressIndicator',
};

const fieldsByKind = new Map<unknown, Fields>(
  Object.entries(KIND_FIELDS).map(([kind, fields]) => [kind, { ...ENVELOPE_FIELDS, ...fields }]),
);
const allowedKinds = [...fieldsByKind.keys()].join(', ');

export function checkSignal(value: unknown): SignalCheck {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return badSignal('not_an_object', 'a signal must be an object with a kind');
  }
  const kind: unknown = Object.hasOwn(value, 'kind') ? (value as { kind: unknown }).kind : undefined;
  const fields = fieldsByKind.get(kind);
  if (fields === undefined) return badSignal('unknown_kind', `kind must be one of ${allowedKinds}`, 'kind');
  const reading = readFields<Omit<Signal, 'kind'>>(fields, value, kind === 'heartbeat' ? seedNames : {}, '', [
    'kind',
  ]);
  if (reading.kind !== 'field') return reading;
  const signal = { kind, ...reading.value } as Signal;
  // A position means nothing without the channel that it is a position in.
  if (signal.seq !== undefined && signal.channel === undefined) {
    return badSignal('missing_field', 'channel is needed where seq is given', 'channel');
  }
  return { kind: 'signal', signal };
}

/** JSON Schema of the signals of this kind. For a heartbeat, `checkSignal` also accepts the field names of seed 000. */
export function signalShape(kind: SignalKind): FieldShape {
  const own: Fields = { ...ENVELOPE_FIELDS, ...KIND_FIELDS[kind] };
  const aliases = kind === 'heartbeat' ? Object.entries(seedNames) : [];
  const more = aliases.map(([alias, name]) => [alias, own[name]?.read.shape]);
  const { properties, required, ...rest } = shapeOf(own);
  return {
    ...rest,
    properties: { kind: { const: kind }, ...(properties as object), ...Object.fromEntries(more) },
    required: ['kind', ...(required as readonly string[])],
  };
}

export const SIGNAL_KINDS = Object.keys(KIND_FIELDS) as readonly SignalKind[];

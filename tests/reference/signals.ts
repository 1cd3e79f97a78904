import { SENSED_ONLY, SIGNAL_KINDS, SIGNAL_MEANINGS, type SignalKind, signalShape } from '@holter/core';
import { code, link, page, table } from './markdown.ts';

type Shape = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly description?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
};
type ObjectShape = {
  readonly properties: Readonly<Record<string, Shape>>;
  readonly required: readonly string[];
};

const shapeOf = (kind: SignalKind) => signalShape(kind) as unknown as ObjectShape;

/** Long lists of words are told elsewhere. */
const WORDS_MAX = 10;

function typeOf({ type, enum: words, anyOf, maxLength, minimum, maximum }: Shape): string {
  if (words) return words.length > WORDS_MAX ? 'a word' : words.map((word) => code(String(word))).join(', ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  const name = Array.isArray(type) ? type.join(' or ') : (type ?? 'any JSON');
  const isLarge = (n: number | undefined): boolean => n === undefined || n >= Number.MAX_SAFE_INTEGER;
  const range = !isLarge(maximum) ? `, ${minimum ?? 0} to ${maximum}` : '';
  return `${name}${maxLength === undefined ? range : `, at most ${maxLength} characters`}`;
}

const envelope = ['agentId', 'incarnation', 'id', 'channel', 'seq'];

function rowsOf(kind: SignalKind, isEnvelope: boolean): readonly (readonly string[])[] {
  const { properties, required } = shapeOf(kind);
  return Object.entries(properties)
    .filter(
      ([name, { description }]) =>
        name !== 'kind' && description !== undefined && envelope.includes(name) === isEnvelope,
    )
    .map(([name, shape]) => [
      code(name),
      typeOf(shape),
      required.includes(name) ? 'yes' : '',
      shape.description ?? '',
    ]);
}

const titles = ['field', 'takes', 'needed', 'says'];

export function signals(): string {
  return page(
    'Signals',
    'the table in `packages/core/src/signal`',
    `What an agent, or a program beside it, reports: one JSON object for each fact, by ${code('POST /v1/agents/{id}/signals')} or as lines to ${code('POST /v1/signals')}; see ${link('HTTP', 'http')}. A field that is not listed is refused. Kinds marked "senses only" are refused from agents: they come from Holter, an operator or a ${code('holter run')}.`,
    '## Fields of every signal',
    table(titles, rowsOf('started', true)),
    ...SIGNAL_KINDS.flatMap((kind) => {
      const rows = rowsOf(kind, false);
      return [
        `## ${kind}`,
        `${SIGNAL_MEANINGS[kind]}${SENSED_ONLY.has(kind) ? ' Senses only.' : ''}`,
        ...(rows.length > 0 ? [table(titles, rows)] : []),
      ];
    }),
  );
}

/**
 * Reads the protobuf of an OTLP request by hand, from opentelemetry-proto's trace.proto. Strict: a field that is not
 * defined, has the wrong wire type or the wrong length is an error.
 */

type Read = (value: Uint8Array | bigint | number) => unknown;
type FieldSpec = {
  readonly name: string;
  readonly wire: 0 | 1 | 2 | 5;
  readonly read: Read;
  readonly isList?: true;
};
type Message = Readonly<Record<number, FieldSpec>>;

const text: Read = (value) => new TextDecoder('utf-8', { fatal: true }).decode(value as Uint8Array);
const integer: Read = (value) => Number(value as bigint);
const hex =
  (length: number): Read =>
  (value) => {
    const bytes = value as Uint8Array;
    if (bytes.length !== length) throw new Error(`an id of ${bytes.length} bytes instead of ${length}`);
    return Buffer.from(bytes).toString('hex');
  };
const nanos: Read = (value) => value;
const double: Read = (value) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, value as bigint);
  return view.getFloat64(0);
};
const message =
  (of: Message): Read =>
  (value) =>
    decode(of, value as Uint8Array);

const varint = (name: string): FieldSpec => ({ name, wire: 0, read: integer });
const string = (name: string): FieldSpec => ({ name, wire: 2, read: text });
const list = (name: string, of: Message): FieldSpec => ({
  name,
  wire: 2,
  read: message(of),
  isList: true,
});
const one = (name: string, of: Message): FieldSpec => ({ name, wire: 2, read: message(of) });

const anyValue: Message = {
  1: string('string'),
  2: { name: 'bool', wire: 0, read: (value) => value !== 0n },
  3: varint('int'),
  4: { name: 'double', wire: 1, read: double },
};
const keyValue: Message = { 1: string('key'), 2: one('value', anyValue) };
const attributes = (field: string): FieldSpec => list(field, keyValue);

const span: Message = {
  1: { name: 'traceId', wire: 2, read: hex(16) },
  2: { name: 'spanId', wire: 2, read: hex(8) },
  3: string('traceState'),
  4: { name: 'parentSpanId', wire: 2, read: hex(8) },
  5: string('name'),
  6: varint('kind'),
  7: { name: 'start', wire: 1, read: nanos },
  8: { name: 'end', wire: 1, read: nanos },
  9: attributes('attributes'),
  10: varint('droppedAttributes'),
  11: list('events', {
    1: { name: 'time', wire: 1, read: nanos },
    2: string('name'),
    3: attributes('attributes'),
    4: varint('droppedAttributes'),
  }),
  12: varint('droppedEvents'),
  13: list('links', {
    1: { name: 'traceId', wire: 2, read: hex(16) },
    2: { name: 'spanId', wire: 2, read: hex(8) },
    3: string('traceState'),
    4: attributes('attributes'),
    5: varint('droppedAttributes'),
    6: { name: 'flags', wire: 5, read: (value) => value },
  }),
  14: varint('droppedLinks'),
  15: one('status', { 2: string('message'), 3: varint('code') }),
  16: { name: 'flags', wire: 5, read: (value) => value },
};

const request: Message = {
  1: list('resourceSpans', {
    1: one('resource', { 1: attributes('attributes'), 2: varint('droppedAttributes') }),
    2: list('scopeSpans', {
      1: one('scope', { 1: string('name'), 2: string('version'), 3: attributes('attributes') }),
      2: list('spans', span),
      3: string('schemaUrl'),
    }),
    3: string('schemaUrl'),
  }),
};

type Pairs = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

export type DecodedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number; readonly message?: string };
  readonly resource: Readonly<Record<string, unknown>>;
};

type Raw = {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: Pairs };
    readonly scopeSpans?: readonly { readonly spans?: readonly RawSpan[] }[];
  }[];
};
type RawSpan = Omit<DecodedSpan, 'events' | 'links' | 'attributes' | 'status'> & {
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes?: Pairs;
  readonly events?: readonly { readonly name: string }[];
  readonly links?: DecodedSpan['links'];
  readonly status?: DecodedSpan['status'];
};

export function decodeTraces(body: Uint8Array): readonly DecodedSpan[] {
  const { resourceSpans = [] } = decode(request, body) as Raw;
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) =>
      spans.map((each) => ({
        ...each,
        startMs: Number(each.start / 1_000_000n),
        endMs: Number(each.end / 1_000_000n),
        attributes: plain(each.attributes),
        events: (each.events ?? []).map(({ name }) => name),
        links: (each.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        status: each.status ?? {},
        resource: plain(resource?.attributes),
      })),
    ),
  );
}

const plain = (pairs: Pairs = []): Readonly<Record<string, unknown>> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

function decode(of: Message, bytes: Uint8Array): unknown {
  const found: Record<string, unknown> = {};
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const readVarint = (): bigint => {
    for (let value = 0n, shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('it ends within a number');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Error('a number of more than 64 bits');
  };
  const readValue = (wire: number): Uint8Array | bigint | number => {
    if (wire === 0) return readVarint();
    const length = wire === 1 ? 8 : wire === 5 ? 4 : Number(readVarint());
    if (at + length > bytes.length) throw new Error('it ends within a field');
    at += length;
    if (wire === 1) return view.getBigUint64(at - 8, true);
    if (wire === 5) return view.getUint32(at - 4, true);
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(readVarint());
    const field = of[tag >> 3];
    const wire = tag & 7;
    if (!field || field.wire !== wire)
      throw new Error(`field ${tag >> 3} of wire type ${wire} is not defined`);
    const value = field.read(readValue(wire));
    if (field.isList) found[field.name] = [...((found[field.name] as unknown[]) ?? []), value];
    else found[field.name] = value;
  }
  return found;
}

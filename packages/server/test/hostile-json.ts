import fc from 'fast-check';

const NAMES = ['__proto__', 'constructor', 'toString', '', '..', 'a:b', '\u0000', 'x'.repeat(300)];
const TEXTS = ['../../etc/passwd', '\u001b[2J', '\ud800', 'eyJ-'.repeat(2_000), 'x'.repeat(70_000), '\n'];

/** What does not belong where it stands: any JSON, prototype names, long and broken texts, huge numbers. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(...NAMES, ...TEXTS, 1e308, -0, 2 ** 53, null, [], {}),
  fc.array(fc.constantFrom(...NAMES), { maxLength: 30 }),
  fc.dictionary(fc.constantFrom(...NAMES.slice(1)), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 5 }),
  fc.integer({ min: 1, max: 40 }).map((depth) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)),
);

/** The value with some of its parts, at any depth, replaced by strange ones, left out or repeated. */
export function mutated(value: unknown): fc.Arbitrary<unknown> {
  const paths = [...pathsOf(value, [])];
  const change = fc.record({
    path: fc.constantFrom(...paths),
    to: fc.option(strange, { nil: undefined, freq: 8 }),
  });
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const copy: unknown = structuredClone(value);
    for (const { path, to } of changes) put(copy, path, structuredClone(to));
    return JSON.parse(JSON.stringify(copy));
  });
}

function* pathsOf(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) yield* pathsOf(part, [...path, key]);
}

function put(root: unknown, path: readonly string[], to: unknown): void {
  let at = root;
  for (const key of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null) return;
    at = (at as Record<string, unknown>)[key];
  }
  const last = path.at(-1);
  if (typeof at !== 'object' || at === null || last === undefined) return;
  if (to === undefined) delete (at as Record<string, unknown>)[last];
  else (at as Record<string, unknown>)[last] = to;
}

/** The bytes of lines with some cut, doubled or replaced: what a program that crashes or lies leaves in a file. */
export const damaged = (text: string): fc.Arbitrary<Buffer> =>
  fc
    .array(
      fc.record({
        at: fc.nat(Math.max(0, text.length - 1)),
        length: fc.nat(200),
        bytes: fc.uint8Array({ maxLength: 20 }),
      }),
      { maxLength: 6 },
    )
    .map((cuts) => {
      let bytes = Buffer.from(text);
      for (const { at, length, bytes: put } of cuts)
        bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + length)]);
      return bytes;
    });

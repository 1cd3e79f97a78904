/**
 * Canonical JSON: one text per JSON value, with sorted keys, no spaces, and numbers as ECMAScript prints them (as in
 * RFC 8785). Hashes are taken over this text, so a value that JSON can't represent is refused instead of dropped.
 */
export type Canonical =
  | { readonly kind: 'canonical'; readonly text: string }
  | { readonly kind: 'not-json'; readonly because: NotJson; readonly path: string };

type NotJson = 'not-finite' | 'not-a-json-value' | 'cycle' | 'too-deep' | 'too-large';

export const CANONICAL_DEPTH_MAX = 64;
/** Larger than any sensible checkpoint. It also stops values that share subvalues and expand exponentially. */
const CANONICAL_LENGTH_MAX = 16 * 2 ** 20;

type Refusal = Extract<Canonical, { readonly kind: 'not-json' }>;

const refuse = (because: NotJson, path: string): Refusal => ({ kind: 'not-json', because, path });

export function canonicalJson(value: unknown, lengthMax: number = CANONICAL_LENGTH_MAX): Canonical {
  const parts: string[] = [];
  const refusal = new Writer(parts, lengthMax).write(value, '$', 0);
  return refusal ?? { kind: 'canonical', text: parts.join('') };
}

class Writer {
  private readonly parts: string[];
  private readonly ancestors: object[] = [];
  private readonly lengthMax: number;
  private length = 0;

  constructor(parts: string[], lengthMax: number) {
    this.parts = parts;
    this.lengthMax = lengthMax;
  }

  /** Returns a refusal if the value can't be written. */
  write(value: unknown, path: string, depth: number): Refusal | undefined {
    if (value === null || typeof value === 'boolean' || typeof value === 'string')
      return this.put(JSON.stringify(value), path);
    if (typeof value === 'number') {
      return Number.isFinite(value) ? this.put(JSON.stringify(value), path) : refuse('not-finite', path);
    }
    if (typeof value !== 'object') return refuse('not-a-json-value', path);
    if (this.ancestors.includes(value)) return refuse('cycle', path);
    if (depth >= CANONICAL_DEPTH_MAX) return refuse('too-deep', path);
    this.ancestors.push(value);
    const refusal = Array.isArray(value)
      ? this.writeList(value, path, depth)
      : this.writeObject(value, path, depth);
    this.ancestors.pop();
    return refusal;
  }

  private writeList(list: readonly unknown[], path: string, depth: number): Refusal | undefined {
    let refusal = this.put('[', path);
    // By index, not by iteration: a hole reads as undefined and is refused.
    for (let i = 0; i < list.length && refusal === undefined; i += 1) {
      if (i > 0) refusal = this.put(',', path);
      refusal ??= this.write(list[i], `${path}[${i}]`, depth + 1);
    }
    return refusal ?? this.put(']', path);
  }

  private writeObject(object: object, path: string, depth: number): Refusal | undefined {
    if (!isPlainObject(object)) return refuse('not-a-json-value', path);
    let refusal = this.put('{', path);
    let isFirst = true;
    for (const key of Object.keys(object).sort()) {
      refusal ??= this.put(`${isFirst ? '' : ','}${JSON.stringify(key)}:`, path);
      isFirst = false;
      refusal ??= this.write((object as Readonly<Record<string, unknown>>)[key], `${path}.${key}`, depth + 1);
      if (refusal !== undefined) return refusal;
    }
    return refusal ?? this.put('}', path);
  }

  private put(text: string, path: string): Refusal | undefined {
    this.length += text.length;
    if (this.length > this.lengthMax) return refuse('too-large', path);
    this.parts.push(text);
    return undefined;
  }
}

/** An object from another realm has a different `Object.prototype`, so check that its prototype has none itself. */
export function isPlainObject(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

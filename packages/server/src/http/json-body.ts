import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type HttpProblem, problem } from './problem.ts';

const inflate = promisify(gunzip);

/** The whole body, inflated if need be, and never larger than allowed on either side. */
export async function inflated(
  body: Buffer,
  encoding: string | undefined,
  bytesMax: number,
): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity') return body;
  if (encoding !== 'gzip') throw wrongEncoding();
  try {
    return await inflate(body, { maxOutputLength: bytesMax });
  } catch (error) {
    const isTooLarge = error instanceof RangeError || codeOf(error) === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge
      ? problem(413, 'body_too_large', `the body may have at most ${bytesMax} bytes when inflated`)
      : problem(400, 'bad_gzip', 'the body is not what gzip makes');
  }
}

/** The first bytes of a body; the rest is discarded. Destroying it would close the connection before the reply. */
export async function beginningOf(body: Readable, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let left = bytesMax;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) break;
  }
  body.resume();
  return Buffer.concat(chunks);
}

export const wrongEncoding = (): HttpProblem =>
  problem(415, 'wrong_encoding', 'the only content-encoding that is taken is gzip');

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** Values of a large body. What is large is a file or its listing; a million small values only cost time. */
const VALUES_MAX = 200_000;
/** Keys cost more: those of a checkpoint are sorted, which takes a quarter of a second for so many. */
const KEYS_MAX = 120_000;
/** A smaller body can't hold so many. */
const VALUES_BYTES_MIN = 2 * VALUES_MAX;

/** A body that takes long to read waits for a turn of the event loop, so that several never come in a row. */
export const LARGE_BYTES_MIN = 256 * 1024;
let lastTurn: Promise<unknown> = Promise.resolve();

export function turnForLarge(): Promise<unknown> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}

/** JSON from a stranger: valid UTF-8, bounded in depth and values, without keys that reach for a prototype. */
export function parseJson(body: Buffer, depthMax: number): unknown {
  if (!isUtf8(body)) throw problem(400, 'bad_utf8', 'the body is not valid UTF-8');
  if (body.length > VALUES_BYTES_MIN && hasTooManyValues(body))
    throw problem(
      413,
      'too_many_values',
      `the body may hold at most ${VALUES_MAX} values and ${KEYS_MAX} keys`,
    );
  return parseText(body.toString('utf8'), depthMax);
}

export function parseText(text: string, depthMax: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw problem(400, 'bad_json', 'the body is not JSON');
  }
  // Nearly every body is shallow and plain: then the text alone shows it, and nothing is walked.
  if (isPeculiar(text)) checkTree(value, depthMax, text.includes('\\u'));
  return value;
}

const [QUOTE, BACKSLASH, COMMA, COLON, LIST, RECORD] = Buffer.from('"\\,:[{');

/** Counts outside of texts, where JSON has a comma or a bracket for each value, and a colon for each key. */
function hasTooManyValues(body: Buffer): boolean {
  let left = VALUES_MAX;
  let keysLeft = KEYS_MAX;
  let isInText = false;
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i];
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText) i += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === LIST || byte === RECORD) left -= 1;
    else if (byte === COLON) keysLeft -= 1;
    if (left < 0 || keysLeft < 0) return true;
  }
  return false;
}

/** Short enough that looking at the text costs less than a walk. */
const PLAIN_LENGTH_MAX = 4_096;
const PLAIN_BRACKETS_MAX = 16;

/** An escape may hide a half character or a `__proto__`; many brackets may be deep. */
const isPeculiar = (text: string): boolean =>
  text.length > PLAIN_LENGTH_MAX ||
  text.includes('\\u') ||
  text.includes('__proto__') ||
  hasMany(text, '{') ||
  hasMany(text, '[');

function hasMany(text: string, bracket: string): boolean {
  let count = 0;
  for (let i = text.indexOf(bracket); i !== -1; i = text.indexOf(bracket, i + 1)) {
    count += 1;
    if (count > PLAIN_BRACKETS_MAX) return true;
  }
  return false;
}

const halfCharacter = /[\uD800-\uDFFF]/u;

/** Half a character can only come from an escape: the bytes are valid UTF-8. */
function checkTree(value: unknown, depthLeft: number, hasEscapes: boolean): void {
  if (typeof value === 'string') {
    if (hasEscapes && halfCharacter.test(value))
      throw problem(400, 'bad_text', 'a text holds half a character');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw problem(400, 'too_deep', 'the body is nested too deep');
  for (const [key, below] of Object.entries(value)) {
    if (key === '__proto__')
      throw problem(400, 'forbidden_field', 'a key __proto__ is not allowed', '__proto__');
    if (hasEscapes && halfCharacter.test(key)) throw problem(400, 'bad_text', 'a key holds half a character');
    checkTree(below, depthLeft - 1, hasEscapes);
  }
}

/**
 * A result without the values of its call that only name the occasion, so that a counter which the call prints does
 * not make each result a new one (`npm test; echo attempt 7`).
 *
 * Bounded: only short values, a few of them, in results that are not long; a counter is lost in a long one anyway.
 * A value is taken out where it stands alone, not as a part of another word or number.
 */
const OUTPUT_MAX = 4_000;
const OCCASIONS_MAX = 4;
const LENGTH_MAX = 64;
const TOKEN = /\w+/g;

export function withoutEcho(output: string, occasions: readonly string[]): string {
  if (occasions.length === 0 || output.length > OUTPUT_MAX) return output;
  const echoes = occasions
    .slice(0, OCCASIONS_MAX)
    .filter(({ length }) => length > 0 && length <= LENGTH_MAX)
    .flatMap((occasion) => occasion.match(TOKEN) ?? []);
  if (!echoes.some((echo) => output.includes(echo))) return output;
  return output.replace(TOKEN, (token) => (echoes.includes(token) ? '#' : token));
}

import { isRecord, type JsonRecord } from '../shared/json.ts';

/** Of one text; more of it tells neither a judge nor a detector more. */
const TEXT_MAX = 16_384;
/** Of all texts of one line together: looking for secrets takes its time with every character. */
const TEXTS_MAX = 65_536;
/** No text of a step is this deep inside it. */
const DEPTH_MAX = 20;

/**
 * A record whose texts are short enough to be looked through for secrets. A beginning is cut after a word and an end
 * before a line, so that neither half of a secret is left, nor a secret without the name that gives it away.
 */
export function shortRecord(record: JsonRecord): JsonRecord {
  let left = TEXTS_MAX;
  const shorten = (value: unknown, depth: number, isEnd = false): unknown => {
    if (typeof value === 'string') {
      const text = isEnd
        ? endOf(value, Math.min(TEXT_MAX, left))
        : beginningOf(value, Math.min(TEXT_MAX, left));
      left -= text.length;
      return text;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEPTH_MAX) return null;
    if (Array.isArray(value)) return value.map((each) => shorten(each, depth + 1));
    if (!isRecord(value)) return null;
    // What an agent said last stands at the end of its text.
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, shorten(each, depth + 1, key === 'llm_text')]),
    );
  };
  return shorten(record, 0) as JsonRecord;
}

function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  return cut.slice(0, Math.max(0, cut.lastIndexOf(' '), cut.lastIndexOf('\n')));
}

function endOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const line = text.indexOf('\n', text.length - max);
  return line === -1 ? '' : text.slice(line + 1);
}

/** Other programs' JSON, read without trusting its shape: what is missing or of another type is not there. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asRecord = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
/** A name or an id as signals take it: neither empty nor longer than 256 characters. */
export const asName = (value: unknown): string | null =>
  typeof value === 'string' && value.length >= 1 && value.length <= 256 ? value : null;
export const asNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Empty when the text is not one JSON list. */
export function parseList(text: string): readonly unknown[] {
  try {
    return asList(JSON.parse(text));
  } catch {
    return [];
  }
}

/** Null when the text is not one JSON object. */
export function parseRecord(text: string): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

import { AdapterError } from './adapter-error.ts';
import { type JsonRecord, parseRecord } from './json.ts';

/** The contents of a settings file; people's settings are changed only when all of them were understood. */
export function settingsOf(text: string | null): JsonRecord {
  if (text === null || text.trim() === '') return {};
  const settings = parseRecord(text);
  if (settings) return settings;
  throw new AdapterError('is not a JSON object, so it was left alone', 'repair it, then try again');
}

/**
 * The file's new text, in its own indentation; null when nothing is left. Settings that say the same as before
 * keep their text as it was.
 */
export function textOf(settings: JsonRecord, before: string | null): string | null {
  if (JSON.stringify(settings) === JSON.stringify(settingsOf(before))) return before;
  if (Object.keys(settings).length === 0) return null;
  const indent = /^[{[]\n([ \t]+)/.exec(before ?? '')?.[1] ?? '  ';
  return `${JSON.stringify(settings, null, indent)}\n`;
}

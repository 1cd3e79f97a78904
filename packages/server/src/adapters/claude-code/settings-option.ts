import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AdapterError } from '../shared/adapter-error.ts';
import { type JsonRecord, parseRecord } from '../shared/json.ts';
import { withHooks } from './connect.ts';
import { hookSettings } from './hook-settings.ts';

/** The user's own `--settings`, a file or JSON, with our hooks added behind theirs. No file is touched. */
export function settingsWithHooks(own: string | null, serverUrl: string, workingDirectory: string): string {
  const settings = own === null ? {} : parse(own, workingDirectory);
  // Every start has a token of its own; it lies in the environment of its process.
  return JSON.stringify(withHooks(settings, hookSettings(serverUrl, { variable: 'HOLTER_TOKEN' })));
}

function parse(own: string, workingDirectory: string): JsonRecord {
  const settings = parseRecord(
    own.trimStart().startsWith('{') ? own : textOf(resolve(workingDirectory, own)),
  );
  if (settings) return settings;
  throw new AdapterError(`--settings ${own.slice(0, 100)}: no JSON object, and no file with one`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

import { resolve } from 'node:path';
import { readSettingsFile } from '../../files/index.ts';
import { AdapterError } from '../shared/adapter-error.ts';
import { type JsonRecord, parseRecord } from '../shared/json.ts';
import { withHooks } from './connect.ts';
import { hookSettings } from './hook-settings.ts';

/** The user's own `--settings` with our hooks added behind theirs. No file is touched. */
export function settingsWithHooks(settings: JsonRecord, serverUrl: string): string {
  // Every start has a token of its own; it lies in the environment of its process.
  return JSON.stringify(withHooks(settings, hookSettings(serverUrl, { variable: 'HOLTER_TOKEN' })));
}

/** What `--settings` names: a file, or JSON. */
export function readSettingsOption(own: string, workingDirectory: string): JsonRecord {
  const settings = parseRecord(
    own.trimStart().startsWith('{') ? own : textOf(resolve(workingDirectory, own)),
  );
  if (settings) return settings;
  throw new AdapterError(`--settings ${own.slice(0, 100)}: no JSON object, and no file with one`);
}

function textOf(file: string): string {
  try {
    return readSettingsFile(file);
  } catch {
    return '';
  }
}

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type HookSettings, hookSettings } from '@holter/server/claude-code';
import { CODE, RunFailure } from '../end.ts';

/** The user's own `--settings`, a file or JSON, with our hooks added behind theirs. No file is touched. */
export function settingsWithHooks(own: string | null, serverUrl: string, workingDirectory: string): string {
  const settings = own === null ? {} : parse(own, workingDirectory);
  const theirs = isRecord(settings.hooks) ? settings.hooks : {};
  // Every start has a token of its own; it lies in the environment of its process.
  const ours: HookSettings = hookSettings(serverUrl, { variable: 'HOLTER_TOKEN' });
  const hooks: Record<string, unknown> = { ...theirs };
  for (const [event, groups] of Object.entries(ours)) {
    const before = theirs[event];
    hooks[event] = [...(Array.isArray(before) ? before : []), ...groups];
  }
  return JSON.stringify({ ...settings, hooks });
}

function parse(own: string, workingDirectory: string): Record<string, unknown> {
  try {
    const text = own.trimStart().startsWith('{') ? own : readFileSync(resolve(workingDirectory, own), 'utf8');
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Said below.
  }
  throw new RunFailure(CODE.usage, `--settings ${own.slice(0, 100)}: no JSON object, and no file with one`);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

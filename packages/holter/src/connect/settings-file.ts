import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CliFailure } from '../terminal/failure.ts';
import type { ClaudeSettings } from './merge-hooks.ts';

type SettingsFile = {
  readonly path: string;
  /** Null when there is no such file. */
  readonly text: string | null;
  readonly settings: ClaudeSettings;
};

/** Somebody's settings are changed only when all of them were understood. */
export function readSettings(path: string): SettingsFile {
  const text = textOf(path);
  if (text === null || text.trim() === '') return { path, text, settings: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { path, text, settings: value as ClaudeSettings };
  } catch {
    // Said below.
  }
  throw new CliFailure(`${path} is not a JSON object, so it was left alone`, 'mend it, then try again');
}

/** In the file's own indentation. */
export function textFor({ text }: SettingsFile, settings: ClaudeSettings): string | null {
  if (Object.keys(settings).length === 0) return null;
  const indent = /^[{[]\n([ \t]+)/.exec(text ?? '')?.[1] ?? '  ';
  return `${JSON.stringify(settings, null, indent)}\n`;
}

export const backupOf = (path: string): string => `${path}.before-holter`;

/**
 * What was there is kept beside it first. Written whole and put in place at once, where a link points to, and
 * for its owner's eyes only: it may hold a token. Null removes the file.
 */
export function writeSettings({ path, text: before }: SettingsFile, text: string | null): void {
  const target = targetOf(path);
  mkdirSync(dirname(target), { recursive: true });
  if (before !== null) {
    copyFileSync(target, backupOf(path));
    chmodSync(backupOf(path), 0o600);
  }
  if (text === null) return rmSync(target, { force: true });
  const draft = `${target}.holter-${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, target);
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new CliFailure(`${path} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

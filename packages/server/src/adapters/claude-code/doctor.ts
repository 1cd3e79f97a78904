import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readSettingsFile } from '../../files/index.ts';
import { type Diagnosis, type DiagnosisContext, isHookSecret } from '../shared/connect.ts';
import { asRecord, type JsonRecord, parseRecord } from '../shared/json.ts';
import { ourHooksOf } from './connect.ts';
import { HOOK_PATH, type HookEntry, targetOf } from './hook-settings.ts';
import { claudeFolder } from './own-folder.ts';

type Known = { readonly path: string; readonly settings: JsonRecord; readonly changedAt: number };

/** Where an administrator's settings lie; they win over everybody's. */
const MANAGED = [
  '/etc/claude-code/managed-settings.json',
  '/Library/Application Support/ClaudeCode/managed-settings.json',
];

/** The first reason that explains it. Null when no settings name Holter: `holter run` needs none. */
export function diagnose(context: DiagnosisContext): Diagnosis | null {
  const { env, workingDirectory } = context;
  const folder = claudeFolder(env);
  const local = ['settings.json', 'settings.local.json'].map((name) =>
    join(workingDirectory, '.claude', name),
  );
  const all = [join(folder, 'settings.json'), ...local].flatMap(read);
  const managed = MANAGED.flatMap(read);
  const [connected] = all.filter(({ settings }) => ourHooksOf(settings).length > 0);
  const [hook] = connected ? ourHooksOf(connected.settings) : [];
  if (!connected || !hook) return null;
  return (
    switchedOff([...managed, ...all]) ??
    ruledOut(managed, [...managed, ...all], hook) ??
    sentElsewhere(hook, context) ??
    untrusted(folder, context) ??
    neverArrived(folder, connected, context) ??
    tooMighty(hook, connected, folder) ?? {
      isFine: true,
      says: `connected by ${connected.path}${context.hasSessions ? '' : '; no session has reported yet'}`,
    }
  );
}

function switchedOff(files: readonly Known[]): Diagnosis | null {
  const off = files.find(({ settings }) => settings.disableAllHooks === true);
  return off ? wrong(`all hooks are switched off in ${off.path}`, 'take disableAllHooks out of it') : null;
}

function ruledOut(
  managed: readonly Known[],
  all: readonly Known[],
  { url = '' }: HookEntry,
): Diagnosis | null {
  const only = managed.find(({ settings }) => settings.allowManagedHooksOnly === true);
  if (only)
    return wrong(`only managed hooks are allowed by ${only.path}`, 'ask whoever manages it to add the hooks');
  const strict = all.find(
    ({ settings }) =>
      Array.isArray(settings.allowedHttpHookUrls) && !isAllowed(settings.allowedHttpHookUrls, url),
  );
  return strict
    ? wrong(`${strict.path} does not allow hooks to ${url}`, 'add it to allowedHttpHookUrls')
    : null;
}

const isAllowed = (patterns: readonly unknown[], url: string): boolean =>
  patterns.some((pattern) => {
    const parts = String(pattern)
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`).test(url);
  });

function sentElsewhere({ url = '' }: HookEntry, { serverUrl }: DiagnosisContext): Diagnosis | null {
  if (serverUrl === null || url === `${serverUrl}${HOOK_PATH}`) return null;
  return wrong(`its hooks go to ${url}, and the server is at ${serverUrl}`, 'holter connect claude-code');
}

/** A folder that nobody has said yes to runs no hooks in a terminal. */
function untrusted(folder: string, { workingDirectory }: DiagnosisContext): Diagnosis | null {
  const [state] = [join(folder, '.claude.json'), `${folder}.json`].flatMap(read);
  const project = asRecord(state?.settings.projects)[workingDirectory];
  if (!project || asRecord(project).hasTrustDialogAccepted === true) return null;
  return wrong(
    `${workingDirectory} is not trusted`,
    'start claude here once and say that you trust the folder',
  );
}

function neverArrived(
  folder: string,
  { changedAt }: Known,
  { hasSessions, workingDirectory }: DiagnosisContext,
): Diagnosis | null {
  if (hasSessions) return null;
  const transcripts = join(folder, 'projects', workingDirectory.replace(/[^A-Za-z0-9]/g, '-'));
  if (newestIn(transcripts) <= changedAt) return null;
  return wrong(
    'a session ran here since it was connected, and none of its hooks arrived',
    'start the session again: settings are read at the start; /hooks shows them',
  );
}

/** Settings of earlier versions hold a token that can register agents and report for them. */
function tooMighty(hook: HookEntry, { path }: Known, folder: string): Diagnosis | null {
  const { header } = targetOf(hook);
  if (!('token' in header) || isHookSecret(header.token)) return null;
  return wrong(
    `the token in ${path} can do more than post hooks`,
    `replace it: holter connect claude-code${path.startsWith(folder) ? ' --user' : ''}`,
  );
}

const wrong = (says: string, next: string): Diagnosis => ({ isFine: false, says, next });

function read(path: string): readonly Known[] {
  try {
    const settings = parseRecord(readSettingsFile(path));
    return settings ? [{ path, settings, changedAt: statSync(path).mtimeMs }] : [];
  } catch {
    return [];
  }
}

function newestIn(folder: string): number {
  try {
    const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    return Math.max(0, ...files.map((name) => statSync(join(folder, name)).mtimeMs));
  } catch {
    return 0;
  }
}

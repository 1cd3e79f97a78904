import type { HookHeader, HookTarget } from '../shared/connect.ts';
import { asRecord, asText } from '../shared/json.ts';

/**
 * What Claude Code is told, so that its hooks come to Holter. HTTP hooks: no script, no process per event, and
 * a Holter that is down costs nothing. `SessionStart` takes only commands, so a session is first seen at its
 * first prompt; a command there can start the server before.
 */
const EVENTS = [
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'Notification',
  'PreCompact',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'StopFailure',
  'SessionEnd',
] as const;

/** A Holter that hangs costs this much per event, so it is short; a reply takes milliseconds. */
const TIMEOUT_SECONDS = 2;

/** A server is up within a second or two; a session waits for it no longer than this. */
const START_SECONDS = 10;

export const HOOK_PATH = '/hooks/claude-code';

export type HookEntry = {
  readonly type: string;
  readonly url?: string;
  readonly [key: string]: unknown;
};
export type HookGroup = { readonly hooks: readonly HookEntry[]; readonly [key: string]: unknown };
export type HookSettings = Readonly<Record<string, readonly HookGroup[]>>;

export function hookSettings(serverUrl: string, header: HookHeader): HookSettings {
  const hook: HookEntry = {
    type: 'http',
    url: `${serverUrl.replace(/(?<!\/)\/+$/, '')}${HOOK_PATH}`,
    timeout: TIMEOUT_SECONDS,
    ...('token' in header
      ? { headers: { Authorization: `Bearer ${header.token}` } }
      : { headers: { Authorization: `Bearer $${header.variable}` }, allowedEnvVars: [header.variable] }),
  };
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]]));
}

/** The hooks of settings that a user connected. */
export function connectedHooks({ serverUrl, header, startCommand }: HookTarget): HookSettings {
  const reports = hookSettings(serverUrl, header);
  if (startCommand === undefined) return reports;
  const start: HookEntry = { type: 'command', command: startCommand, timeout: START_SECONDS };
  return { SessionStart: [{ hooks: [start] }], ...reports };
}

/** What `hookSettings` was given for this entry. */
export function targetOf({ url = '', headers }: HookEntry): HookTarget {
  const [, secret = ''] = /^Bearer (.*)$/.exec(asText(asRecord(headers).Authorization) ?? '') ?? [];
  const header = secret.startsWith('$') ? { variable: secret.slice(1) } : { token: secret };
  return { serverUrl: url.slice(0, -HOOK_PATH.length), header };
}

/** Whether an entry is one of ours, of whichever server and version. */
export const isOurHook = ({ type, url }: HookEntry): boolean =>
  type === 'http' && url !== undefined && url.endsWith(HOOK_PATH);

/** Whether an entry is a command of ours that starts the server. */
export const isStartHook = ({ type, command }: HookEntry): boolean =>
  type === 'command' && typeof command === 'string' && / hook session-start( |$)/.test(command);

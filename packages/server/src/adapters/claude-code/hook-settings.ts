import type { HookHeader, HookTarget } from '../shared/connect.ts';
import { asRecord, asText } from '../shared/json.ts';

/**
 * What Claude Code is told, so that its hooks come to Holter. HTTP hooks: no script, no process per event, and
 * a Holter that is down costs nothing. `SessionStart` takes only commands, so a session is first seen at its
 * first prompt.
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

/** What `hookSettings` was given for this entry. */
export function targetOf({ url = '', headers }: HookEntry): HookTarget {
  const [, secret = ''] = /^Bearer (.*)$/.exec(asText(asRecord(headers).Authorization) ?? '') ?? [];
  const header = secret.startsWith('$') ? { variable: secret.slice(1) } : { token: secret };
  return { serverUrl: url.slice(0, -HOOK_PATH.length), header };
}

/** Whether an entry is one of ours, of whichever server and version. */
export const isOurHook = ({ type, url }: HookEntry): boolean =>
  type === 'http' && url !== undefined && url.endsWith(HOOK_PATH);

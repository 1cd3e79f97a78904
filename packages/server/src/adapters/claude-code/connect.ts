import { join } from 'node:path';
import type { Connect } from '../shared/connect.ts';
import { asList, asRecord, isRecord, type JsonRecord } from '../shared/json.ts';
import { settingsOf, textOf } from '../shared/json-settings.ts';
import {
  type HookEntry,
  type HookGroup,
  type HookSettings,
  hookSettings,
  isOurHook,
  targetOf,
} from './hook-settings.ts';
import { claudeFolder } from './own-folder.ts';

export const connect: Connect = {
  file: ({ env, workingDirectory, isForUser }) =>
    isForUser
      ? join(claudeFolder(env), 'settings.json')
      : join(workingDirectory, '.claude', 'settings.local.json'),
  add: (text, { serverUrl, header }) =>
    textOf(withHooks(settingsOf(text), hookSettings(serverUrl, header)), text),
  remove: (text) => textOf(withoutHooks(settingsOf(text)), text),
  find: (text) => ourHooksOf(settingsOf(text)).map(targetOf)[0] ?? null,
};

/** Our hooks behind those of others, and in place of older ones of ours. The same again changes nothing. */
export function withHooks(settings: JsonRecord, ours: HookSettings): JsonRecord {
  const clean = withoutHooks(settings);
  const hooks: Record<string, unknown> = { ...asRecord(clean.hooks) };
  for (const [event, groups] of Object.entries(ours)) hooks[event] = [...asList(hooks[event]), ...groups];
  return { ...clean, hooks };
}

/** What others wrote stays as it is; what becomes empty by this goes. */
export function withoutHooks(settings: JsonRecord): JsonRecord {
  if (settings.hooks === undefined || ourHooksOf(settings).length === 0) return settings;
  const { hooks: _hooks, ...rest } = settings;
  const kept = Object.entries(asRecord(settings.hooks)).flatMap(([event, groups]) => {
    const others = asList(groups).flatMap(withoutOurs);
    return others.length === 0 ? [] : [[event, others] as const];
  });
  return kept.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(kept) };
}

export function ourHooksOf(settings: JsonRecord): readonly HookEntry[] {
  return Object.values(asRecord(settings.hooks))
    .flatMap(asList)
    .flatMap((group) => asList(asRecord(group).hooks))
    .filter(isEntry)
    .filter(isOurHook);
}

function withoutOurs(group: unknown): readonly unknown[] {
  const { hooks, ...rest } = asRecord(group) as Partial<HookGroup>;
  if (!Array.isArray(hooks)) return [group];
  const others = hooks.filter((hook: unknown) => !(isEntry(hook) && isOurHook(hook)));
  if (others.length === hooks.length) return [group];
  return others.length === 0 ? [] : [{ ...rest, hooks: others }];
}

const isEntry = (value: unknown): value is HookEntry => isRecord(value) && typeof value.type === 'string';

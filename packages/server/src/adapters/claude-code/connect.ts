import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Connect } from '../shared/connect.ts';
import { asList, asRecord, isRecord, type JsonRecord } from '../shared/json.ts';
import { settingsOf, textOf } from '../shared/json-settings.ts';
import {
  connectedHooks,
  type HookEntry,
  type HookGroup,
  type HookSettings,
  isOurHook,
  isStartHook,
  targetOf,
} from './hook-settings.ts';
import { claudeFolder } from './own-folder.ts';

export const connect: Connect = {
  file: ({ env, workingDirectory, isForUser }) =>
    isForUser
      ? join(claudeFolder(env), 'settings.json')
      : join(workingDirectory, '.claude', 'settings.local.json'),
  add: (text, target) => textOf(withHooks(settingsOf(text), connectedHooks(target)), text),
  remove: (text) => textOf(withoutHooks(settingsOf(text)), text),
  isSame: (one, other) => isDeepStrictEqual(settingsOf(one), settingsOf(other)),
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
  if (!entriesOf(settings).some(isOurs)) return settings;
  const { hooks: _hooks, ...rest } = settings;
  const kept = Object.entries(asRecord(settings.hooks)).flatMap(([event, groups]) => {
    const others = asList(groups).flatMap(withoutOurs);
    return others.length === 0 ? [] : [[event, others] as const];
  });
  return kept.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(kept) };
}

/** Those that report; the one that starts the server is not among them. */
export const ourHooksOf = (settings: JsonRecord): readonly HookEntry[] =>
  entriesOf(settings).filter(isOurHook);

const entriesOf = (settings: JsonRecord): readonly HookEntry[] =>
  Object.values(asRecord(settings.hooks))
    .flatMap(asList)
    .flatMap((group) => asList(asRecord(group).hooks))
    .filter(isEntry);

function withoutOurs(group: unknown): readonly unknown[] {
  const { hooks, ...rest } = asRecord(group) as Partial<HookGroup>;
  if (!Array.isArray(hooks)) return [group];
  const others = hooks.filter((hook: unknown) => !(isEntry(hook) && isOurs(hook)));
  if (others.length === hooks.length) return [group];
  return others.length === 0 ? [] : [{ ...rest, hooks: others }];
}

const isOurs = (hook: HookEntry): boolean => isOurHook(hook) || isStartHook(hook);

const isEntry = (value: unknown): value is HookEntry => isRecord(value) && typeof value.type === 'string';

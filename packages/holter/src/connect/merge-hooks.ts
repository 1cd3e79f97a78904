import { type HookEntry, type HookGroup, type HookSettings, isOurHook } from '@holter/server/claude-code';

/** Settings of Claude Code, of which only `hooks` is ours to change. */
export type ClaudeSettings = Readonly<Record<string, unknown>>;

/** Our hooks behind those of others, and in place of older ones of ours. The same again changes nothing. */
export function withHooks(settings: ClaudeSettings, ours: HookSettings): ClaudeSettings {
  const clean = withoutHooks(settings);
  const hooks: Record<string, unknown> = { ...recordOf(clean.hooks) };
  for (const [event, groups] of Object.entries(ours)) hooks[event] = [...listOf(hooks[event]), ...groups];
  return { ...clean, hooks };
}

/** What others wrote stays as it is; what becomes empty by this goes. */
export function withoutHooks(settings: ClaudeSettings): ClaudeSettings {
  if (settings.hooks === undefined || ourHooksOf(settings).length === 0) return settings;
  const { hooks: _hooks, ...rest } = settings;
  const kept = Object.entries(recordOf(settings.hooks)).flatMap(([event, groups]) => {
    const others = listOf(groups).flatMap(withoutOurs);
    return others.length === 0 ? [] : [[event, others] as const];
  });
  return kept.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(kept) };
}

export function ourHooksOf(settings: ClaudeSettings): readonly HookEntry[] {
  return Object.values(recordOf(settings.hooks))
    .flatMap(listOf)
    .flatMap((group) => listOf(recordOf(group).hooks))
    .filter(isEntry)
    .filter(isOurHook);
}

function withoutOurs(group: unknown): readonly unknown[] {
  const { hooks, ...rest } = recordOf(group) as Partial<HookGroup>;
  if (!Array.isArray(hooks)) return [group];
  const others = hooks.filter((hook: unknown) => !(isEntry(hook) && isOurHook(hook)));
  if (others.length === hooks.length) return [group];
  return others.length === 0 ? [] : [{ ...rest, hooks: others }];
}

const isEntry = (value: unknown): value is HookEntry => typeof recordOf(value).type === 'string';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

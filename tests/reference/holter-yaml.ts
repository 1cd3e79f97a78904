import { profileAliases, profileDefaults } from '@holter/core';
import {
  ALIASES,
  defaultSettings,
  OVERRIDE_FIELDS,
  WRITTEN_FIELDS,
} from '../../packages/server/src/policy/fields.ts';
import {
  BREAKER_MEANINGS,
  LIMIT_MEANINGS,
  MEANINGS,
  SHORT_MEANINGS,
} from '../../packages/server/src/policy/meanings.ts';
import {
  defaultSharedSettings,
  NAMED_BREAKER_FIELDS,
  SHARED_FIELDS,
} from '../../packages/server/src/policy/shared-fields.ts';
import { code, page, table } from './markdown.ts';

const fields: Readonly<Record<string, { takes: string; show: (value: never) => unknown }>> = {
  ...WRITTEN_FIELDS,
  ...SHARED_FIELDS,
};
const defaults = { ...defaultSettings(), ...defaultSharedSettings() } as Readonly<Record<string, unknown>>;
const aliases: Readonly<Record<string, string>> = ALIASES;
const meanings: Readonly<Record<string, string>> = MEANINGS;

/** `detection.call_cycle.warn` is a limit of `callCycle`. */
function meaningOf(path: string): string {
  const [section, name = '', end] = path.split('.');
  const known = meanings[path];
  if (known !== undefined) return known;
  const limit = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const counts = LIMIT_MEANINGS[limit as keyof typeof LIMIT_MEANINGS];
  if (section !== 'detection' || counts === undefined) throw new Error(`${path} has no meaning`);
  return end === 'warn' ? counts : 'The same; from here on the agent is STUCK.';
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function rowOf(path: string): readonly string[] {
  const field = fields[path];
  const value = field?.show(defaults[aliases[path] ?? path] as never);
  const text = Object.hasOwn(WRITTEN_FIELDS, path) ? '' : ' One value for all agents.';
  const isMap = path.endsWith('.overrides');
  return [
    code(path),
    field?.takes ?? '',
    isMap ? 'see below' : code(shown(value)),
    `${meaningOf(path)}${text}`,
  ];
}

const aliasesOf = (role: string): readonly string[] =>
  Object.entries(profileAliases).flatMap(([alias, known]) => (known === role ? alias : []));

const sections = [
  'health_monitoring',
  'rules',
  'limits',
  'detection',
  'progress_detection',
  'fleet',
  'quotas',
];

export function holterYaml(): string {
  const paths = Object.keys(fields);
  const titles = ['key', 'takes', 'default', 'does'];
  const named = [...new Set(paths.map((path) => path.split('.', 1)[0] ?? ''))];
  const order = [
    ...sections.filter((name) => named.includes(name)),
    ...named.filter((name) => !sections.includes(name)),
  ];
  const overrides = defaultSharedSettings()['health_monitoring.circuit_breaker.overrides'];
  return page(
    'holter.yaml',
    'the tables in `packages/server/src/policy`',
    `Every key is optional. A time is a number of seconds or has a unit: ${code('500ms')}, ${code('90s')}, ${code('15m')}, ${code('2h')}, ${code('1d')}. A size is a number of bytes or has a unit: ${code('512MB')}, ${code('2GiB')}. ${code('holter config check')} says what is wrong with a file and ${code('holter config show')} which values are in force and where each came from. An unknown key is an error.`,
    `A dotted key is written as nested sections: ${code('rules.settle')} is ${code('settle')} below ${code('rules')}.`,
    ...order.flatMap((section) => [
      `## ${section}`,
      table(titles, paths.filter((path) => path.split('.', 1)[0] === section).map(rowOf)),
    ]),
    '## Circuit breakers by name',
    `Below ${code('health_monitoring.circuit_breaker.overrides')}, by the name of the breaker:`,
    table(
      ['key', 'takes', 'does'],
      Object.entries(NAMED_BREAKER_FIELDS).map(([key, { takes }]) => [
        code(key),
        takes,
        BREAKER_MEANINGS[key as keyof typeof BREAKER_MEANINGS],
      ]),
    ),
    table(
      ['shipped for', 'differs from the default in'],
      [...overrides].map(([name, { values }]) => [
        code(name),
        Object.entries(values)
          .map(([key, value]) =>
            code(`${key}: ${shown(NAMED_BREAKER_FIELDS[key as 'mode'].show(value as never))}`),
          )
          .join(', '),
      ]),
    ),
    '## profiles, groups, agents',
    'Settings for a role, a group or one agent: a section by name, in which every key above that is not "for all agents alike" may be written again. The more exact one counts: default, shipped profile, the file, profile, group, agent. Three short keys exist only there:',
    table(
      titles.filter((title) => title !== 'default'),
      Object.entries(SHORT_MEANINGS).map(([key, does]) => [
        code(key),
        OVERRIDE_FIELDS[key as keyof typeof SHORT_MEANINGS].takes,
        does,
      ]),
    ),
    'Profiles that are shipped:',
    table(
      ['role', 'settings', 'other names'],
      Object.entries(profileDefaults).map(([role, settings]) => [
        code(role),
        Object.entries(settings)
          .map(([key, value]) => code(`${key}: ${value}`))
          .join(', '),
        aliasesOf(role).map(code).join(', '),
      ]),
    ),
    'Another name means the same role, unless you write a profile of that name.',
  );
}

import { invariant, isAgentId, type Policy, profileAliases, profileDefaults } from '@holter/core';
import { undefinedChannels } from './alert-routes.ts';
import { buildDayBudget } from './budget-fields.ts';
import { buildPolicy } from './build.ts';
import { type PolicyProblem, type Table, type TableReading, tableReader } from './check.ts';
import { OVERRIDE_FIELDS, WRITTEN_FIELDS } from './fields.ts';
import { buildJudge } from './judge-fields.ts';
import { DEFAULT_LAYER, type Layer, type LayerName, resolve, writtenLayer } from './layers.ts';
import { buildNetwork } from './network-fields.ts';
import { buildOperations } from './operations-fields.ts';
import type { Layers, PolicySet } from './policy-set.ts';
import { buildQuotas } from './quota-fields.ts';
import { mapOf } from './readers.ts';
import { relationProblems } from './relations.ts';
import {
  buildBreakers,
  buildFleet,
  defaultSharedSettings,
  overlayShared,
  SHARED_FIELDS,
  type SharedSettings,
} from './shared-fields.ts';
import { buildTown } from './town-fields.ts';

export type Compiled =
  | { readonly kind: 'compiled'; readonly policies: PolicySet }
  | { readonly kind: 'invalid'; readonly problems: readonly PolicyProblem[] };

const overrides = mapOf(OVERRIDE_FIELDS, isAgentId, 'a name of 1 to 128 of A-Z a-z 0-9 . _ @ : -');

const readConfig = tableReader({
  ...WRITTEN_FIELDS,
  ...SHARED_FIELDS,
  profiles: overrides,
  groups: overrides,
  agents: overrides,
} as const satisfies Table);

const readOverride = tableReader(OVERRIDE_FIELDS);

type OverrideMap = ReadonlyMap<string, TableReading<typeof OVERRIDE_FIELDS>>;

/** Parse, fill in defaults, check relations: all problems at once, or policies that need no more checks. */
export function compile(raw: unknown): Compiled {
  const reading = readConfig(raw, '');
  const problems: PolicyProblem[] = [...reading.problems];
  invariant(reading.value !== undefined, 'a table reading always has a value');
  const { values, paths, bad } = reading.value;

  const forAll = writtenLayer('config', {
    values: pick(values, WRITTEN_FIELDS),
    paths: pick(paths, WRITTEN_FIELDS),
    bad,
  });
  problems.push(...forAll.problems);
  const base = [DEFAULT_LAYER, forAll.layer];
  const layersOf = (
    word: 'profile' | 'group' | 'agent',
    map: OverrideMap | undefined,
  ): ReadonlyMap<string, Layer> => {
    const layers = new Map<string, Layer>();
    for (const [name, entry] of map ?? []) {
      const made = writtenLayer(`${word} ${name}`, entry);
      problems.push(...made.problems);
      layers.set(name, made.layer);
    }
    return layers;
  };
  const layers: Layers = {
    base,
    profiles: withShippedProfiles(layersOf('profile', values.profiles)),
    groups: layersOf('group', values.groups),
    agents: layersOf('agent', values.agents),
  };
  problems.push(...checkRelations(layers));
  if (problems.length > 0) return { kind: 'invalid', problems };
  return { kind: 'compiled', policies: assemble(layers, pick(values, SHARED_FIELDS)) };
}

/** What the operator writes about a role lies over what Holter ships for it. */
function withShippedProfiles(written: ReadonlyMap<string, Layer>): ReadonlyMap<string, readonly Layer[]> {
  const profiles = new Map<string, readonly Layer[]>();
  for (const [role, raw] of Object.entries(profileDefaults)) {
    const from: LayerName = `profile ${role}`;
    const reading = readOverride(raw, '');
    invariant(
      reading.value !== undefined && reading.problems.length === 0,
      `the shipped profile ${role} is unsound`,
    );
    profiles.set(role, [{ ...writtenLayer(from, reading.value).layer, paths: {} }]);
  }
  for (const [role, layer] of written) profiles.set(role, [...(profiles.get(role) ?? []), layer]);
  // A name that the operator has given to a role of their own is no alias.
  for (const [alias, role] of Object.entries(profileAliases))
    if (!written.has(alias)) profiles.set(alias, profiles.get(role) ?? []);
  return profiles;
}

/**
 * A layer is judged on top of the base. What a group or an agent says may rely on its role, which is not
 * known here, so it is wrong only if it is wrong with every role.
 */
function checkRelations({ base, profiles, groups, agents }: Layers): readonly PolicyProblem[] {
  const roles = [...profiles.values()];
  const problems = brokenAt(base);
  for (const layers of roles) problems.push(...brokenAt([...base, ...layers]));
  for (const layer of [...groups.values(), ...agents.values()]) {
    let broken = brokenAt([...base, layer]);
    for (const role of roles) {
      if (broken.length === 0) break;
      const still = new Set(brokenAt([...base, ...role, layer]).map((problem) => problem.path));
      broken = broken.filter((problem) => still.has(problem.path));
    }
    problems.push(...broken);
  }
  return problems;
}

/** Relations that the topmost layer breaks, told at the key that it wrote. */
function brokenAt(layers: readonly Layer[]): PolicyProblem[] {
  const top = layers.at(-1);
  const { settings, sources } = resolve(layers);
  return relationProblems(settings, sources).flatMap(({ keys, messageAt }) => {
    const key = keys.find((candidate) => top?.paths[candidate] !== undefined);
    // A setting that could not be read stands at its default here: nothing true can be said about it.
    const isKnown = layers.every((layer) => keys.every((candidate) => !layer.bad.has(candidate)));
    return key === undefined || !isKnown ? [] : [{ path: top?.paths[key] ?? key, message: messageAt(key) }];
  });
}

function assemble(layers: Layers, sharedWritten: Partial<SharedSettings>): PolicySet {
  const settings = overlayShared(defaultSharedSettings(), sharedWritten);
  const breakers = buildBreakers(settings);
  const common = { breakers, dayBudget: buildDayBudget(settings) };
  const byRole = new Map<string, Policy>();
  for (const [role, ofRole] of layers.profiles)
    byRole.set(role, buildPolicy(resolve([...layers.base, ...ofRole]).settings, common));
  return {
    fleet: buildFleet(settings),
    ...common,
    prices: settings.prices,
    quotas: buildQuotas(settings),
    operations: buildOperations(settings),
    town: buildTown(settings),
    judge: buildJudge(settings),
    network: buildNetwork(settings, settings.public_url),
    channels: settings.channels,
    publicUrl: settings.public_url,
    database: settings.database,
    warnings: undefinedChannels(layers, settings.channels),
    layers,
    byRole,
    withoutRole: buildPolicy(resolve(layers.base).settings, common),
    shared: { settings, written: new Set(Object.keys(sharedWritten)) },
  };
}

/** The part of a reading that belongs to one table. */
function pick<T extends object, K extends string>(
  from: T,
  table: Readonly<Record<K, unknown>>,
): Pick<T, K & keyof T> {
  const picked: Partial<T> = {};
  for (const key of Object.keys(table) as (K & keyof T)[]) {
    if (Object.hasOwn(from, key)) picked[key] = from[key];
  }
  return picked as Pick<T, K & keyof T>;
}

/** What holds when nobody configures anything. */
export const defaultPolicies: PolicySet = compileDefaults();

function compileDefaults(): PolicySet {
  const compiled = compile({});
  invariant(compiled.kind === 'compiled', 'the defaults are unsound');
  return compiled.policies;
}

import type { FleetGuard } from '../fleet/guard.ts';
import type { Effect } from '../vocabulary/effect.ts';
import type { HolterEvent } from '../vocabulary/event.ts';
import type { Hard } from './agent.ts';
import { withKnownKinds } from './known-kinds.ts';
import { agentOfV1, effectOfV1 } from './upcast-v2.ts';
import { agentOfV2, effectOfV2, eventOfV2, fleetOfV2 } from './upcast-v3.ts';
import { agentOfV3 } from './upcast-v4.ts';
import { agentForV4, agentOfV4 } from './upcast-v5.ts';

/**
 * The kinds of record that a store keeps as JSON. Everything else is in columns, which the store's migrations
 * change.
 */
type Records = {
  readonly agent: Hard;
  readonly fleet: FleetGuard;
  readonly effect: Effect;
  readonly event: HolterEvent;
};

export type RecordKind = keyof Records;

type Json = Readonly<Record<string, unknown>>;

/** Upgrades records by one version, for the kinds whose shape changed. */
export type UpcastStep = { readonly [Kind in RecordKind]?: (record: Json) => Json };

/** Records of before servers shared a database. The first entry upgrades version 1 to version 2, and so on. */
const FIRST_STEPS: readonly UpcastStep[] = [
  { agent: agentOfV1, effect: effectOfV1 },
  { agent: agentOfV2, fleet: fleetOfV2, effect: effectOfV2, event: eventOfV2 },
  { agent: agentOfV3 },
];

/**
 * Between versions that share a database while its servers are upgraded one by one: the new ones write what the old
 * ones can read. What the older shape has no place for is left out by `down`, so `up` needs a sensible value for it.
 */
export type SharedStep = { readonly up: UpcastStep; readonly down: UpcastStep };

/**
 * The first entry is between versions 4 and 5. Append only: a data folder may be years old. Each entry needs a
 * migration in the SQLite store that names the new version, and a folder in tests/fixtures/data-folders written by the
 * previous version. A detector's state that is missing from a trail needs no entry: the detector starts from `empty`.
 */
const SHARED_STEPS: readonly SharedStep[] = [{ up: { agent: agentOfV4 }, down: { agent: agentForV4 } }];

const STEPS: readonly UpcastStep[] = [...FIRST_STEPS, ...SHARED_STEPS.map(({ up }) => up)];

/** The newest version. Records without a version are version 1. */
export const RECORD_VERSION = STEPS.length + 1;

/** The oldest version that a server of today can write. */
export const RECORD_VERSION_MIN = FIRST_STEPS.length + 1;

/** A stored record in the current shape; null if a newer version of Holter wrote it. */
export function upcast<Kind extends RecordKind>(
  kind: Kind,
  record: unknown,
  version: number,
  steps: readonly UpcastStep[] = STEPS,
): Records[Kind] | null {
  if (version > steps.length + 1) return null;
  let newest = record as Json;
  for (let from = version; from <= steps.length; from++) newest = steps[from - 1]?.[kind]?.(newest) ?? newest;
  const read = kind === 'agent' ? withKnownKinds(newest as unknown as Hard) : newest;
  return read as unknown as Records[Kind];
}

/** A record of the newest version in the shape of an earlier one, but not before `RECORD_VERSION_MIN`. */
export function downcast<Kind extends RecordKind>(
  kind: Kind,
  record: Records[Kind],
  version: number,
  steps: readonly SharedStep[] = SHARED_STEPS,
): unknown {
  const back = steps.slice(version - RECORD_VERSION_MIN).reverse();
  return back.reduce<unknown>((newer, { down }) => down[kind]?.(newer as Json) ?? newer, record);
}

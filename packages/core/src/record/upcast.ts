import type { FleetGuard } from '../fleet/guard.ts';
import type { Effect } from '../vocabulary/effect.ts';
import type { HolterEvent } from '../vocabulary/event.ts';
import type { Hard } from './agent.ts';
import { agentOfV1, effectOfV1 } from './upcast-v2.ts';
import { agentOfV2, effectOfV2, eventOfV2, fleetOfV2 } from './upcast-v3.ts';
import { agentOfV3 } from './upcast-v4.ts';

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

/**
 * The first entry upgrades version 1 to version 2, and so on. Append only: a data folder may be years old. Each
 * entry needs a migration in every store that names the new version, and a folder in tests/fixtures/data-folders
 * written by the previous version. A detector's state that is missing from a trail needs no entry: the detector
 * starts from `empty`.
 */
const STEPS: readonly UpcastStep[] = [
  { agent: agentOfV1, effect: effectOfV1 },
  { agent: agentOfV2, fleet: fleetOfV2, effect: effectOfV2, event: eventOfV2 },
  { agent: agentOfV3 },
];

/** The version written now. Records without a version are version 1. */
export const RECORD_VERSION = STEPS.length + 1;

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
  return newest as unknown as Records[Kind];
}

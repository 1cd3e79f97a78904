import type { Fleet } from '../fleet/guard.ts';
import type { Effect } from '../vocabulary/effect.ts';
import type { HolterEvent } from '../vocabulary/event.ts';
import type { Hard } from './agent.ts';
import { agentOfV1, effectOfV1 } from './upcast-v2.ts';

/** What a store keeps as JSON, by kind. Everything else it keeps in columns, which its migrations change. */
type Records = {
  readonly agent: Hard;
  readonly fleet: Fleet;
  readonly effect: Effect;
  readonly event: HolterEvent;
};

export type RecordKind = keyof Records;

type Json = Readonly<Record<string, unknown>>;

/** From one version to the next, by the kinds whose shape changed. */
export type UpcastStep = { readonly [Kind in RecordKind]?: (record: Json) => Json };

/**
 * The first step makes version 2 of version 1, and so on. Append only: a folder may have been closed years ago. Each
 * step needs a migration of every store that names the new version, and a folder in tests/fixtures/data-folders that
 * the version before has written. A state that is missing in an agent's trail needs none: detectors begin with `empty`.
 */
const STEPS: readonly UpcastStep[] = [{ agent: agentOfV1, effect: effectOfV1 }];

/** The version that is written now. Records from before there were versions are of version 1. */
export const RECORD_VERSION = STEPS.length + 1;

/** A stored record as today's code knows it; null for one of a newer Holter. */
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

import type { DurationMs, Instant } from '../base/time.ts';

/**
 * A hold says why an agent rightly does nothing: it waits for somebody or something else. While a hold is open,
 * progress is not judged and its clocks stand still; liveness rules go on.
 */
export type HoldKind =
  | 'waiting-for-input'
  | 'waiting-for-permission'
  | 'awaiting-gate'
  | 'rate-limited'
  | 'in-tool'
  | 'asleep'
  | 'paused-by-operator'
  | 'hibernated';

export const HOLD_KINDS: readonly HoldKind[] = [
  'waiting-for-input',
  'waiting-for-permission',
  'awaiting-gate',
  'rate-limited',
  'in-tool',
  'asleep',
  'paused-by-operator',
  'hibernated',
];

export type Hold = {
  readonly kind: HoldKind;
  readonly since: Instant;
  /**
   * Wall-clock end, such as a rate limit's reset. It does not move with stalls, because the other side's clock does
   * not.
   */
  readonly until?: Instant;
  /** Declared by the agent itself, and not seen by Holter or ordered by an operator. */
  readonly isOwnWord?: true;
  /** For `rate-limited`: read from the record of the agent's program, and not declared through the API. */
  readonly isOnRecord?: true;
  /** For `in-tool`: the open calls, hashed. The hold ends with the last of them. */
  readonly calls?: readonly number[];
  /** For `in-tool`: those of the open calls that are waiting for an MCP server. */
  readonly mcp?: readonly McpCall[];
};

export type McpCall = { readonly call: number; readonly server: string; readonly since: Instant };

/** Agents name the tools of an MCP server `mcp__SERVER__TOOL`; null for any other tool. */
export const mcpServerOf = (tool: string): string | null => /^mcp__(.{1,64}?)__/.exec(tool)?.[1] ?? null;

/** `endedAt` is absent while a hold of the row is open. */
export type HoldRow = { readonly since: Instant; readonly endedAt?: Instant };

/**
 * Total time that an agent has spent on hold, as two stopwatches. A deadline that must not run during holds stores
 * the reading at its start (a `Mark`) and moves by what has been added since.
 */
export type HeldTime = {
  /** Any hold. */
  readonly anyMs: number;
  /** Any hold but `in-tool`: a long tool does not excuse a missing checkpoint. */
  readonly outsideToolMs: number;
  /** Nothing but open calls and holds that the agent declared itself; absent means none. */
  readonly ownMs?: number;
};

/** A moment, with the readings of both stopwatches at that moment. */
export type Mark = { readonly at: Instant; readonly held: HeldTime };

export const NOTHING_HELD: HeldTime = { anyMs: 0, outsideToolMs: 0 };

export type HoldAges = Readonly<Record<HoldKind, DurationMs>>;

/** Seen by Holter or ordered by an operator. That a call is open is only ever reported by the agent's side. */
export const isSeen = ({ kind, isOwnWord }: Hold): boolean => !isOwnWord && kind !== 'in-tool';

/** The readings at `at`: the sum of ended holds plus the running one. */
export function heldUntil(heldBefore: HeldTime, holds: readonly Hold[], at: Instant): HeldTime {
  if (holds.length === 0) return heldBefore;
  let anySince = at;
  let outsideSince = at;
  let seenSince = at;
  for (const hold of holds) {
    if (hold.since < anySince) anySince = hold.since;
    if (hold.kind !== 'in-tool' && hold.since < outsideSince) outsideSince = hold.since;
    if (isSeen(hold) && hold.since < seenSince) seenSince = hold.since;
  }
  const ownMs = (heldBefore.ownMs ?? 0) + (seenSince - anySince);
  return {
    anyMs: heldBefore.anyMs + (at - anySince),
    outsideToolMs: heldBefore.outsideToolMs + (at - outsideSince),
    ...(ownMs !== 0 && { ownMs }),
  };
}

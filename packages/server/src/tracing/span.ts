import type { Instant } from '@holter/core';

/** Where a span belongs, as in the W3C header `traceparent`. */
export type SpanPlace = { readonly traceId: string; readonly spanId: string };

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A finished span, as data: what happened, when, and below what. */
export type Span = SpanPlace & {
  readonly name: string;
  readonly parentId: string | null;
  readonly isServer: boolean;
  readonly begunAt: Instant;
  readonly endedAt: Instant;
  readonly attributes: Attributes;
  readonly events: readonly {
    readonly name: string;
    readonly at: Instant;
    readonly attributes: Attributes;
  }[];
  readonly links: readonly SpanPlace[];
  /** What failed; null when nothing did. */
  readonly error: string | null;
};

/** An empty span, to be filled in. */
export const emptySpan = { isServer: false, attributes: {}, events: [], links: [], error: null } as const;

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** The place in the caller's own trace; null without a valid header. `isSampled` says that the caller exports it. */
export function readTraceparent(
  header: string | readonly string[] | undefined,
): (SpanPlace & { readonly isSampled: boolean }) | null {
  const [all, traceId = '', spanId = '', flags = '0'] =
    typeof header === 'string' ? (TRACEPARENT.exec(header) ?? []) : [];
  if (all === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Lets a share of all through, evenly and without dice. */
export class Sampler {
  private owed = 0;

  take(ratio: number): boolean {
    this.owed += ratio;
    if (this.owed < 1) return false;
    this.owed -= 1;
    return true;
  }
}

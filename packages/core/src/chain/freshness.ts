import { between, type DurationMs, type Instant, inWords, minutes } from '../base/time.ts';

/** From which age on a heartbeat is stale, and very stale. */
export type FreshnessLimits = { readonly staleMs: DurationMs; readonly veryStaleMs: DurationMs };

export const freshnessDefaults: FreshnessLimits = { staleMs: minutes(5), veryStaleMs: minutes(15) };

/** What a heartbeat file says. `incarnation` is null if its writer did not name one. */
export type ChainHeartbeat = { readonly at: Instant; readonly incarnation: string | null };

/** `unreadable` is a file that is torn, not JSON, of another shape, or can't be opened. */
export type HeartbeatReading =
  | { readonly kind: 'read'; readonly heartbeat: ChainHeartbeat }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly because: string };

/** The process that should be writing: who it is, and since when it runs. */
export type ChainRun = { readonly incarnation: string; readonly startedAt: Instant | null };

export type Freshness =
  | { readonly kind: 'fresh' | 'stale' | 'very-stale'; readonly ageMs: DurationMs; readonly evidence: string }
  | { readonly kind: 'unknown'; readonly evidence: string };

/**
 * How long a link of the chain has not reported. A heartbeat counts only for the run that wrote it: one that a
 * predecessor has left says nothing about its successor, which has the time since its own start. What can't be read,
 * or is dated in the future, is unknown. It is never taken for stale, because a wrong restart follows from that.
 */
export function freshnessOf(
  reading: HeartbeatReading,
  run: ChainRun,
  now: Instant,
  limits: FreshnessLimits = freshnessDefaults,
): Freshness {
  if (reading.kind === 'unreadable')
    return { kind: 'unknown', evidence: `its heartbeat can't be read: ${reading.because}` };
  const heartbeat = reading.kind === 'read' ? reading.heartbeat : null;
  if (heartbeat && heartbeat.at > now)
    return { kind: 'unknown', evidence: 'its heartbeat is dated in the future' };
  const isOwn = heartbeat !== null && isOf(heartbeat, run);
  const since = isOwn ? heartbeat.at : run.startedAt;
  if (since === null)
    return { kind: 'unknown', evidence: 'it has written no heartbeat, and its start is unknown' };
  const ageMs = between(since, now);
  const evidence = isOwn
    ? `its heartbeat is ${inWords(ageMs)} old`
    : `it has written no heartbeat since its start ${inWords(ageMs)} ago`;
  if (ageMs < limits.staleMs) return { kind: 'fresh', ageMs, evidence };
  return { kind: ageMs < limits.veryStaleMs ? 'stale' : 'very-stale', ageMs, evidence };
}

function isOf({ at, incarnation }: ChainHeartbeat, run: ChainRun): boolean {
  if (incarnation !== null) return incarnation === run.incarnation;
  return run.startedAt === null || at >= run.startedAt;
}

/**
 * Belt and braces: what the daemon says about a Deacon that runs and is very stale, if Boot, whose business that is, has
 * not looked for as long either. Null if Boot looks, or the Deacon is heard.
 */
export function unwatchedSilence(
  freshness: Freshness,
  sinceTriageMs: number,
  limits: FreshnessLimits = freshnessDefaults,
): string | null {
  if (freshness.kind !== 'very-stale' || sinceTriageMs < limits.veryStaleMs) return null;
  return `${freshness.evidence}, and Boot has not looked for ${inWords(sinceTriageMs as DurationMs)}`;
}

import type { Policy } from '../policy/policy.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Draft } from './draft.ts';
import { emit } from './draft.ts';

/** Every finding that holds now, unordered; `findingsOf` sorts them. */
export function allFindings(hard: {
  readonly points: readonly Finding[];
  readonly derived: readonly Finding[];
}): readonly Finding[] {
  if (hard.points.length === 0) return hard.derived;
  return [...hard.derived, ...hard.points];
}

/** The finding as severe as its kind may be for this agent; null if the kind is not judged. */
export function limitSeverity(finding: Finding, { severityMax }: Policy): Finding | null {
  const most = severityMax[finding.kind];
  if (most === undefined || most === finding.severity) return finding;
  return most === 'none' ? null : { ...finding, severity: most };
}

export function emitRaised(
  draft: Draft,
  { kind, severity, evidence, threshold }: Finding,
  lateMs: number,
): void {
  const { agentId } = draft.hard;
  emit(draft, { type: 'FINDING_RAISED', payload: { agentId, kind, severity, evidence, threshold, lateMs } });
}

export function emitCleared(draft: Draft, { kind }: Finding): void {
  emit(draft, { type: 'FINDING_CLEARED', payload: { agentId: draft.hard.agentId, kind } });
}

import type { Draft } from '../record/draft.ts';
import { emitCleared, emitRaised, limitSeverity } from '../record/findings.ts';
import type { Finding, FindingKind } from '../vocabulary/finding.ts';
import { EVIDENCE_LENGTH_MAX } from '../vocabulary/finding.ts';

/** A bound, so that a broken detector can't grow the record. */
const POINTS_MAX = 8;

/** Raises a finding that stays until contrary evidence or a decision. One per kind; the newest replaces the last. */
export function raisePoint(draft: Draft, raised: Finding): void {
  const { hard, policy } = draft;
  const finding = limitSeverity(raised, policy);
  if (!finding) return clearPoint(draft, raised.kind);
  const before = hard.points.find(({ kind }) => kind === finding.kind);
  if (!before && hard.points.length >= POINTS_MAX) return;
  const evidence = finding.evidence.slice(0, EVIDENCE_LENGTH_MAX);
  const point = { ...finding, evidence, since: before?.since ?? finding.since };
  hard.points = [...hard.points.filter(({ kind }) => kind !== finding.kind), point];
  if (before?.severity !== point.severity) emitRaised(draft, point, 0);
}

export function clearPoint(draft: Draft, kind: FindingKind): void {
  const { hard } = draft;
  const point = hard.points.find((finding) => finding.kind === kind);
  if (!point) return;
  hard.points = hard.points.filter((finding) => finding !== point);
  emitCleared(draft, point);
}

import { FINDING_KINDS, type Finding, namesProgress } from '@holter/core';
import type { FindingView } from './types.ts';

export function findingView(finding: Finding): FindingView {
  const { kind, severity, source, since, evidence, threshold, count } = finding;
  return {
    kind,
    severity,
    source,
    since,
    evidence,
    threshold,
    count: count ?? null,
    progress: FINDING_KINDS[kind].progress,
    namesProgress: namesProgress(finding),
  };
}

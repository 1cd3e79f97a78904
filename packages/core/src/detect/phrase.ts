import { between, type Instant, instant, inWords } from '../base/time.ts';
import {
  EVIDENCE_LENGTH_MAX,
  FINDING_KINDS,
  type Finding,
  type FindingKind,
  type Severity,
} from '../vocabulary/finding.ts';

/** The wording of findings. People read all of it. */
export const times = (count: number): string => `${count} times`;

export function spanInWords(since: Instant | null, until: Instant | null): string {
  if (since === null || until === null || until <= since) return '';
  return ` within ${inWords(between(since, until))}`;
}

type FindingParts = {
  readonly kind: FindingKind;
  readonly severity: Severity;
  readonly since: Instant | null;
  readonly evidence: string;
  readonly threshold: string;
  readonly count?: number;
};

/** Agents without a clock have no `since`; 0 is the beginning of their run. */
export function finding(parts: FindingParts): Finding {
  return {
    kind: parts.kind,
    severity: parts.severity,
    source: 'agent-reports',
    since: parts.since ?? instant(0),
    evidence: withProgress(parts.kind, parts.evidence),
    threshold: parts.threshold,
    ...(parts.count === undefined ? {} : { count: parts.count }),
  };
}

/** Whether the evidence says what would be progress, as that of detectors does. */
export const namesProgress = ({ kind, evidence }: Pick<Finding, 'kind' | 'evidence'>): boolean =>
  evidence.endsWith(progressEnd(FINDING_KINDS[kind].progress));

const progressEnd = (progress: string): string => `; ${progress} would be progress.`;

/** What was seen, and what would count as progress. */
export function withProgress(kind: FindingKind, seen: string): string {
  const end = progressEnd(FINDING_KINDS[kind].progress);
  const lengthMax = EVIDENCE_LENGTH_MAX - end.length;
  const start = seen.endsWith('.') ? seen.slice(0, -1) : seen;
  return `${start.length <= lengthMax ? start : `${start.slice(0, lengthMax - 1)}…`}${end}`;
}

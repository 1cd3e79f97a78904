import type { ContextState, DetectorState, TokenState, VerdictState } from '../detect/index.ts';
import type { FindingKind } from '../vocabulary/finding.ts';

/**
 * What the detectors remember of what an agent did. Made only when it reports calls, words, verdicts or
 * tokens, and thrown away with the incarnation.
 */
export type Trail = {
  readonly calls?: DetectorState;
  /** Kinds that the call detectors hold up now; what somebody else fed in is not theirs to clear. */
  readonly raised?: readonly FindingKind[];
  readonly verdicts?: VerdictState;
  readonly tokens?: TokenState;
  readonly context?: ContextState;
};

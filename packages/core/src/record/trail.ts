import type {
  ContextState,
  DetectorState,
  SpendingState,
  TokenState,
  VerdictState,
} from '../detect/index.ts';
import type { FindingKind } from '../vocabulary/finding.ts';
import type { Mark } from '../vocabulary/hold.ts';

/**
 * What the detectors remember of one incarnation. Created with the first call, text, verdict or token count, and
 * discarded with the incarnation.
 */
export type Trail = {
  readonly calls?: DetectorState;
  /** Kinds that the call detectors raise now. They clear only these, not findings from other sources. */
  readonly raised?: readonly FindingKind[];
  readonly verdicts?: VerdictState;
  readonly tokens?: TokenState;
  /** When the token total last grew while the agent was known to work, and whether a report has repeated it since. */
  readonly grown?: Mark;
  readonly isFlat?: true;
  readonly context?: ContextState;
  /** Begins with the first report of tokens or money. */
  readonly spending?: SpendingState;
};

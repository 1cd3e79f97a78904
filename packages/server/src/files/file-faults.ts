import type { Instant, SignalBody } from '@holter/core';
import { EVIDENCE_LENGTH_MAX } from '@holter/core/finding';
import type { FileAnswer } from './agent-file.ts';

/** Files that can't be used and why, reported when that changes and not at each look. */
export class FileFaults {
  private readonly faults = new Map<string, string>();
  private readonly report: (faults: readonly string[]) => void;

  /** `report` gets all faults there are, as sentences. */
  constructor(report: (faults: readonly string[]) => void) {
    this.report = report;
  }

  /** `what` names the file in words: "its checkpoint file". */
  note(what: string, answer: FileAnswer<unknown>): void {
    const fault = answer.kind === 'refused' ? `${what} ${answer.because}` : undefined;
    if (this.faults.get(what) === fault) return;
    if (fault === undefined) this.faults.delete(what);
    else this.faults.set(what, fault);
    this.report([...this.faults.values()]);
  }
}

/** The faults as a finding about the agent whose files they are; without any, the finding is over. */
export function faultSignal(faults: readonly string[], since: Instant): SignalBody {
  if (faults.length === 0) return { kind: 'finding-cleared', findingKind: 'file-unusable' };
  return {
    kind: 'finding',
    finding: {
      kind: 'file-unusable',
      severity: 'warn',
      source: 'operating-system',
      since,
      evidence: faults.join('; ').slice(0, EVIDENCE_LENGTH_MAX),
      threshold: 'a regular file of its own user',
    },
  };
}

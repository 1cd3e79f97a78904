import { instant, type SignalBody } from '@holter/core';
import type { Recipe } from '@holter/server/adapters';
import type { Clock } from '@holter/server/process';

type FinishContext = {
  readonly recipe: Recipe | null;
  readonly clock: Clock;
  readonly lookEvery: number;
  readonly say: (line: string) => void;
  readonly tell: (body: SignalBody) => void;
};

/** So many looks after its last word, a session that should have ended is reported: a minute by default. */
const FINISHED_LOOKS = 12;

/** A session that has finished and whose process goes on does not work; it may wait for a server or a tool. */
export class FinishGuard {
  private readonly context: FinishContext;
  private isTold = false;

  constructor(context: FinishContext) {
    this.context = context;
  }

  /** Called regularly while the process runs. */
  async look(): Promise<void> {
    const { recipe, clock, lookEvery, say, tell } = this.context;
    const since = await recipe?.finishedAt?.();
    const isLate = typeof since === 'number' && clock.now() - since > FINISHED_LOOKS * lookEvery;
    if (isLate === this.isTold) return;
    this.isTold = isLate;
    if (typeof since !== 'number' || !isLate) {
      tell({ kind: 'finding-cleared', findingKind: 'not-exiting' });
      return;
    }
    const evidence = 'it has finished its work, but its process does not end';
    say(evidence);
    tell({
      kind: 'finding',
      finding: {
        ...{ kind: 'not-exiting', severity: 'warn', source: 'operating-system' },
        ...{ since: instant(since), evidence, threshold: 'a minute after its last word' },
      },
    });
  }
}

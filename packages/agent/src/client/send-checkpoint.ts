import type { Breakers } from './breakers.ts';
import type { PendingCheckpoint } from './checkpoint-queue.ts';
import type { Verdict } from './replies.ts';

/** The breaker of checkpoint writes has its own limits. */
const BREAKER = 'checkpoint_write';

type CheckpointWay = {
  readonly breakers: Breakers;
  readonly now: () => number;
  readonly post: (body: string) => Promise<Verdict>;
  /** Whether it is settled and needs no further try. */
  readonly isOver: (verdict: Verdict) => boolean;
};

/** One try to write a checkpoint through its breaker. If a later try may succeed, it stays in the queue. */
export async function sendCheckpoint(head: PendingCheckpoint, way: CheckpointWay): Promise<void> {
  const { breakers, now, post, isOver } = way;
  const answer = await breakers.acquire(BREAKER);
  if (answer.kind === 'refused') {
    const message = `the breaker ${BREAKER} is ${answer.because}`;
    return head.settle({ kind: 'not-written', because: 'breaker-open', message });
  }
  const startedAt = now();
  const verdict = await post(head.body);
  const isDone = isOver(verdict);
  if (verdict.kind === 'taken') {
    breakers.report(BREAKER, answer, 'success', startedAt);
    const hash = String(verdict.body.hash);
    return head.settle({ kind: 'written', checkpointId: head.checkpointId, hash });
  }
  breakers.report(BREAKER, answer, 'failure', startedAt);
  if (isDone || verdict.kind === 'too-large') {
    const message = `${verdict.code}: ${verdict.message}`;
    head.settle({ kind: 'not-written', because: 'refused', message });
  }
}

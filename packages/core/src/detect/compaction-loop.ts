import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Detector } from './detector.ts';
import { finding, spanInWords } from './phrase.ts';

/**
 * Summarising the summary.
 *
 * Intuition: a compaction makes room for work. One that follows another with no work between made no room, and the
 * next will not either. Text between them is not work; a call that returns something new is.
 *
 * Cutoff: warn 3, act 6 (OpenHands waits for 10). Blind spots: with a context so small that one call fits between
 * two compactions, this looks like work, which it is. Rejected: counting compactions per hour, which punishes long
 * sessions that make progress.
 */
type CompactionState = {
  readonly count: number;
  readonly since: Instant | null;
  readonly lastAt: Instant | null;
};

const empty: CompactionState = { count: 0, since: null, lastAt: null };

const limits = {
  // Each compaction costs a model call; six in a row without work between bought nothing.
  compactionLoop: { warn: 3, act: 6 },
};

type Policy = typeof limits;

export const compactionLoop: Detector<CompactionState, typeof limits> = {
  kinds: ['compaction-loop'],
  limits,
  meanings: {
    compactionLoop: 'Compactions without work in between; each costs a model call.',
  },
  empty,
  observe: (state, seen) => {
    switch (seen.kind) {
      case 'compaction':
        return observeCompaction(state, seen.at);
      case 'call':
        return seen.facts.isProgress ? empty : state;
      case 'opaque-call':
        return empty;
      default:
        return state;
    }
  },
  find: findCompaction,
};

function observeCompaction(state: CompactionState, at: Instant | null): CompactionState {
  return { count: state.count + 1, since: state.count === 0 ? at : state.since, lastAt: at };
}

function findCompaction(state: CompactionState, policy: Policy): Finding | null {
  const limits = policy.compactionLoop;
  if (state.count < limits.warn) return null;
  return finding({
    kind: 'compaction-loop',
    severity: state.count >= limits.act ? 'act' : 'warn',
    since: state.since,
    evidence: `The context was compacted ${state.count} times${spanInWords(state.since, state.lastAt)} with nothing new done in between.`,
    threshold: `${limits.warn} compactions without work to warn, ${limits.act} to act`,
    count: state.count,
  });
}

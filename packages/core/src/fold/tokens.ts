import { between, seconds } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { noteReportedActivity } from './doing.ts';
import { followSpending, followTokens } from './trail.ts';

/** Token totals rise all the time; storing each one would make every report a hard fact. */
const TOKENS_ARE_DOING_EVERY = seconds(30);

export function foldTokens(draft: Draft, total: number, costUsd: number): void {
  noteTotal(draft, total);
  draft.soft = { ...draft.soft, costUsd: Math.max(draft.soft.costUsd, costUsd) };
  followSpending(draft);
}

/** A total that comes with a beat; see `isTokenNews`. */
export function noteTotal(draft: Draft, total: number): void {
  const { soft, hard, at } = draft;
  if (total > soft.tokens && (!hard.doing || between(hard.doing.at, at) > TOKENS_ARE_DOING_EVERY))
    noteReportedActivity(draft);
  followTokens(draft, total);
  draft.soft = { ...draft.soft, tokens: Math.max(soft.tokens, total) };
}

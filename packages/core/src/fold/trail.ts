import { between, type Instant, seconds } from '../base/time.ts';
import {
  type AgentStep,
  type ContextInput,
  emptyContextState,
  emptyDetectorState,
  emptyTokenState,
  emptyVerdictState,
  findContext,
  findSpending,
  findTokenSpike,
  findVerdictStreak,
  type Meters,
  observe,
  observeContext,
  observeTokens,
  observeVerdict,
} from '../detect/index.ts';
import type { Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { markNow } from '../record/draft.ts';
import { isKnownToWork } from '../record/work.ts';
import type { Finding, FindingKind } from '../vocabulary/finding.ts';
import type { Verdict } from '../vocabulary/signal.ts';
import { cachedTokens } from './books.ts';
import { clearPoint, raisePoint } from './point.ts';

/** The call that ended last, as `hashCall` names it; null before the first. */
export const newestCallOf = ({ trail }: Pick<Hard, 'trail'>): number | null =>
  trail?.calls?.memory?.calls[0]?.call ?? null;

/** Limits how often token totals are judged, because each one judged is a hard fact. */
const TOKENS_EVERY = seconds(30);

/** Shows one step of the agent to the detectors. Returns what kind of step it was. */
export function followStep(
  draft: Draft,
  step: Omit<AgentStep, 'at' | 'tokens'>,
): { readonly isProgress: boolean; readonly isRetest: boolean } {
  const { hard, at, policy } = draft;
  const before = hard.trail?.calls ?? emptyDetectorState;
  const seen = observe(before, { ...step, at, tokens: null }, policy.detection);
  const gone = (hard.trail?.raised ?? []).filter(
    (kind) => !seen.findings.some((found) => found.kind === kind),
  );
  for (const kind of gone) clearPoint(draft, kind);
  for (const finding of seen.findings) raisePoint(draft, finding);
  const raised = seen.findings.map(({ kind }) => kind);
  const { raised: _before, ...others } = hard.trail ?? {};
  hard.trail = { ...others, calls: seen.state, ...(raised.length > 0 && { raised }) };
  if (seen.isChange) noteChange(draft);
  return { isProgress: seen.progress, isRetest: seen.isRetest };
}

/** Findings about the current work; they end with it. */
const ABOUT_WORK: readonly FindingKind[] = ['verdict-streak'];

/**
 * The work is done or given up, and the loop findings about it are over. The detectors keep their memory, so that a
 * loop which continues with the next task is found at its first call.
 */
export function restTrail(draft: Draft): void {
  const { trail } = draft.hard;
  if (!trail) return;
  for (const kind of [...(trail.raised ?? []), ...ABOUT_WORK]) clearPoint(draft, kind);
  const { raised: _over, ...others } = trail;
  draft.hard.trail = others;
  noteChange(draft);
}

/** Spending is counted from here on. */
export function noteChange(draft: Draft): void {
  const { hard, at } = draft;
  if (!hard.trail?.spending) return;
  hard.trail = { ...hard.trail, spending: { ...metersOf(draft), since: at } };
  clearPoint(draft, 'spending');
}

const metersOf = ({ soft, hard }: Draft): Meters => ({
  tokens: soft.tokens - cachedTokens(hard),
  costUsd: soft.costUsd,
  calls: hard.trail?.calls?.callCount ?? 0,
});

/** To be called when the soft facts have the new totals. */
export function followSpending(draft: Draft): void {
  const { hard, at, policy } = draft;
  const meters = metersOf(draft);
  const spending = hard.trail?.spending;
  if (!spending) {
    hard.trail = { ...hard.trail, spending: { ...meters, since: at } };
    return;
  }
  // Raised once: every further report would be a hard fact.
  if (hard.points.some(({ kind }) => kind === 'spending')) return;
  const found = findSpending(spending, meters, policy.detection);
  if (found !== null) raisePoint(draft, found);
}

export function followVerdict(draft: Draft, verdict: Verdict): void {
  const { hard, at, policy } = draft;
  const verdicts = observeVerdict(hard.trail?.verdicts ?? emptyVerdictState, { verdict, at });
  hard.trail = { ...hard.trail, verdicts };
  setFinding(draft, 'verdict-streak', findVerdictStreak(verdicts, policy.detection));
}

/** Whether a token total is to be judged now. Growth ends a flat stretch at once: it may be the last report. */
export function isTokenNews({ trail }: Hard, total: number, at: Instant): boolean {
  const before = trail?.tokens ?? emptyTokenState;
  if (total === 0 || (total === before.total && trail?.isFlat)) return false;
  return before.lastAt === null || between(before.lastAt, at) >= TOKENS_EVERY || trail?.isFlat === true;
}

export function followTokens(draft: Draft, total: number): void {
  const { hard, at, policy } = draft;
  if (!isTokenNews(hard, total, at)) return;
  const { isFlat: _before, grown, ...trail } = hard.trail ?? {};
  const before = trail.tokens ?? emptyTokenState;
  const tokens = observeTokens(before, { total, at }, policy.detection);
  // A lower total is a new count.
  const isGrown = total !== before.total || !grown;
  if (!isKnownToWork(hard)) hard.trail = { ...trail, tokens };
  else if (isGrown) hard.trail = { ...trail, tokens, grown: markNow(draft) };
  else hard.trail = { ...trail, tokens, grown, isFlat: true };
  setFinding(draft, 'token-spike', findTokenSpike(tokens, policy.detection));
}

export function followContext(draft: Draft, input: ContextInput): void {
  const { hard, policy } = draft;
  // A handoff means nothing for a context that was never reported.
  if (input.kind === 'handoff' && !hard.trail?.context) return;
  const context = observeContext(hard.trail?.context ?? emptyContextState, input, policy.detection);
  hard.trail = { ...hard.trail, context };
  setFinding(draft, 'context-exhausted', findContext(context, policy.detection));
}

function setFinding(draft: Draft, kind: FindingKind, finding: Finding | null): void {
  if (finding) raisePoint(draft, finding);
  else clearPoint(draft, kind);
}

import type { Instant, JudgeVerdict } from '@holter/core';
import type { Store } from '../store/store.ts';

/** One check, for people. */
export type JudgeCheck = {
  readonly at: Instant;
  readonly agentId: string;
  readonly sessionId: string;
  readonly verdict: JudgeVerdict['verdict'];
  readonly reasoning: string;
  readonly ticketId: string | null;
};

const KEY = 'judge-checks';
const CHECKS_MAX = 1_000;
/** Over a restart; with their reasons they are a value of 150 kB at most. */
const KEPT_MAX = 200;
const REASONING_MAX = 600;
const SWAPS_MAX = 5;

/** What the judge has said, also where it said that all is well. The newest checks are kept over a restart. */
export class CheckBook {
  private readonly store: Pick<Store, 'getMeta' | 'swapMeta'>;
  private checks: readonly JudgeCheck[] = [];
  private isChanged = false;

  constructor(store: Pick<Store, 'getMeta' | 'swapMeta'>) {
    this.store = store;
  }

  /** The newest first. */
  of(agentId: string): readonly JudgeCheck[] {
    return this.checks.filter((check) => check.agentId === agentId).reverse();
  }

  note(check: JudgeCheck): void {
    this.checks = [...this.checks.slice(1 - CHECKS_MAX), check];
    this.isChanged = true;
  }

  async load(): Promise<void> {
    this.merge(readChecks(await this.store.getMeta(KEY)));
  }

  /** Other servers that share the store keep theirs in the same list. */
  async save(): Promise<void> {
    if (!this.isChanged) return;
    for (let swaps = 0; swaps < SWAPS_MAX; swaps += 1) {
      const before = await this.store.getMeta(KEY);
      this.merge(readChecks(before));
      const kept = this.checks.slice(-KEPT_MAX).map((check) => ({
        ...check,
        reasoning: check.reasoning.slice(0, REASONING_MAX),
      }));
      if (!(await this.store.swapMeta(KEY, before, JSON.stringify(kept)))) continue;
      this.isChanged = false;
      return;
    }
  }

  private merge(stored: readonly JudgeCheck[]): void {
    const known = new Set(this.checks.map(nameOf));
    const others = stored.filter((check) => !known.has(nameOf(check)));
    if (others.length === 0) return;
    this.checks = [...others, ...this.checks].sort((a, b) => a.at - b.at).slice(-CHECKS_MAX);
  }
}

const nameOf = ({ at, agentId }: JudgeCheck): string => `${at} ${agentId}`;

const readChecks = (value: string | null): readonly JudgeCheck[] =>
  value === null ? [] : (JSON.parse(value) as readonly JudgeCheck[]);

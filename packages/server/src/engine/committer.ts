import { RECORD_VERSION } from '@holter/core';
import { isKept } from '../store/facts.ts';
import type { Commit, CommitVerdict, Store } from '../store/store.ts';

type Waiting = {
  readonly commit: Commit;
  readonly resolve: (verdict: CommitVerdict) => void;
  readonly reject: (error: unknown) => void;
};

/** Large enough to share one fsync among many commits, small enough not to delay the next tick. */
const BATCH_MAX = 256;

/**
 * Group commit: commits that arrive while a transaction is under way share the next one. A lone commit
 * does not wait; under load, one fsync covers hundreds.
 */
export class Committer {
  private readonly store: Pick<Store, 'commit'>;
  private waiting: Waiting[] = [];
  private isWriting = false;
  /** The newest event that this server knows to be stored. A store without it is an older copy. */
  private newest = 0;
  private readonly recordVersion: () => number;

  constructor(store: Pick<Store, 'commit'>, recordVersion: () => number = () => RECORD_VERSION) {
    this.store = store;
    this.recordVersion = recordVersion;
  }

  get depth(): number {
    return this.waiting.length;
  }

  get seen(): number {
    return this.newest;
  }

  saw(cursor: number): void {
    this.newest = Math.max(this.newest, cursor);
  }

  commit(commit: Commit): Promise<CommitVerdict> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ commit, resolve, reject });
      if (!this.isWriting) void this.write();
    });
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    // Agents that are judged together commit one after the other, without anything in between.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, BATCH_MAX);
      this.waiting = this.waiting.slice(BATCH_MAX);
      await this.writeBatch(batch);
    }
    this.isWriting = false;
  }

  private async writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const verdicts = await this.store.commit(
        batch.map(({ commit }) => commit),
        this.newest,
        this.recordVersion(),
      );
      batch.forEach(({ commit, resolve, reject }, index) => {
        const verdict = verdicts[index];
        if (!verdict) {
          reject(new Error('the store answered for fewer commits than it was given'));
          return;
        }
        if (verdict.kind === 'ok' && verdict.firstCursor !== null)
          this.saw(verdict.firstCursor + commit.events.filter(isKept).length - 1);
        resolve(verdict);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

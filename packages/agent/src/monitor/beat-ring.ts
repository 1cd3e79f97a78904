import type { HealthRecord } from './health-record.ts';

/**
 * The order in which agents are pinged: a ring with a current position, so that each agent is visited once per
 * round even if others are added or removed. The records link to each other: nothing is allocated or searched.
 */
export class BeatRing {
  size = 0;
  private hand: HealthRecord | null = null;

  /** Inserts it as the last in the order, just before the current position. */
  add(record: HealthRecord): void {
    const { hand } = this;
    if (!hand) {
      record.next = record;
      record.previous = record;
      this.hand = record;
    } else {
      const last = hand.previous ?? hand;
      record.previous = last;
      record.next = hand;
      last.next = record;
      hand.previous = record;
    }
    this.size += 1;
  }

  remove(record: HealthRecord): void {
    const { next, previous } = record;
    if (!next || !previous) return;
    if (next === record) this.hand = null;
    else {
      previous.next = next;
      next.previous = previous;
      if (this.hand === record) this.hand = next;
    }
    record.next = null;
    record.previous = null;
    this.size -= 1;
  }

  /** Returns the current record after moving on, because the visit may remove that record. */
  take(): HealthRecord | null {
    const { hand } = this;
    if (hand) this.hand = hand.next;
    return hand;
  }
}

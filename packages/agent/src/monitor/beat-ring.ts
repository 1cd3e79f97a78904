import type { HealthRecord } from './health-record.ts';

/**
 * The order in which agents are pinged: a ring with a hand, so that each is visited once per round however
 * many come and go in between. Linked through the records themselves: nothing is allocated or searched.
 */
export class BeatRing {
  size = 0;
  private hand: HealthRecord | null = null;

  /** Last in the order: right behind the hand. */
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

  /** The one under the hand, which moves on first: a visit may remove whom it visits. */
  take(): HealthRecord | null {
    const { hand } = this;
    if (hand) this.hand = hand.next;
    return hand;
  }
}
